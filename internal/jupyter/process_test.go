package jupyter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/internal/kernelinfo"
	"github.com/rlx-go/gopherscope/internal/testreq"
)

var built struct {
	sync.Once
	dir  string
	file string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// gopherscope builds the program once and returns its file.
func gopherscope(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "gopherscope-test-"); built.err != nil {
			return
		}
		built.file = filepath.Join(built.dir, "gopherscope")
		if runtime.GOOS == "windows" {
			built.file += ".exe"
		}
		build := exec.Command("go", "build", "-o", built.file, "github.com/rlx-go/gopherscope/cmd/gopherscope")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%v: %s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.file
}

// child is a kernel in a process of its own.
type child struct {
	*exec.Cmd
	connection Connection
	file       string
	ended      chan error
}

var connections atomic.Uint32

// writeConnection makes a connection file with free ports, as launchers do.
func writeConnection(t testing.TB) (Connection, string) {
	t.Helper()
	c := Connection{Transport: "tcp", IP: "127.0.0.1", SignatureScheme: "hmac-sha256", Key: "a key of a child"}
	if runtime.GOOS == "linux" {
		// A free port may be taken before the kernel binds it, but not on an address
		// that nobody else uses.
		pid := os.Getpid()
		c.IP = fmt.Sprintf("127.%d.%d.%d", 1+pid>>8%250, 1+pid%250, 1+connections.Add(1)%250)
	}
	for _, port := range []*int{&c.ShellPort, &c.IOPubPort, &c.StdinPort, &c.ControlPort, &c.HBPort} {
		l, err := net.Listen("tcp", c.IP+":0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // all are held at once, so that they differ
		*port = l.Addr().(*net.TCPAddr).Port
	}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "connection.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return c, file
}

// startChild starts a kernel that can find no other program.
func startChild(t testing.TB) *child {
	t.Helper()
	return startChildWith(t, nil)
}

func startChildWith(t testing.TB, attributes *syscall.SysProcAttr) *child {
	t.Helper()
	c := &child{ended: make(chan error, 1)}
	c.connection, c.file = writeConnection(t)
	c.Cmd = exec.Command(gopherscope(t), "kernel", "start", c.file)
	c.Env = []string{"HOME=" + t.TempDir(), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	c.Stderr = testLog{t}
	c.SysProcAttr = attributes
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		c.ended <- c.Wait()
		close(exited)
	}()
	t.Cleanup(func() {
		c.Process.Kill()
		<-exited
	})
	return c
}

func (c *child) awaitListening(t testing.TB) {
	t.Helper()
	waitFor(t, "the kernel's sockets", func() bool {
		conn, err := net.Dial("tcp", net.JoinHostPort(c.connection.IP, strconv.Itoa(c.connection.ShellPort)))
		if err != nil {
			return false
		}
		conn.Close()
		return true
	})
}

// connect waits until the kernel listens and its outputs arrive.
func (c *child) connect(t testing.TB) *client {
	t.Helper()
	c.awaitListening(t)
	cl := dial(t, c.connection)
	for {
		cl.send(cl.control, "kernel_info_request", "{}")
		cl.control.next(t)
		select {
		case <-cl.iopub.received:
			return cl
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stop has the kernel shut down and checks that it ends well.
func (c *child) stop(t testing.TB, cl *client) {
	t.Helper()
	cl.send(cl.control, "shutdown_request", `{"restart":false}`)
	c.waitEnded(t)
}

func (c *child) waitEnded(t testing.TB) {
	t.Helper()
	select {
	case err := <-c.ended:
		if err != nil {
			t.Errorf("the kernel ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("the kernel did not end")
	}
}

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

// python returns a Python that has the modules, Debian's first.
func python(t *testing.T, modules ...string) string {
	t.Helper()
	for _, name := range []string{"/usr/bin/python3", "python3", "python"} {
		if exec.Command(name, "-c", "import "+strings.Join(modules, ", ")).Run() == nil {
			return name
		}
	}
	testreq.Skip(t, "no Python with "+strings.Join(modules, " and "))
	panic("unreachable")
}

// installed returns the environment of a Jupyter client that finds the kernel
// by its kernelspec.
func installed(t *testing.T) []string {
	t.Helper()
	prefix := t.TempDir()
	out, err := exec.Command(gopherscope(t), "kernel", "install", "--prefix", prefix).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return append(os.Environ(), "JUPYTER_PATH="+PrefixDataDir(prefix), "JUPYTER_RUNTIME_DIR="+t.TempDir(),
		"JUPYTER_DATA_DIR="+t.TempDir(), "PYTHONWARNINGS=ignore")
}

// exchange is a reply and the outputs of a cell, as client.py prints them.
type exchange struct {
	reply   map[string]any
	outputs []struct {
		kind    string
		content map[string]any
	}
}

func (e *exchange) UnmarshalJSON(data []byte) error {
	var outputs [][2]json.RawMessage
	if err := json.Unmarshal(data, &[]any{&e.reply, &outputs}); err != nil {
		return err
	}
	e.outputs = make([]struct {
		kind    string
		content map[string]any
	}, len(outputs))
	for i, o := range outputs {
		if err := json.Unmarshal(o[0], &e.outputs[i].kind); err != nil {
			return err
		}
		if err := json.Unmarshal(o[1], &e.outputs[i].content); err != nil {
			return err
		}
	}
	return nil
}

func TestJupyterClient(t *testing.T) {
	run := exec.Command(python(t, "jupyter_client"), filepath.Join("testdata", "client.py"), kernelinfo.Name)
	run.Env = installed(t)
	run.Stderr = testLog{t}
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Hello, Value, Undefined, Division, Kept, Restarted exchange
		AfterRestart                                       exchange `json:"after restart"`
		Answer, Refused                                    exchange
		Complete, Interrupted, Behind                      map[string]any
		Inspect, Question                                  map[string]any
		CommInfo                                           map[string]any `json:"comm_info"`
		History                                            [][3]any
		IsComplete                                         []string `json:"is_complete"`
		Beats, Alive                                       bool
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if o := seen.Hello.outputs; len(o) != 2 || o[1].kind != "stream" || o[1].content["text"] != "hello, world\n" {
		t.Errorf("hello: %+v", seen.Hello)
	}
	for name, want := range map[string]struct {
		exchange
		text string
	}{"value": {seen.Value, "21"}, "answer": {seen.Answer, "<Ada>"}, "kept": {seen.Kept, "20"}, "after restart": {seen.AfterRestart, "42"}} {
		o := want.outputs
		if len(o) != 2 || o[1].kind != "execute_result" || o[1].content["data"].(map[string]any)["text/plain"] != want.text {
			t.Errorf("%s: %+v, want %s", name, want.exchange, want.text)
		}
	}
	for name, failed := range map[string]exchange{"undefined": seen.Undefined, "division": seen.Division, "restarted": seen.Restarted} {
		if o := failed.outputs; failed.reply["status"] != "error" || len(o) != 2 || o[1].kind != "error" {
			t.Errorf("%s: %+v, want one error", name, failed)
		}
	}
	if got := fmt.Sprint(seen.Complete["matches"]); !strings.Contains(got, "Println") {
		t.Errorf("completion of fmt.Printl: %v", seen.Complete)
	}
	if got := fmt.Sprint(seen.Inspect["data"]); seen.Inspect["found"] != true || !strings.Contains(got, "func Println(a ...any)") {
		t.Errorf("inspection of fmt.Println: %v", seen.Inspect)
	}
	if got := fmt.Sprint(seen.CommInfo); got != "map[comms:map[] status:ok]" {
		t.Errorf("comms: %s", got)
	}
	if got := fmt.Sprint(seen.Question); got != "map[password:false prompt:]" {
		t.Errorf("question: %s", got)
	}
	if got := fmt.Sprint(seen.Refused.reply, seen.Refused.outputs); len(seen.Refused.outputs) == 0 {
		t.Errorf("input that is not allowed: %s", got)
	}
	// The session before the restart is there, and this one.
	if got, want := fmt.Sprint(seen.History), "[[1 8 [x 20]] [2 1 [x <nil>]] [2 2 [40 + 2 42]]]"; got != want {
		t.Errorf("history %s, want %s", got, want)
	}
	if want := []string{"complete", "incomplete", "invalid"}; !slices.Equal(seen.IsComplete, want) {
		t.Errorf("is_complete %v, want %v", seen.IsComplete, want)
	}
	if seen.Interrupted["status"] != "error" || seen.Behind["status"] != "aborted" {
		t.Errorf("interrupted: %v, behind it: %v", seen.Interrupted, seen.Behind)
	}
	if !seen.Beats {
		t.Error("no heartbeat")
	}
	if seen.Alive {
		t.Error("the kernel is alive after its shutdown")
	}
}

// TestKernelSuite runs the Jupyter project's own test of kernels, all of it.
func TestKernelSuite(t *testing.T) {
	run := exec.Command(python(t, "jupyter_kernel_test"), "-B", "-m", "unittest", "-v", "suite")
	run.Dir = "testdata"
	run.Env = append(installed(t), "KERNEL="+kernelinfo.Name)
	out, err := run.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("skipped")) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestConsole(t *testing.T) {
	run := exec.Command(python(t, "jupyter_console", "pexpect"), filepath.Join("testdata", "console.py"), kernelinfo.Name)
	run.Env = append(installed(t), "IPYTHONDIR="+t.TempDir())
	run.Stderr = testLog{t}
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	var seen map[string]any
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, want := range map[string]string{
		"import":      `^$`,
		"declaration": `^$`,
		"printed":     `^hello 21$`,
		"value":       `^Out\[4\]: 40$`,
		"error":       `^CompileError: undefined: undefinedName\n`,
		"name":        `: <Ada>$`,
		"interrupted": `^Interrupted: `,
		"kept":        `: 20$`,
		"status":      `^0$`,
	} {
		if got := fmt.Sprint(seen[name]); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: the terminal shows %q, want %s", name, got, want)
		}
	}
}

// TestNbconvert also covers nbclient, which is what executes there.
func TestNbconvert(t *testing.T) {
	interpreter := python(t, "nbclient", "nbconvert")
	env, out := installed(t), t.TempDir()
	convert := func(args ...string) {
		t.Helper()
		run := exec.Command(interpreter, append([]string{"-m", "nbconvert", "--output-dir", out}, args...)...)
		run.Env = env
		if text, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	convert("--to", "notebook", "--execute", "--output", "executed", filepath.Join("testdata", "cells.ipynb"))
	executed := filepath.Join(out, "executed.ipynb")
	data, err := os.ReadFile(executed)
	if err != nil {
		t.Fatal(err)
	}
	var book struct {
		Cells []struct {
			ID      string
			Outputs []struct {
				OutputType string `json:"output_type"`
				Text       any
				Data       map[string]any
				Ename      string
			}
		}
		Metadata struct {
			LanguageInfo map[string]any `json:"language_info"`
		}
	}
	if err := json.Unmarshal(data, &book); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, cell := range book.Cells {
		for _, o := range cell.Outputs {
			got[cell.ID] += fmt.Sprintf("%s %v %v %v; ", o.OutputType, o.Text, o.Data["text/plain"], o.Data["text/html"])
		}
	}
	for id, want := range map[string]string{
		"a": "stream [before\n] <nil> <nil>; ",
		"b": "execute_result <nil> [5] <nil>; ",
		"e": "stream [a\n b\n] <nil> <nil>; execute_result <nil> [3] <nil>; ",
	} {
		if got[id] != want {
			t.Errorf("cell %s has %q, want %q", id, got[id], want)
		}
	}
	if !strings.Contains(got["c"], "[<b>bold</b>]") || !strings.HasPrefix(got["d"], "error ") {
		t.Errorf("cells c and d have %q and %q", got["c"], got["d"])
	}
	if book.Metadata.LanguageInfo["mimetype"] != "text/x-go" {
		t.Errorf("language_info %v", book.Metadata.LanguageInfo)
	}

	convert("--to", "html", "--output", "page", executed)
	page, err := os.ReadFile(filepath.Join(out, "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	// Pygments knows "func" as a keyword of Go, and "type" as no keyword of Python.
	for _, want := range []string{"highlight hl-go", `<span class="kd">func</span>`, "<b>bold</b>"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
