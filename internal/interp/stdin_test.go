package interp

import (
	"context"
	"io"
	"testing"
)

func TestStdin(t *testing.T) {
	s := open(t)
	lines := []string{"Ada 36", "7", "née Byron", "a,b", "last"}
	var o outcome
	asked := 0
	cell := Cell{Name: "cell", Source: `import ("bufio"; "fmt"; "os"; "io")
var name string
var age, n int
fmt.Print("who? ")
fmt.Scan(&name, &age)
fmt.Scanln()
fmt.Scanf("%d\n", &n)
in := bufio.NewScanner(os.Stdin)
in.Scan()
family := in.Text()
r := bufio.NewReader(os.Stdin)
list, err := r.ReadString('\n')
rest, err2 := io.ReadAll(os.Stdin)
fmt.Printf("%q %d %d %q %q %v %q %v", name, age, n, family, list, err, rest, err2)`}
	cell.Input = func() (string, error) {
		if asked == 0 && o.text("stdout") != "who? " {
			t.Errorf("the first line was read after %q was printed", o.text("stdout"))
		}
		if asked++; asked > len(lines) {
			return "", io.EOF
		}
		return lines[asked-1], nil
	}
	if _, err := s.Run(t.Context(), cell, &o.recorder); err != nil {
		t.Fatal(err)
	}
	if got, want := o.text("stdout"), `who? "Ada" 36 7 "née Byron" "a,b\n" <nil> "last\n" <nil>`; got != want {
		t.Errorf("the cell printed %q, want %q", got, want)
	}
	none := run(t, s, "_, err = fmt.Scan(&n)\nerr")
	if got := none.result(); got != errNoInput.Error() {
		t.Errorf("without input Scan gave %q", got)
	}
}

func TestInterruptOfInput(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	o := &outcome{}
	cell := Cell{Name: "cell", Source: "import \"fmt\"\nvar name string\nfmt.Scan(&name)\nfmt.Print(\"on\")"}
	cell.Input = func() (string, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	}
	o.data, o.err = s.Run(ctx, cell, &o.recorder)
	if e := o.failure(t); e.Name != "Interrupted" || o.text("stdout") != "" {
		t.Errorf("the cell gave %v and printed %q", e, o.text("stdout"))
	}
}
