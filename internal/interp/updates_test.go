package interp

import (
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/display"
)

// page is a sink that shows what a page would.
type page struct {
	recorder
	log []string
}

func (p *page) Update(d display.Data) { p.note("update", d) }
func (p *page) Clear(wait bool) {
	p.log = append(p.log, map[bool]string{false: "clear", true: "clear at the next"}[wait])
}
func (p *page) Display(d display.Data) { p.note("display", d) }
func (p *page) note(kind string, d display.Data) {
	id, _ := d.Transient["display_id"].(string)
	p.log = append(p.log, kind+" "+id+" "+d.Data[display.MIMETypeText].(string))
}

func TestUpdates(t *testing.T) {
	s := open(t)
	on := func(id, source string) []string {
		p := &page{}
		if _, err := s.Run(t.Context(), Cell{Name: "cell", ID: id, Source: source}, p); err != nil {
			t.Fatal(err)
		}
		return p.log
	}
	for _, test := range []struct {
		id, source string
		want       []string
	}{
		{"a", "import \"display\"\ntype T struct{ n int }\nfunc (t T) String() string { return \"T!\" }\ndisplay.Update(\"loss\", 1)\ndisplay.Update(\"loss\", T{2})\ndisplay.Display(3)", []string{"display loss 1", "update loss T!", "display  3"}},
		{"b", "display.Update(\"loss\", \"from b\")\ndisplay.Update(\"x\", nil)", []string{"update loss from b", "display x <nil>"}},
		{"a", "display.Update(\"loss\", 4)", []string{"display loss 4"}}, // a ran again
		{"c", "display.Clear(false)\ndisplay.Display(1)\ndisplay.Clear(true)\ndisplay.Update(\"c\", 2)", []string{"clear", "display  1", "clear at the next", "display c 2"}},
	} {
		if got := on(test.id, test.source); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.source, got, test.want)
		}
	}
	log := on("d", "bar := display.Progress(\"steps\", 3)\nfor i := range 3 {\n\tbar.Set(i + 1)\n}")
	if len(log) < 2 || log[0][:8] != "display " || log[len(log)-1][:7] != "update " {
		t.Errorf("a progress bar: %q", log)
	}
}

// A notebook that is run without a front end has the last state only.
func TestUpdatesWithoutAPage(t *testing.T) {
	s := open(t)
	o := run(t, s, "import \"display\"\nbar := display.Progress(\"p\", 2)\nfor i := range 3 {\n\tdisplay.Update(\"x\", i)\n\tbar.Set(i)\n}\ndisplay.Display(\"between\")\ndisplay.Clear(true)")
	var texts []string
	for _, e := range o.events {
		texts = append(texts, e.text)
	}
	if len(texts) != 3 || texts[0] != "between" || !strings.HasPrefix(texts[1], "p [##############################] 2/2") || texts[2] != "2" {
		t.Errorf("shown: %q", texts)
	}
}

func (p *page) Stream(name, text string) { p.log = append(p.log, name+" "+text) }

func TestLateOutputGoesToItsCell(t *testing.T) {
	s := open(t)
	run(t, s, "import (\"display\"; \"fmt\"; \"sync\")\nstart := make(chan int)\nvar done sync.WaitGroup")
	first, second := &page{}, &page{}
	for _, c := range []struct {
		sink   Sink
		source string
	}{
		{first, "done.Add(2)\ngo func() {\n\tdefer done.Done()\n\t<-start\n\tfmt.Println(\"late\", 1)\n\tdisplay.Display(2)\n\tgo func() {\n\t\tdefer done.Done()\n\t\tfmt.Print(\"inner\")\n\t}()\n}()\nfmt.Print(\"early\")"},
		{second, "fmt.Print(\"second\")\nstart <- 1\ndone.Wait()"},
	} {
		if _, err := s.Run(t.Context(), Cell{Name: "cell", Source: c.source}, c.sink); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"stdout early", "stdout late 1\n", "display  2", "stdout inner"}; !slices.Equal(first.log, want) {
		t.Errorf("the first cell got %q, want %q", first.log, want)
	}
	if want := []string{"stdout second"}; !slices.Equal(second.log, want) {
		t.Errorf("the second cell got %q, want %q", second.log, want)
	}
}
