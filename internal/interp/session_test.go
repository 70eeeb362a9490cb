package interp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/internal/display"
)

// recorder is a sink that keeps what it receives, in order.
type recorder struct {
	mu     sync.Mutex
	events []event
}

// event is one output: Stream texts of one name in a row are one event.
type event struct {
	kind string // "stdout", "stderr" or "display"
	text string
	data display.Data
}

func (r *recorder) Stream(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.events); n > 0 && r.events[n-1].kind == name {
		r.events[n-1].text += text
		return
	}
	r.events = append(r.events, event{kind: name, text: text})
}

func (r *recorder) Display(data display.Data) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, _ := data.Data[display.MIMETypeText].(string)
	r.events = append(r.events, event{kind: "display", text: text, data: data})
}

// text is all that a stream received.
func (r *recorder) text(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all strings.Builder
	for _, e := range r.events {
		if e.kind == name {
			all.WriteString(e.text)
		}
	}
	return all.String()
}

func open(t testing.TB) *Session {
	t.Helper()
	s, err := New()
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

// outcome is what a cell gave.
type outcome struct {
	recorder
	data *display.Data
	err  error
}

func (o *outcome) result() string {
	if o.data == nil {
		return ""
	}
	text, _ := o.data.Data[display.MIMETypeText].(string)
	return text
}

// printed returns what a stream received, once it contains all of want: a goroutine
// may print them when the cell has ended.
func (o *outcome) printed(t testing.TB, name string, want ...string) (text string) {
	t.Helper()
	lacking := func(want string) bool { return !strings.Contains(text, want) }
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if text = o.text(name); !slices.ContainsFunc(want, lacking) {
			return text
		}
	}
	t.Errorf("%s lacks one of %q:\n%.1000s", name, want, text)
	return text
}

// failure is the cell's error; the test fails when there is none.
func (o *outcome) failure(t testing.TB) *Error {
	t.Helper()
	var e *Error
	if !errors.As(o.err, &e) {
		t.Fatalf("the cell gave %v, want an *Error", o.err)
	}
	return e
}

func runCell(s *Session, name, source string) *outcome {
	o := &outcome{}
	o.data, o.err = s.Run(context.Background(), Cell{Name: name, Source: source}, &o.recorder)
	return o
}

func traceback(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return strings.Join(e.Traceback, "\n")
	}
	return ""
}

// run runs a cell that must succeed.
func run(t testing.TB, s *Session, source string) *outcome {
	t.Helper()
	o := runCell(s, "cell", source)
	if o.err != nil {
		t.Fatalf("%s\nfailed: %v\n%s", source, o.err, traceback(o.err))
	}
	return o
}

// cells runs one cell after the other, named "cell 1" and so on, and returns
// what the last one gave. The others must succeed.
func cells(t testing.TB, s *Session, sources ...string) *outcome {
	t.Helper()
	var o *outcome
	for i, source := range sources {
		o = runCell(s, fmt.Sprintf("cell %d", i+1), source)
		if o.err != nil && i+1 < len(sources) {
			t.Fatalf("%s\nfailed: %v\n%s", source, o.err, traceback(o.err))
		}
	}
	return o
}

func TestGoroutinesOfAClosedSession(t *testing.T) {
	first, err := New()
	if err != nil {
		t.Fatal(err)
	}
	// The test and the goroutines meet at an address, which outlives the session.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	before := run(t, first, fmt.Sprintf(`import ("display"; "fmt"; "log"; "net"; "sync")
var wg sync.WaitGroup
wait := func(then func()) {
	<-ctx.Done()
	c, err := net.Dial("tcp", %q)
	if err != nil { return }
	c.Read(make([]byte, 1)) // until the test closes it
	then()
}
for _, say := range []func(){
	func() { fmt.Println("late") },
	func() { fmt.Printf("%%s", "late") },
	func() { fmt.Print("late") },
	func() { log.Print("late") },
	func() { display.Display("late") },
	func() { panic("late") },
} {
	wg.Add(1)
	go func() { defer wg.Done(); wait(say) }()
}
go func() {
	wg.Wait()
	net.Dial("tcp", %q)
}()
fmt.Println("early")`, listener.Addr(), listener.Addr()))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	var waiting []net.Conn
	for range 6 { // their ctx has ended
		c, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, c)
	}
	second := open(t)
	after := run(t, second, "1")
	for _, c := range waiting {
		c.Close()
	}
	last, err := listener.Accept() // all have said it
	if err != nil {
		t.Fatal(err)
	}
	last.Close()
	during := run(t, second, "import \"fmt\"\nfmt.Println(\"mine\")")
	if got := during.text("stdout"); got != "mine\n" {
		t.Errorf("the second session's cell printed %q", got)
	}
	for name, o := range map[string]*outcome{"first": before, "second": after, "third": during} {
		for _, e := range o.events {
			if strings.Contains(e.text, "late") {
				t.Errorf("the %s cell got %s %q", name, e.kind, e.text)
			}
		}
	}
}
