# Drives the kernel named on the command line with jupyter_client, and prints
# what it saw as one JSON object.
import json
import queue
import sys
import time

from jupyter_client.manager import start_new_kernel

PATIENCE = 60
seen = {}
manager, client = start_new_kernel(kernel_name=sys.argv[1], startup_timeout=PATIENCE)


def execute(code, **options):
    """Returns the reply and the outputs between busy and idle."""
    msg_id = client.execute(code, **options)
    return reply_to(msg_id), outputs_of(msg_id)


def reply_to(msg_id):
    while True:
        message = client.get_shell_msg(timeout=PATIENCE)
        if message["parent_header"].get("msg_id") == msg_id:
            return message["content"]


def outputs_of(msg_id):
    outputs = []
    while True:
        message = client.get_iopub_msg(timeout=PATIENCE)
        if message["parent_header"].get("msg_id") != msg_id:
            continue
        if message["msg_type"] == "status":
            if message["content"]["execution_state"] == "idle":
                return outputs
            continue
        outputs.append([message["msg_type"], message["content"]])


try:
    seen["hello"] = execute('import "fmt"\nx := 20\nfmt.Println("hello, world")')
    seen["value"] = execute("x + 1")
    seen["undefined"] = execute("x\ny := undefinedName")
    seen["division"] = execute("zero := 0\n\n1 / zero")
    seen["complete"] = reply_to(client.complete("fmt.Printl", 10))
    seen["is_complete"] = [reply_to(client.is_complete(code))["status"] for code in ("x + 1", "func f() {", "x + )")]

    seen["inspect"] = reply_to(client.inspect("fmt.Println", 11))
    seen["comm_info"] = reply_to(client.comm_info())
    asking = client.execute('var name string\nfmt.Scanln(&name)\n"<" + name + ">"', allow_stdin=True)
    seen["question"] = client.get_stdin_msg(timeout=PATIENCE)["content"]
    client.input("Ada")
    seen["answer"] = [reply_to(asking), outputs_of(asking)]
    seen["refused"] = execute("fmt.Scanln(&name)", allow_stdin=False)

    running = client.execute("for {}")
    behind = client.execute("x = 99")
    while True:  # the cell is on its way once its input is published
        message = client.get_iopub_msg(timeout=PATIENCE)
        if message["msg_type"] == "execute_input" and message["parent_header"].get("msg_id") == running:
            break
    time.sleep(0.1)
    manager.interrupt_kernel()
    seen["interrupted"] = reply_to(running)
    seen["behind"] = reply_to(behind)
    outputs_of(behind)
    seen["kept"] = execute("x")

    manager.restart_kernel(now=False)
    client.wait_for_ready(timeout=PATIENCE)
    seen["restarted"] = execute("x")
    seen["after restart"] = execute("40 + 2")
    seen["history"] = reply_to(client.history(hist_access_type="tail", n=3, output=True))["history"]
    client.hb_channel.unpause()
    deadline = time.monotonic() + PATIENCE
    while not client.hb_channel.is_beating() and time.monotonic() < deadline:
        time.sleep(0.05)
    seen["beats"] = client.hb_channel.is_beating()
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=False)
seen["alive"] = manager.is_alive()
print(json.dumps(seen))
