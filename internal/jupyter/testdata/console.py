# Drives jupyter-console with the kernel named on the command line as a person at
# a terminal does, and prints what it saw as one JSON object.
import json
import re
import sys

import pexpect

PATIENCE = 60
console = pexpect.spawn(
    sys.executable,
    ["-m", "jupyter_console", "--kernel", sys.argv[1], "--simple-prompt"],
    encoding="utf-8",
    timeout=PATIENCE,
    echo=False,
)


def plain():
    """What the terminal got before the last match, without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", console.before).replace("\r", "").strip()


def prompt():
    console.expect(r"In \[\d+\]: ")
    return plain()


seen = {"banner": prompt()}
for name, code in [
    ("import", 'import "fmt"'),
    ("declaration", "x := 20"),
    ("printed", 'fmt.Println("hello", x+1)'),
    ("value", "x * 2"),
    ("error", "undefinedName"),
]:
    console.sendline(code)
    seen[name] = prompt()
console.sendline("var name string; fmt.Scanln(&name)")
console.sendline("Ada")
seen["scanned"] = prompt()
console.sendline('"<" + name + ">"')
seen["name"] = prompt()
console.sendline('fmt.Println("running"); for {}')
console.expect("running")
console.sendintr()
seen["interrupted"] = prompt()
console.sendline("x")
seen["kept"] = prompt()
console.sendeof()
console.expect(r"exit.*\? ")
console.sendline("y")
console.expect(pexpect.EOF)
console.close()
seen["status"] = console.exitstatus
print(json.dumps(seen))
