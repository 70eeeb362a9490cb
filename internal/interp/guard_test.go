package interp

import (
	"strings"
	"testing"
)

func TestAPanicInAGoroutineIsReported(t *testing.T) {
	s := open(t)
	o := cells(t, s,
		"func fail(n int) int {\n\tvar m map[int]int\n\tm[n] = n\n\treturn n\n}\ntype T struct{}\nfunc (T) fail(s string) { panic(s) }",
		"import \"sync\"\nvar wg sync.WaitGroup\nwg.Add(4)",
		`go func() { defer wg.Done(); fail(1) }()
go func(s ...string) { defer wg.Done(); T{}.fail(s[0]) }("from a method")
go func() error { defer wg.Done(); return nil }()
go func() { defer wg.Done(); close((chan int)(nil)) }()
wg.Wait()
go panic("a builtin")`)
	if o.err != nil {
		t.Fatal(o.err)
	}
	got := o.printed(t, "stderr",
		"panic in a goroutine started at cell 3:1: assignment to entry in nil map\n",
		"panic in a goroutine started at cell 3:2: from a method\n",
		"panic in a goroutine started at cell 3:4: close of nil channel\n",
		"panic in a goroutine started at cell 3:6: a builtin\n")
	if n := strings.Count(got, "\n"); n != 4 {
		t.Errorf("stderr has %d lines, want 4:\n%s", n, got)
	}
	run(t, s, "1")
}

func TestFatalLogsAndFails(t *testing.T) {
	s := open(t)
	for _, call := range []string{"log.Fatal(\"the\", \"reason\")", "log.Fatalf(\"the%s\", \"reason\")", "log.Fatalln(\"thereason\")"} {
		o := runCell(s, "cell", "import \"log\"\n"+call)
		if e := o.failure(t); e.Value != "log.Fatal would end the notebook's session" || e.Line != 2 {
			t.Errorf("%s gave %v", call, e)
		}
		if got := o.text("stderr"); !strings.HasSuffix(got, "thereason\n") {
			t.Errorf("%s printed %q", call, got)
		}
	}
}

func TestGuardsAreOfOneSession(t *testing.T) {
	first, err := New()
	if err != nil {
		t.Fatal(err)
	}
	run(t, first, "import \"time\"\nstart := time.Now()\ntime.Sleep(5 * time.Millisecond)")
	if got := run(t, first, "time.Since(start) >= 5*time.Millisecond").result(); got != "true" {
		t.Error("Sleep did not sleep")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := open(t)
	if e := runInterrupted(t, second, "import \"time\"\nprintln(1)\ntime.Sleep(time.Hour)"); e.Name != "Interrupted" {
		t.Errorf("Sleep in a second session gave %v", e)
	}
	if _, err := first.Run(t.Context(), Cell{Name: "cell", Source: "1"}, &recorder{}); err != errClosed {
		t.Errorf("a cell in a closed session gave %v", err)
	}
}
