//go:build unix

package interp

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosmos72/gomacro/imports"
	"golang.org/x/sys/unix"

	"github.com/rlx-go/gopherscope/internal/display"
)

// startStderr is what a package that looks for os.Stderr once finds.
var startStderr = os.Stderr

// rawPath is a package of compiled functions that write past os.Stdout.
const rawPath = "test/raw"

func init() {
	imports.Packages[rawPath] = imports.Package{
		Name: "raw",
		Binds: map[string]reflect.Value{
			"Println": reflect.ValueOf(func(text string) { println(text) }),
			"Write":   reflect.ValueOf(func(fd int, text string) { unix.Write(fd, []byte(text)) }),
			"Kept":    reflect.ValueOf(func(text string) { io.WriteString(startStderr, text) }),
			"File": reflect.ValueOf(func(fd int, text string) {
				f := os.NewFile(uintptr(fd), "")
				io.WriteString(f, text)
				kept = append(kept, f)
			}),
			"Child": reflect.ValueOf(func(fd int, text string) error {
				c := exec.Command("/bin/sh", "-c", "echo "+text)
				c.Stdout = os.NewFile(uintptr(fd), "")
				kept = append(kept, c.Stdout.(*os.File))
				return c.Run()
			}),
		},
	}
}

// kept are files that must not be collected, which would close what they stand for.
var kept []*os.File

func openWithDescriptors(t testing.TB) *Session {
	t.Helper()
	s, err := NewWithDescriptors()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestWhatIsWrittenToDescriptorsArrives(t *testing.T) {
	s := openWithDescriptors(t)
	run(t, s, "import raw \"test/raw\"")
	tests := []struct{ source, stdout, stderr string }{
		{`raw.Println("println")`, "", "println\n"},
		{`raw.Write(1, "one")`, "one", ""},
		{`raw.Write(2, "two")`, "", "two"},
		{`raw.Kept("kept")`, "", "kept"},
		{`raw.File(1, "file")`, "file", ""},
		{`raw.Child(1, "child")` + ";", "child\n", ""},
		{`raw.Write(1, "h\xc3")` + "\n" + `raw.Write(1, "\xa9")`, "hé", ""},
		{`raw.Write(2, "\xff")`, "", "\uFFFD"},
	}
	for _, test := range tests {
		o := run(t, s, test.source)
		if o.text("stdout") != test.stdout || o.text("stderr") != test.stderr {
			t.Errorf("%s: stdout %q, stderr %q", test.source, o.text("stdout"), o.text("stderr"))
		}
	}
}

// Each line is with the sink before the next is written, so that the order is the
// cell's.
func TestDescriptorsKeepTheOrder(t *testing.T) {
	s := openWithDescriptors(t)
	o := run(t, s, `import ("fmt"; "time"; raw "test/raw")
for i := range 5 {
	fmt.Println("fmt", i)
	time.Sleep(20*time.Millisecond)
	raw.Write(1, "raw\n")
	Display(i)
}`)
	var got []string
	for _, e := range o.events {
		got = append(got, e.text)
	}
	if want := "fmt 0\nraw\n|0|fmt 1\nraw\n|1|fmt 2\nraw\n|2|fmt 3\nraw\n|3|fmt 4\nraw\n|4"; strings.Join(got, "|") != want {
		t.Errorf("got %q", got)
	}
}

func TestDescriptorsTakeMuchFromWhoCanWait(t *testing.T) {
	const lines = 40_000
	s := openWithDescriptors(t)
	var sink slowSink
	source := fmt.Sprintf("import raw \"test/raw\"\nimport \"strings\"\nline := strings.Repeat(\"x\", 99)+\"\\n\"\nfor range %d {\n\traw.Kept(line)\n}\nfor range %d {\n\traw.Write(2, line)\n}", lines, lines/10)
	if _, err := s.Run(context.Background(), Cell{Name: "cell", Source: source}, &sink); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(sink.text("stderr"), "\n"); got != lines+lines/10 {
		t.Errorf("%d lines arrived, want %d", got, lines+lines/10)
	}
}

func TestAClosedDescriptorIsTakenAgain(t *testing.T) {
	s := openWithDescriptors(t)
	run(t, s, "import raw \"test/raw\"")
	if err := unix.Close(1); err != nil {
		t.Fatal(err)
	}
	if got := run(t, s, "raw.Write(1, \"again\")").text("stdout"); got != "again" {
		t.Errorf("stdout %q", got)
	}
}

func TestCloseGivesTheDescriptorsBack(t *testing.T) {
	var before, during, after [2]unix.Stat_t
	stat := func(to *[2]unix.Stat_t) {
		t.Helper()
		for i := range to {
			if err := unix.Fstat(i+1, &to[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	stat(&before)
	start := *os.Stderr
	s, err := NewWithDescriptors()
	if err != nil {
		t.Fatal(err)
	}
	stat(&during)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	stat(&after)
	for i := range before {
		if before[i].Ino == during[i].Ino {
			t.Errorf("descriptor %d was not taken", i+1)
		}
		if before[i].Ino != after[i].Ino || before[i].Dev != after[i].Dev {
			t.Errorf("descriptor %d was not given back", i+1)
		}
	}
	if *os.Stderr != start {
		t.Error("os.Stderr was not given back")
	}
}

func TestBacklogWaitsOnlyWhenItIsFull(t *testing.T) {
	const limit, piece = 1000, 100
	b := newBacklog(limit)
	may := make(chan struct{})
	var got strings.Builder
	ended := make(chan struct{})
	go func() {
		b.forward(func(text []byte) { <-may; got.Write(text) })
		close(ended)
	}()
	var added atomic.Int64
	go func() {
		for range 3 * limit / piece {
			b.add(strings.Repeat("x", piece))
			added.Add(piece)
		}
		b.close()
	}()
	for added.Load() < limit {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond)
	// One text may be with who forwards, and one makes it too full.
	if n := added.Load(); n > limit+limit+piece {
		t.Errorf("%d bytes are held", n)
	}
	close(may)
	<-ended
	if got.Len() != 3*limit {
		t.Errorf("%d bytes of %d were forwarded", got.Len(), 3*limit)
	}
}

// A process of its own for what could hang, or ends it. Its parts are what a
// compiled println does to a process that reads its own descriptor 2.
const partVariable = "GOPHERSCOPE_TEST_PART"

// counter is a sink that counts lines.
type counter struct{ lines atomic.Int64 }

func (c *counter) Stream(_, text string) { c.lines.Add(int64(strings.Count(text, "\n"))) }
func (c *counter) Display(display.Data)  {}

func TestMain(m *testing.M) {
	part := os.Getenv(partVariable)
	if part == "" {
		os.Exit(m.Run())
	}
	stdout, _ := Keep(os.Stdout)
	s, err := NewWithDescriptors()
	if err != nil {
		panic(err)
	}
	var sink counter
	if _, err := s.Run(context.Background(), Cell{Name: "cell", Source: "1"}, &sink); err != nil {
		panic(err)
	}
	const lines = 50_000 // more than a pipe holds
	print := func() {
		for range lines {
			println("a line that compiled code prints")
		}
	}
	switch part {
	case "print":
		print()
	case "collect":
		done := make(chan struct{})
		go func() {
			for {
				select {
				case <-done:
					return
				default:
					runtime.GC()
				}
			}
		}()
		print()
		close(done)
	case "crash":
		for range 10_000 {
			go func() { select {} }()
		}
		panic("the crash of the test")
	case "fatal":
		new(sync.Mutex).Unlock()
	}
	if err := s.Close(); err != nil {
		panic(err)
	}
	fmt.Fprintln(stdout, sink.lines.Load())
	os.Exit(0)
}

// runPart runs a part in a process that may not take longer than a minute.
func runPart(t *testing.T, part string, env ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0])
	c.Env = append(append(os.Environ(), partVariable+"="+part), env...)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s %v: the process hangs", part, env)
	}
	return out.String(), errs.String(), err
}

// The first of two ways in which a process that reads its own descriptor 2 froze:
// println holds the processor while it waits for the reader, which needs it, or
// for a collection, which waits for println.
func TestPrintlnOfCompiledCodeDoesNotFreeze(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ part, processors string }{{"print", "1"}, {"print", "2"}, {"collect", "1"}, {"collect", "2"}} {
		stdout, stderr, err := runPart(t, test.part, "GOMAXPROCS="+test.processors)
		var lines int
		if _, scanErr := fmt.Sscan(stdout, &lines); err != nil || scanErr != nil || stderr != "" {
			t.Fatalf("%s, %s processors: %v, stdout %q, stderr %.1000q", test.part, test.processors, err, stdout, stderr)
		}
		t.Logf("%s, %s processors: %d lines arrived", test.part, test.processors, lines)
		if lines == 0 {
			t.Errorf("%s, %s processors: no line arrived", test.part, test.processors)
		}
	}
}

// The second: the trace of a crash goes to a pipe whose reader no longer runs.
func TestACrashEndsTheProcessAndSaysWhy(t *testing.T) {
	t.Parallel()
	for _, processors := range []string{"1", "2"} {
		_, stderr, err := runPart(t, "crash", "GOMAXPROCS="+processors, "GOTRACEBACK=all")
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 2 {
			t.Errorf("%s processors: ended with %v", processors, err)
		}
		if !strings.Contains(stderr, "panic: the crash of the test") || strings.Count(stderr, "\ngoroutine ") < 10_000 {
			t.Errorf("%s processors: the trace is %.500q ... with %d goroutines", processors, stderr, strings.Count(stderr, "\ngoroutine "))
		}
	}
}
