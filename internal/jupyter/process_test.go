package jupyter

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/internal/testreq"
)

func TestProcessRunsCells(t *testing.T) {
	c := startChild(t)
	cl := c.connect(t)
	reply, published := cl.execute("import \"fmt\"\nx := 6\nfmt.Println(\"hello\")\nx * 7")
	if reply.body["status"] != "ok" {
		t.Fatalf("reply %v", reply.body)
	}
	if got := kinds(published); !slices.Equal(got, []string{"execute_input", "stream", "execute_result"}) {
		t.Fatalf("published %v", got)
	}
	wantBody(t, published[1], `{"name":"stdout","text":"hello\n"}`)
	if text := published[2].body["data"].(map[string]any)["text/plain"]; text != "42" {
		t.Errorf("result %v, want 42", text)
	}
	reply, _ = cl.execute("x\n\nundefinedName")
	if reply.body["status"] != "error" || !strings.Contains(fmt.Sprint(reply.body["evalue"], reply.body["traceback"]), "undefinedName") {
		t.Errorf("reply %v does not name what is undefined", reply.body)
	}
	c.stop(t, cl)
}

// start sends a cell and waits until it runs.
func (c *client) start(code, more string) (head string) {
	c.t.Helper()
	head = c.send(c.shell, "execute_request", executeJSON(code, more))
	for {
		if r := c.iopub.next(c.t); r.parent == head && r.header.MsgType == "execute_input" {
			return head
		}
	}
}

// The states in which a kernel is found when somebody presses a button. wait is
// for what the client sees of it.
var states = []struct {
	name string
	code string // empty: no cell runs
	more string
	wait func(*client)
}{
	{"idle", "", "", nil},
	{"loop", "for { n++ }", "", nil},
	{"loop in a function", "func spin() { for { n++ } }\nspin()", "", nil},
	{"context", "<-ctx.Done()", "", nil},
	{"sleep", "import \"time\"\ntime.Sleep(time.Hour)", "", nil},
	{"channel", "<-make(chan int)", "", nil},
	{"output", "import \"fmt\"\nfor { fmt.Println(n) }", "", nil},
	{"input", "import \"fmt\"\nvar s string\nfmt.Scan(&s)", allowed, func(c *client) { c.stdin.next(c.t) }},
}

// enter brings a kernel into a state, with one more cell in the queue.
func (c *client) enter(i int) (running, behind string) {
	c.t.Helper()
	state := states[i]
	if state.code == "" {
		return "", ""
	}
	running = c.start(state.code, state.more)
	if state.wait != nil {
		state.wait(c)
	}
	return running, c.send(c.shell, "execute_request", executeJSON("n = -1", ""))
}

func TestProcessInterrupts(t *testing.T) {
	c := startChild(t)
	cl := c.connect(t)
	cl.execute("n := 1")
	interrupts := map[string]func(){
		"message": func() { cl.reply(cl.control, cl.send(cl.control, "interrupt_request", "{}")) },
	}
	if runtime.GOOS != "windows" {
		interrupts["SIGINT"] = func() { c.Process.Signal(os.Interrupt) }
	}
	for name, interrupt := range interrupts {
		for i, state := range states {
			running, behind := cl.enter(i)
			if behind != "" {
				// What is sent on one connection is there before what is then sent on
				// another, or nearly so.
				time.Sleep(50 * time.Millisecond)
			}
			interrupt()
			if running != "" {
				if r := cl.reply(cl.shell, running); r.body["status"] != "error" {
					t.Errorf("%s, %s: ended with %v", name, state.name, r.body)
				}
				if r := cl.reply(cl.shell, behind); r.body["status"] != "aborted" {
					t.Errorf("%s, %s: the cell behind ended with %v", name, state.name, r.body)
				}
			}
			reply, published := cl.execute("n > 0")
			if reply.body["status"] != "ok" || len(published) != 2 {
				t.Fatalf("%s, %s: the next cell: %v", name, state.name, reply.body)
			}
			if got := published[1].body["data"].(map[string]any)["text/plain"]; got != "true" {
				t.Errorf("%s, %s: n > 0 is %v: the variable is not what it was", name, state.name, got)
			}
		}
	}
	c.stop(t, cl)
}

func TestProcessShutsDownInEachState(t *testing.T) {
	for i, state := range states {
		t.Run(state.name, func(t *testing.T) {
			t.Parallel()
			c := startChild(t)
			cl := c.connect(t)
			cl.execute("n := 1")
			running, _ := cl.enter(i)
			head := cl.send(cl.control, "shutdown_request", `{"restart":false}`)
			cl.reply(cl.control, head)
			c.waitEnded(t)
			if running != "" {
				if r := cl.reply(cl.shell, running); r.body["status"] != "error" {
					t.Errorf("the cell that ran: %v", r.body)
				}
			}
		})
	}
}

// Two kernels, each with four clients that run cells at the same time.
func TestTwoKernelsAndFourClients(t *testing.T) {
	const cells = 25
	var wait sync.WaitGroup
	for kernel := range 2 {
		c := startChild(t)
		first := c.connect(t)
		first.execute(fmt.Sprintf("import \"fmt\"\nkernel := %d\nruns := 0", kernel))
		clients := []*client{first, c.connect(t), c.connect(t), c.connect(t)}
		for i, cl := range clients {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for cell := range cells {
					head := cl.send(cl.shell, "execute_request", executeJSON(fmt.Sprintf("runs++\nfmt.Println(kernel, %d, %d)", i, cell), ""))
					reply := <-cl.shell.received
					if reply.parent != head || reply.body["status"] != "ok" {
						t.Errorf("client %d, cell %d: the reply is %v to %s", i, cell, reply.body, reply.parent)
					}
					want := fmt.Sprintln(kernel, i, cell)
					for idle := false; !idle; {
						r := <-cl.iopub.received
						if r.parent != head {
							continue
						}
						if text, ok := r.body["text"]; ok && text != want {
							t.Errorf("client %d, cell %d: printed %q, want %q", i, cell, text, want)
						}
						idle = r.body["execution_state"] == "idle"
					}
				}
			}()
		}
		defer func() {
			_, published := first.execute("runs")
			if got := published[1].body["data"].(map[string]any)["text/plain"]; got != fmt.Sprint(4*cells) {
				t.Errorf("kernel %d ran %v cells, want %d", kernel, got, 4*cells)
			}
			c.stop(t, first)
		}()
	}
	wait.Wait()
}

func TestProcessEndsWithSIGTERM(t *testing.T) {
	if runtime.GOOS == "windows" {
		testreq.Skip(t, "Windows has no SIGTERM to send")
	}
	c := startChild(t)
	c.connect(t)
	c.Process.Signal(syscall.SIGTERM)
	c.waitEnded(t)
}

func TestProcessEndsWithItsLauncher(t *testing.T) {
	if runtime.GOOS == "windows" {
		testreq.Skip(t, "the test needs a shell")
	}
	for _, test := range []struct{ name, script, cell string }{
		{"parent", `JPY_PARENT_PID=$$ "$0" kernel start "$1" & wait`, ""},
		{"parent, while a cell runs", `JPY_PARENT_PID=$$ "$0" kernel start "$1" & wait`, "for {}"},
		{"parent, while a cell sleeps", `JPY_PARENT_PID=$$ "$0" kernel start "$1" & wait`, "import \"time\"\ntime.Sleep(time.Hour)"},
		{"launcher of a wrapper that stays", `JPY_PARENT_PID=$$ sh -c '"$0" kernel start "$1"; :' "$0" "$1" & wait`, ""},
		{"parent of an unknown launcher", `JPY_PARENT_PID=999999999 "$0" kernel start "$1" & wait`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			connection, file := writeConnection(t)
			// The pipe closes when the last process that has it is gone.
			launcher := exec.Command("/bin/sh", "-c", test.script, gopherscope(t), file)
			launcher.Env = append(os.Environ(), "JUPYTER_DATA_DIR="+t.TempDir())
			out, in, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			launcher.Stdout = in
			err = launcher.Start()
			in.Close()
			if err != nil {
				t.Fatal(err)
			}
			c := &child{connection: connection}
			cl := c.connect(t)
			if test.cell != "" {
				cl.start(test.cell, "")
			}
			if err := launcher.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			launcher.Wait() // a process is there until then
			closed := make(chan struct{})
			go func() {
				io.Copy(io.Discard, out)
				close(closed)
			}()
			select {
			case <-closed:
			case <-time.After(patience):
				t.Error("the kernel stayed when its launcher was gone")
				cl.send(cl.control, "shutdown_request", `{"restart":false}`)
			}
		})
	}
}

func TestStartRefusesBadConnectionFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "text.json")
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, dir, filepath.Join(dir, "missing.json")} {
		var stdout, stderr strings.Builder
		start := exec.Command(gopherscope(t), "kernel", "start", name)
		start.Stdout, start.Stderr = &stdout, &stderr
		err := start.Run()
		if start.ProcessState.ExitCode() != 1 {
			t.Errorf("%s: %v, want exit status 1", name, err)
		}
		if got := stderr.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, name) || stdout.Len() > 0 {
			t.Errorf("%s: stderr %q, want one line that names it", name, got)
		}
	}
}

// What compiled code writes by itself.
func TestProcessOutputsOfDescriptors(t *testing.T) {
	if runtime.GOOS == "windows" {
		testreq.Skip(t, "Windows has no file descriptors that programs write to by number")
	}
	c := startChildWith(t, func(c *exec.Cmd) { c.Env = append(c.Env, "GODEBUG=gctrace=1") })
	cl := c.connect(t)
	_, published := cl.execute("import (\"os\"; \"runtime\")\nos.NewFile(1, \"\").WriteString(\"to descriptor 1\")\nruntime.GC()")
	text := map[string]string{}
	for _, p := range published {
		if name, ok := p.body["name"].(string); ok {
			text[name] += p.body["text"].(string)
		}
	}
	if text["stdout"] != "to descriptor 1" || !strings.Contains(text["stderr"], "gc ") {
		t.Errorf("published %q", text)
	}
	c.stop(t, cl)
}

// Nothing can keep a process that has made such an error.
func TestProcessThatCrashesSaysWhyOnItsStderr(t *testing.T) {
	var stderr strings.Builder
	c := startChildWith(t, func(c *exec.Cmd) { c.Stderr = &stderr })
	cl := c.connect(t)
	// It ends before it has told of the cell.
	cl.send(cl.shell, "execute_request", executeJSON("import (\"sync\"; \"time\")\ntime.AfterFunc(0, new(sync.WaitGroup).Done)", ""))
	select {
	case <-c.ended:
	case <-time.After(patience):
		t.Fatal("the kernel did not end")
	}
	if !strings.Contains(stderr.String(), "panic: sync: negative WaitGroup counter") {
		t.Errorf("stderr is %q", stderr.String())
	}
}
