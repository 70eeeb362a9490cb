package charts

import (
	"strings"
	"testing"
	"time"
)

func exampleTable() Table {
	t := Table{Caption: "Probes of  <model>", Columns: []string{"tensor", "rank", "error", "speed", "note"}}
	t.Add("encoder", 4, 0.12, "3.1×", "a<b & \"c\"")
	t.Add("décodeur", 16, float32(0.0625), "12×", nil)
	t.Add("head", 1, 1)
	return t
}

func TestTableText(t *testing.T) {
	want := `Probes of <model>

tensor    rank   error  speed  note
--------  ----  ------  -----  ---------
encoder      4  0.1200   3.1×  a<b & "c"
décodeur    16  0.0625    12×
head         1       1
`
	if got := exampleTable().String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestTableHTML(t *testing.T) {
	bundle := exampleTable().MIMEBundle()
	page, _ := bundle["text/html"].(string)
	if text := bundle["text/plain"]; len(bundle) != 2 || text != exampleTable().String() {
		t.Errorf("the bundle has %d types and the text %q", len(bundle), text)
	}
	for _, want := range []string{
		`<table class="gopherscope-table"`,
		">Probes of &lt;model&gt;</caption>",
		`text-align:left">tensor</th>`,
		`text-align:right">rank</th>`,
		`text-align:right">0.1200</td>`,
		`text-align:right">12×</td>`,
		`text-align:left">a&lt;b &amp; &#34;c&#34;</td>`,
		`text-align:left"></td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the HTML does not contain %s:\n%s", want, page)
		}
	}
	for _, tag := range []string{"table", "caption", "thead", "tbody", "tr", "th", "td"} {
		open, closed := strings.Count(page, "<"+tag+" ")+strings.Count(page, "<"+tag+">"), strings.Count(page, "</"+tag+">")
		if open == 0 || open != closed {
			t.Errorf("%d <%s> and %d </%s>", open, tag, closed, tag)
		}
	}
}

func TestShortCellsAreOneLine(t *testing.T) {
	page := Table{Columns: []string{"a"}, Rows: [][]any{{"int8 per channel"}, {"a sentence that may be broken"}}}.html()
	for cell, want := range map[string]bool{"int8 per channel": true, "a sentence that may be broken": false} {
		line, _, _ := strings.Cut(page, ">"+cell+"<")
		line = line[strings.LastIndex(line, "<"):]
		if got := strings.Contains(line, "white-space:nowrap"); got != want {
			t.Errorf("%q: %s", cell, line)
		}
	}
}

func TestTableLosesNothing(t *testing.T) {
	for _, c := range []struct {
		table Table
		want  string
	}{
		{Table{}, "\n\n"},
		{Table{Columns: []string{"a", "b"}}, "a  b\n-  -\n"},
		{Table{Columns: []string{"a"}, Rows: [][]any{{"x", "more"}, {}}}, "a\n-  ----\nx  more\n\n"},
		{Table{Columns: []string{"v"}, Rows: [][]any{{"two\nlines"}, {true}, {time.Second}, {[]int{1}}}}, "v\n---------\ntwo lines\ntrue\n1s\n[1]\n"},
	} {
		if got := c.table.String(); got != c.want {
			t.Errorf("%#v:\n%q\nwant\n%q", c.table, got, c.want)
		}
	}
}
