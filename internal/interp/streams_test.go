package interp

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"
	"time"
)

func TestStreams(t *testing.T) {
	s := open(t)
	o := run(t, s, `import ("fmt"; "os"; "log"; "io")
fmt.Print("print ")
fmt.Fprintln(os.Stdout, "fprintln")
io.WriteString(os.Stdout, "io\n")
os.Stdout.Write([]byte("bytes\n"))
println("println", 1)
print("print", 2.5, "\n")
fmt.Fprint(os.Stderr, "stderr\n")
log.SetFlags(0)
log.Println("logged")`)
	if got, want := o.text("stdout"), "print fprintln\nio\nbytes\n"; got != want {
		t.Errorf("stdout %q, want %q", got, want)
	}
	if got, want := o.text("stderr"), "println 1\nprint2.5\nstderr\nlogged\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}
	run(t, s, "log.SetFlags(log.LstdFlags)")
}

func TestOutputOfThisProcessArrives(t *testing.T) {
	s := open(t)
	run(t, s, "1")
	o := &outcome{}
	process := func() { fmt.Fprintln(os.Stdout, "a library prints"); log.Print("and logs") }
	s.out.begin(&o.recorder)
	process()
	s.out.flush()
	if got := o.text("stdout"); got != "a library prints\n" {
		t.Errorf("stdout %q", got)
	}
	if got := o.text("stderr"); !strings.HasSuffix(got, "and logs\n") {
		t.Errorf("stderr %q", got)
	}
}

func TestDisplayKeepsItsPlace(t *testing.T) {
	s := open(t)
	o := run(t, s, `import ("fmt"; "os")
for i := range 3 {
	fmt.Println("before", i)
	display.Display(display.HTML(fmt.Sprint("<b>", i, "</b>")))
	fmt.Fprintln(os.Stderr, "after", i)
	Display(i)
}`)
	var got []string
	for _, e := range o.events {
		got = append(got, e.kind+" "+e.text)
	}
	var want []string
	for i := range 3 {
		want = append(want, fmt.Sprintf("stdout before %d\n", i), fmt.Sprintf("display <b>%d</b>", i), fmt.Sprintf("stderr after %d\n", i), fmt.Sprintf("display %d", i))
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestManyLines(t *testing.T) {
	const lines = 100_000
	s := open(t)
	o := run(t, s, fmt.Sprintf("import \"fmt\"\nfor i := range %d {\n\tfmt.Println(\"line\", i)\n}", lines))
	got := strings.Split(o.text("stdout"), "\n")
	if len(got) != lines+1 {
		t.Fatalf("%d lines arrived, want %d", len(got)-1, lines)
	}
	for i := range lines {
		if want := fmt.Sprintf("line %d", i); got[i] != want {
			t.Fatalf("line %d is %q, want %q", i, got[i], want)
		}
	}
}

func TestCharactersAreNotCut(t *testing.T) {
	s := open(t)
	// Writes that end inside a character, and bytes that are none.
	o := run(t, s, `import ("os"; "time")
text := "héllo wörld 日本語 🎉"
for i := range len(text) {
	os.Stdout.Write([]byte{text[i]})
	if i % 4 == 0 { time.Sleep(4 * time.Millisecond) }
}
os.Stderr.Write([]byte{'a', 0xff, 'b', 0xe6})`)
	if got := o.text("stdout"); got != "héllo wörld 日本語 🎉" {
		t.Errorf("stdout %q", got)
	}
	if got := o.text("stderr"); got != "a\uFFFDb\uFFFD" {
		t.Errorf("stderr %q", got)
	}
}

func TestLateOutputGoesToTheLastCell(t *testing.T) {
	s := open(t)
	run(t, s, "import (\"fmt\"; \"time\")\ndone := make(chan int)\ngo func() {\n\ttime.Sleep(20 * time.Millisecond)\n\tfmt.Println(\"late\")\n\tdone <- 1\n}()")
	o := run(t, s, "<-done;")
	if got := o.text("stdout"); got != "late\n" {
		t.Errorf("the next cell received %q", got)
	}
}

func TestOutputOfAFailedCellArrives(t *testing.T) {
	s := open(t)
	o := runCell(s, "cell", "import \"fmt\"\nfmt.Println(\"before\")\npanic(\"then\")")
	o.failure(t)
	if got := o.text("stdout"); got != "before\n" {
		t.Errorf("stdout %q", got)
	}
}

func TestRedirectionEndsWithTheCell(t *testing.T) {
	s := open(t)
	run(t, s, "import (\"fmt\"; \"os\")\nold := os.Stdout\nr, w, _ := os.Pipe()\nos.Stdout = w\nfmt.Print(\"caught\")\nw.Close()")
	o := run(t, s, "import \"io\"\nfmt.Print(\"seen\")\nb, _ := io.ReadAll(r)\nstring(b)")
	if o.text("stdout") != "seen" || o.result() != "caught" {
		t.Errorf("stdout %q, result %q", o.text("stdout"), o.result())
	}
}

// slowSink takes its time, as a front end over a network does.
type slowSink struct{ recorder }

func (s *slowSink) Stream(name, text string) {
	time.Sleep(time.Millisecond)
	s.recorder.Stream(name, text)
}

func TestASlowSinkLosesNothing(t *testing.T) {
	s := open(t)
	var sink slowSink
	source := "import \"fmt\"\nfor i := range 20000 {\n\tfmt.Println(\"some text to fill a pipe with\", i)\n}"
	if _, err := s.Run(context.Background(), Cell{Name: "cell", Source: source}, &sink); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(sink.text("stdout"), "\n"); got != 20000 {
		t.Errorf("%d lines arrived, want 20000", got)
	}
}

func TestGoroutinesOutputTogether(t *testing.T) {
	s := open(t)
	o := run(t, s, `import ("fmt"; "sync"; "os")
var wg sync.WaitGroup
for i := range 8 {
	wg.Add(1)
	go func() {
		defer wg.Done()
		for j := range 500 {
			fmt.Println("out", i, j)
			fmt.Fprintln(os.Stderr, "err", i, j)
			if j % 100 == 0 { Display(j) }
		}
	}()
}
wg.Wait()`)
	if got := strings.Count(o.text("stdout"), "\n"); got != 4000 {
		t.Errorf("%d lines on stdout, want 4000", got)
	}
	if got := strings.Count(o.text("stderr"), "\n"); got != 4000 {
		t.Errorf("%d lines on stderr, want 4000", got)
	}
	displays := 0
	for _, e := range o.events {
		if e.kind == "display" {
			displays++
		}
	}
	if displays != 40 {
		t.Errorf("%d displays, want 40", displays)
	}
}

func TestClosedStdoutDoesNoHarm(t *testing.T) {
	s := open(t)
	run(t, s, "import \"os\"\nos.Stdout.Close();")
	o := run(t, s, "import \"fmt\"\nfmt.Fprintln(os.Stderr, \"still here\")\n2 * 21")
	if o.result() != "42" || o.text("stderr") != "still here\n" {
		t.Errorf("result %q, stderr %q", o.result(), o.text("stderr"))
	}
	if got := run(t, s, "fmt.Print(\"again\")").text("stdout"); got != "again" {
		t.Errorf("a later cell printed %q", got)
	}
}

func TestCloseGivesTheStreamsBack(t *testing.T) {
	stdout, stderr, logger := os.Stdout, os.Stderr, log.Writer()
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if os.Stdout == stdout || os.Stderr == stderr || log.Writer() == logger {
		t.Error("the session did not take the streams")
	}
	if _, err := New(); err == nil {
		t.Error("a second session opened beside the first")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if os.Stdout != stdout || os.Stderr != stderr || log.Writer() != logger {
		t.Error("the streams were not given back")
	}
	if err := s.Close(); err == nil {
		t.Error("closing twice is no error")
	}
	again := open(t)
	if got := run(t, again, "import \"fmt\"\nfmt.Print(\"second session\")").text("stdout"); got != "second session" {
		t.Errorf("the second session printed %q", got)
	}
	runCell(again, "cell", "x").failure(t)
}
