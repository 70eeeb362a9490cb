package jupyter

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/internal/testreq"
)

// ends is cells that end a kernel whatever is done: the name that the runtime has
// for each.
var ends = []struct{ name, cell, reason string }{
	{"map", "m := map[int]int{}\nfor range 4 {\n\tgo func() { for { for i := range 1000 { m[i]++ } } }()\n}\nselect {}", "fatal error: concurrent map"},
	{"panic", "import \"sync\"\nimport \"time\"\ntime.AfterFunc(0, new(sync.WaitGroup).Done)\nselect {}", "panic: sync: negative WaitGroup counter"},
	{"stack", "import \"runtime/debug\"\ndebug.SetMaxStack(100_000)\nfunc f(n int) int { return f(n+1) + 1 }\nf(0)", "fatal error: stack overflow"},
	{"killed", "import \"os\"\np, _ := os.FindProcess(os.Getpid())\np.Kill()\nselect {}", ""},
}

func TestWhatEndsAKernelIsToldByTheNext(t *testing.T) {
	if runtime.GOOS != "linux" {
		testreq.Skip(t, "only on Linux does the first line of a fatal error arrive")
	}
	for _, test := range ends {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			connection, file := writeConnection(t)
			start := func(log *strings.Builder) (*child, *client) {
				c := startChildOf(t, connection, file, func(c *exec.Cmd) { c.Stderr = log })
				return c, c.connect(t)
			}
			var log strings.Builder
			c, cl := start(&log)
			cl.execute("1")
			cl.send(cl.shell, "execute_request", executeJSON(test.cell, ""))
			select {
			case <-c.ended:
			case <-time.After(patience):
				t.Fatal("the kernel did not end")
			}
			if !strings.Contains(log.String(), test.reason) {
				t.Errorf("stderr is %q, want %q", log.String(), test.reason)
			}
			var second strings.Builder
			c, cl = start(&second)
			want := "The kernel before this one ended while In[2] ran: " + test.reason
			if test.reason == "" {
				want = "The kernel before this one was killed while In[2] ran: "
			}
			_, published := cl.execute("1 + 1")
			if len(published) != 3 || !strings.HasPrefix(text(published[1]), want) || strings.Count(text(published[1]), "\n") != 1 {
				t.Errorf("published %v, want %q", published, want)
			}
			if _, published := cl.execute("1 + 1"); len(published) != 2 {
				t.Errorf("it is told again: %v", published)
			}
			c.stop(t, cl)
			left, err := filepath.Glob(filepath.Join(filepath.Dir(file), ".*"))
			if err != nil || len(left) > 0 {
				t.Errorf("a kernel that was asked to end leaves %v, %v", left, err)
			}
		})
	}
}

// text is what a stream message says.
func text(r received) string {
	s, _ := r.body["text"].(string)
	return s
}

func TestEnding(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kernel.json")
	const killed = "The kernel before this one was killed while In[3] ran: by the system if memory ran out, or by a restart. Its variables are gone.\n"
	for _, test := range []struct {
		leave func(*Ending)
		want  string
	}{
		{func(e *Ending) {}, ""},
		{func(e *Ending) { e.begin("In[3]") }, killed},
		{func(e *Ending) { e.begin("In[2]"); e.begin("In[3]") }, killed},
		{func(e *Ending) { e.begin("In[3]"); e.end() }, ""},
		{func(e *Ending) { e.begin("In[3]"); e.end(); e.File().WriteString("panic: x\n\tpanic: y\n") },
			"The kernel before this one ended: panic: x. Its variables are gone; its last words are in the log of the Jupyter server.\n"},
		{func(e *Ending) { e.File().WriteString("panic: \x1b[2J\a\u0085\u202e 'é' \xff\r\n") },
			"The kernel before this one ended: panic: \\x1b[2J\\a\\u0085\\u202e 'é' \uFFFD\\r. Its variables are gone; its last words are in the log of the Jupyter server.\n"},
		{func(e *Ending) { e.File().WriteString(strings.Repeat("x", 2*maxEnding)) },
			"The kernel before this one ended: " + strings.Repeat("x", maxEnding) + ". Its variables are gone; its last words are in the log of the Jupyter server.\n"},
		{func(e *Ending) { e.begin("In[3]"); e.Close() }, ""},
	} {
		first, err := OpenEnding(file)
		if err != nil {
			t.Fatal(err)
		}
		test.leave(first)
		first.file.Close()
		next, err := OpenEnding(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := next.tell(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
		if got := next.tell(); got != "" {
			t.Errorf("told again: %q", got)
		}
		if err := next.Close(); err != nil {
			t.Error(err)
		}
	}
	var none *Ending
	if got, err := none.tell(), none.begin("In[1]"); got != "" || err != nil || none.end() != nil {
		t.Errorf("no file gave %q, %v", got, err)
	}
	dir := filepath.Join(filepath.Dir(file), ".kernel.json.ending")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenEnding(file); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder in its place gave %v", err)
	}
}
