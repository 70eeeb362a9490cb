package nb

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/display"
)

func mustPage(t *testing.T, p *Page) (string, Entry) {
	t.Helper()
	html, entry, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return string(html), entry
}

func failurePage(t *testing.T) *Page {
	n, failure := executedNotebook(t)
	return &Page{Notebook: n, Name: "01 a#b", Facts: "Go 1.26 on plan9/mips", Seconds: 75.4, Failure: failure}
}

// body is a page without its styles and KaTeX.
func body(t *testing.T, page string) string {
	_, b, ok := strings.Cut(page, "<body")
	b, _, ok2 := strings.Cut(b, "</main>")
	if !ok || !ok2 {
		t.Fatalf("no body in %.300s", page)
	}
	return "<body" + b + "</main>\n"
}

func TestPageGolden(t *testing.T) {
	page, entry := mustPage(t, failurePage(t))
	golden(t, "testdata/page.html", body(t, page))
	index, err := Index([]Entry{entry, {Href: "02.html", Title: "<Two>", Summary: "A <em>b</em>", Seconds: 0.04}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/index.html", body(t, string(index)))
}

var (
	tag       = regexp.MustCompile(`<([a-zA-Z]+)((?:\s[^>]*)?)>`)
	attribute = regexp.MustCompile(`\s([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`)
	cssURL    = regexp.MustCompile(`(?i)(?:url\(|@import)\s*["']?([^"')]{0,40})`)
	scripts   = regexp.MustCompile(`(?s)<script[^>]*>.*?</script>`)
)

// checkOffline checks that a page names nothing outside of itself, other than in
// links for people to follow.
func checkOffline(t *testing.T, page string) {
	t.Helper()
	if !strings.Contains(page, `content="default-src &#39;none&#39;;`) {
		t.Error("no content security policy")
	}
	for _, m := range cssURL.FindAllStringSubmatch(scripts.ReplaceAllString(page, ""), -1) {
		if !strings.HasPrefix(m[1], "data:") {
			t.Errorf("the style loads %q", m[1])
		}
	}
	for _, m := range tag.FindAllStringSubmatch(scripts.ReplaceAllString(page, "<script>"), -1) {
		for _, a := range attribute.FindAllStringSubmatch(strings.ToLower(m[2]), -1) {
			switch value := a[2] + a[3] + a[4]; a[1] {
			case "src", "href", "srcset", "poster", "data", "background", "action":
				if !strings.EqualFold(m[1], "a") && !strings.HasPrefix(value, "data:") {
					t.Errorf("<%s> names %.60q", m[1], value)
				}
			}
		}
	}
}

func TestPageIsOffline(t *testing.T) {
	page, entry := mustPage(t, failurePage(t))
	checkOffline(t, page)
	if n := strings.Count(page, "@font-face"); n != 20 || strings.Count(page, "url(data:font/woff2;base64,d09GMg") != n {
		t.Errorf("%d fonts, and not all of them inside", n)
	}
	if !strings.Contains(page, "katex.render(") {
		t.Error("a page with formulas does not typeset them")
	}
	index, err := Index([]Entry{entry})
	if err != nil {
		t.Fatal(err)
	}
	checkOffline(t, string(index))
	if !strings.Contains(string(index), "katex.render(") {
		t.Error("a list with formulas does not typeset them")
	}
}

func TestKaTeXIsWhereFormulasAre(t *testing.T) {
	output := func(mime, text string) *Cell {
		return &Cell{Type: Code, Source: "x", Outputs: []*Output{{Type: DisplayData, Data: display.MIMEMap{mime: text}}}}
	}
	for _, c := range []struct {
		name        string
		cell        *Cell
		page, index bool
	}{
		{"text", &Cell{Type: Markdown, Source: "It costs \\$5, `$x$`."}, false, false},
		{"code", &Cell{Type: Code, Source: "a := \"$x$\""}, false, false},
		{"printed", output("text/plain", `<span class="math">x</span>`), false, false},
		{"first paragraph", &Cell{Type: Markdown, Source: "Of $x$."}, true, true},
		{"second paragraph", &Cell{Type: Markdown, Source: "First.\n\n$$x$$"}, true, false},
		{"latex", output("text/latex", "$x$"), true, false},
		{"markdown", output("text/markdown", "$x$"), true, false},
	} {
		n := &Notebook{Cells: []*Cell{c.cell}}
		n.fillIDs()
		page, entry := mustPage(t, &Page{Notebook: n, Name: "x"})
		if entry.Title != "x" || entry.Failure != nil {
			t.Errorf("%s: entry %+v", c.name, entry)
		}
		checkOffline(t, page)
		index, err := Index([]Entry{{Title: "without"}, entry})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(page, "katex.render("); got != c.page {
			t.Errorf("%s: KaTeX is in the page: %v", c.name, got)
		}
		if got := strings.Contains(string(index), "katex.render("); got != c.index {
			t.Errorf("%s: KaTeX is in the list: %v", c.name, got)
		}
	}
}

// What a cell prints is text, whatever it looks like.
func TestPageEscapes(t *testing.T) {
	const hostile = `</pre></code></div><script>alert(1)</script><img src=x onerror="alert(1)">'"`
	n := &Notebook{Cells: []*Cell{
		{Type: Code, Source: hostile, ID: "a", ExecutionCount: 1, Outputs: []*Output{
			{Type: Stream, Name: hostile, Text: hostile},
			{Type: Stream, Name: "stderr", Text: "\x1b[31m" + hostile},
			{Type: ErrorOutput, ErrorName: hostile, ErrorValue: hostile, Traceback: []string{hostile, hostile}},
			{Type: ExecuteResult, Data: display.MIMEMap{"text/plain": hostile}},
			{Type: ExecuteResult, Data: display.MIMEMap{"text/latex": hostile}},
			{Type: ExecuteResult, Data: display.MIMEMap{"application/json": hostile}},
			{Type: ExecuteResult, Data: display.MIMEMap{hostile: "x"}},
			{Type: ExecuteResult, Data: display.MIMEMap{"image/png": hostile, "text/plain": "not a picture"}},
			{Type: ExecuteResult, Data: display.MIMEMap{"image/png": "QQ==", "text/plain": hostile},
				Metadata: display.MIMEMap{"width": hostile, "image/png": hostile}},
		}},
		{Type: Raw, Source: hostile, ID: "b"},
		{Type: Markdown, Source: "# `" + hostile + "`\n\n$" + hostile + "$\n\n```" + hostile + "\nx\n```", ID: "c"},
	}}
	page, entry := mustPage(t, &Page{Notebook: n, Name: hostile, Facts: hostile,
		Failure: &CellError{ID: hostile, Err: nil}})
	list, err := Index([]Entry{entry})
	if err != nil {
		t.Fatal(err)
	}
	for _, html := range []string{page, string(list)} {
		html, _, _ = strings.Cut(html, "</main>")
		for _, bad := range []string{"<script>alert", "<img src=x", "</pre></code>"} {
			if i := strings.Index(html, bad); i >= 0 {
				t.Errorf("%s: %.200s", bad, html[max(0, i-100):])
			}
		}
		checkOffline(t, html)
	}
	if !strings.Contains(page, "not a picture") {
		t.Error("the text of an output with a broken picture is not shown")
	}
}

func TestRichest(t *testing.T) {
	all := display.MIMEMap{"text/html": "<b>h</b>", "text/markdown": "*m*", "text/latex": "$l$", "image/svg+xml": "<svg/>",
		"image/png": "QQ==", "image/jpeg": "Qg==", "text/plain": "p", "application/json": map[string]any{"j": nil}}
	d := newDocument("")
	for _, c := range []struct{ mime, want string }{
		{"text/html", "<b>h</b>"},
		{"text/markdown", "<p><em>m</em></p>\n"},
		{"text/latex", `<div class="math">l</div>`},
		{"image/svg+xml", `<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="p">`},
		{"image/png", `<img src="data:image/png;base64,QQ==" alt="p">`},
		{"image/jpeg", `<img src="data:image/jpeg;base64,Qg==" alt="p">`},
		{"text/plain", `<pre tabindex="0">p</pre>`},
		{"application/json", "<pre class=\"chroma\" tabindex=\"0\"><code><span class=\"p\">{</span>"},
		{"", `<p class="missing">no part of this output can be shown here: </p>`},
	} {
		got := d.richest(&Output{Data: all}, "cell 1")
		if got != c.want && !(c.mime == "application/json" && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: got %s", c.mime, got)
		}
		delete(all, c.mime)
	}
}

func TestLaTeX(t *testing.T) {
	for tex, want := range map[string]string{
		"$x$":                 `<div class="math">x</div>`,
		"$$x$$\n":             `<div class="math display">x</div>`,
		`\[x\]`:               `<div class="math display">x</div>`,
		`\(x\)`:               `<div class="math">x</div>`,
		`\begin{a}x\end{a}`:   `<div class="math display">\begin{a}x\end{a}</div>`,
		"$":                   `<div class="math display">$</div>`,
		"$$":                  `<div class="math display">$$</div>`,
		`\displaystyle a < b`: `<div class="math display">\displaystyle a &lt; b</div>`,
	} {
		if got := latexHTML(tex); got != want {
			t.Errorf("%q: got %s, want %s", tex, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{0: "0.0 s", 3.16: "3.2 s", 12.6: "13 s", 75.4: "1 min 15 s", 3600: "60 min 0 s"} {
		if got := seconds(s); got != want {
			t.Errorf("%v: got %s, want %s", s, got, want)
		}
	}
}
