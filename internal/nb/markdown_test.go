package nb

import (
	"encoding/base64"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/display"
)

var update = flag.Bool("update", false, "write the golden files anew")

func newDocument(dir string) *document {
	return &document{ids: headingIDs{}, images: imageFile(dir)}
}

func mustRender(t *testing.T, d *document, source string) string {
	t.Helper()
	html, err := d.render(source)
	if err != nil {
		t.Fatal(err)
	}
	return html
}

// golden compares a fragment with a file that a person has read.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update writes it anew); got:\n%s", file, got)
	}
}

func TestMarkdownGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/markdown/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata/markdown/*.md", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(file, ".md")+".html", mustRender(t, newDocument("testdata"), string(source)))
		})
	}
}

func TestMath(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"inline", `rank $r_1*r_2$ here`, `<p>rank <span class="math">r_1*r_2</span> here</p>`},
		{"markup inside", `$a_1 b_2$ and *c*`, `<p><span class="math">a_1 b_2</span> and <em>c</em></p>`},
		{"backslashes", `$\\ \{x\} \$$`, `<p><span class="math">\\ \{x\} \$</span></p>`},
		{"less than", `$a<b>c$`, `<p><span class="math">a&lt;b&gt;c</span></p>`},
		{"two lines", "$a +\nb$", "<p><span class=\"math\">a +\nb</span></p>"},
		{"prices", `$5 and $6`, `<p>$5 and $6</p>`},
		{"price and currency", `USD$30 or CAD$40`, `<p>USD$30 or CAD$40</p>`},
		{"one price", `it costs $5.`, `<p>it costs $5.</p>`},
		{"escaped", `\$x\$ costs`, `<p>$x$ costs</p>`},
		{"escaped opening", `\$5 and $x$`, `<p>$5 and <span class="math">x</span></p>`},
		{"space after opening", `a $ x$ b`, `<p>a $ x$ b</p>`},
		{"space before closing", `a $x $ b`, `<p>a $x $ b</p>`},
		{"code span", "`$x` and `y$`", `<p><code>$x</code> and <code>y$</code></p>`},
		{"code span is stronger", "$5 `a$b` c", `<p>$5 <code>a$b</code> c</p>`},
		{"fenced code", "```\n$x$ $$y$$\n```", "<pre class=\"chroma\" tabindex=\"0\"><code>$x$ $$y$$</code></pre>"},
		{"empty", `a $$$$ b`, `<p>a $$$$ b</p>`},
		{"only dollars", `$$$`, `<p>$$$</p>`},
		{"in emphasis", `*so $x$*`, `<p><em>so <span class="math">x</span></em></p>`},
		{"in a link", `[see $a[1]$](#s)`, `<p><a href="#s">see <span class="math">a[1]</span></a></p>`},
		{"in a list", "- $x$\n- $$y$$", "<ul>\n<li><span class=\"math\">x</span></li>\n<li>\n<div class=\"math display\">y</div>\n</li>\n</ul>"},
		{"display in text", `so $$x = 1$$ holds`, `<p>so <span class="math display">x = 1</span> holds</p>`},
		{"display, then a stop", `$$x = 1$$.`, `<p><span class="math display">x = 1</span>.</p>`},
		{"display on a line", `$$x = 1$$`, `<div class="math display">x = 1</div>`},
		{"display on lines that look like Markdown", "text\n$$\na\n= b\n- c\n# d\n> e\n$$\nmore",
			"<p>text</p>\n<div class=\"math display\">a\n= b\n- c\n# d\n&gt; e</div>\n<p>more</p>"},
		{"display in a quotation", "> $$\n> x_1 + y_1\n> $$", "<blockquote>\n<div class=\"math display\">x_1 + y_1</div>\n</blockquote>"},
		{"display with text after it", "$$\nx\n$$ where x", "<p><span class=\"math display\">x</span> where x</p>"},
		{"display that does not end", "$$\nx\n\n*y*", "<p>$$\nx</p>\n<p><em>y</em></p>"},
		{"display that is empty", "$$\n$$\n*y*", "<p>$$\n$$</p>\n<p><em>y</em></p>"},
		{"environment", "\\begin{align}\na &= b_1 \\\\\n- c_1\n\\end{align}\n\ntext",
			"<div class=\"math display\">\\begin{align}\na &amp;= b_1 \\\\\n- c_1\n\\end{align}</div>\n<p>text</p>"},
		{"environment that does not end", "\\begin{align}\n*a*", "<p>\\begin{align}\n<em>a</em></p>"},
		{"table", "| n | e |\n|--:|---|\n| 1 | $x_1*y_1*z$ |",
			`<td><span class="math">x_1*y_1*z</span></td>`},
		{"heading", "## Rank $r$", `<h2 id="Rank-$r$">Rank <span class="math">r</span></h2>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.TrimSpace(mustRender(t, newDocument("testdata"), c.source))
			if got != c.want && !(strings.HasPrefix(c.want, "<td>") && strings.Contains(got, c.want)) {
				t.Errorf("%q\n got %s\nwant %s", c.source, got, c.want)
			}
		})
	}
}

func TestMarkdownLoadsNothing(t *testing.T) {
	dot, err := os.ReadFile("testdata/dot.png")
	if err != nil {
		t.Fatal(err)
	}
	picture := "data:image/png;base64," + base64.StdEncoding.EncodeToString(dot)
	for _, c := range []struct{ name, source, want string }{
		{"file", `![a dot](dot.png "title")`, `<p><img src="` + picture + `" alt="a dot" title="title"></p>`},
		{"file in raw HTML", `x <img alt="dot" width=5 src='dot.png'>`, `<p>x <img alt="dot" width="5" src="` + picture + `"></p>`},
		{"remote", `![logo](https://example.org/logo.png)`, `<p><a href="https://example.org/logo.png">logo</a></p>`},
		{"remote without text", `![](//example.org/l.png)`, `<p><a href="//example.org/l.png">//example.org/l.png</a></p>`},
		{"remote in a link", `[![b](http://e.org/b.svg)](http://e.org)`, `<p><a href="http://e.org"><span class="missing">b (image on the network, not loaded)</span></a></p>`},
		{"remote in raw HTML", `x <img src="https://e.org/i.png" srcset="https://e.org/2.png 2x" alt="i">`, `<p>x <img alt="i"></p>`},
		{"video", "<video src=http://e.org/v.mp4 controls></video>", `<p>&lt;video src=http://e.org/v.mp4 controls>&lt;/video></p>`},
		{"not an image", `![key](../../go.mod)`, `<p><span class="missing">key (not an image file: ../../go.mod)</span></p>`},
		{"missing", `![gone](gone.png)`, `<p><span class="missing">gone (image not found: gone.png)</span></p>`},
		{"script", "<script src=\"https://e.org/x.js\">a()</script>", `&lt;script src="https://e.org/x.js">a()&lt;/script>`},
		{"iframe", "a <iframe src='https://e.org'></iframe>", `<p>a &lt;iframe src='https://e.org'>&lt;/iframe></p>`},
		{"refresh", `<meta http-equiv=refresh content="0;url=http://e.org">`, `&lt;meta http-equiv=refresh content="0;url=http://e.org">`},
		{"base", "<base href=http://e.org>", `&lt;base href=http://e.org>`},
		{"link", "<link rel=stylesheet href=http://e.org/s.css>", `&lt;link rel=stylesheet href=http://e.org/s.css>`},
		{"form", "<FORM action=http://e.org>", `&lt;FORM action=http://e.org>`},
		{"svg", "<svg onload=alert(1)>", `&lt;svg onload=alert(1)>`},
		{"onerror", `a <img src=data:, onerror="location='http://e.org'">`, `<p>a <img></p>`},
		{"ontoggle", "<details open ontoggle=alert(1)>\n\nx", "<details open=\"\">\n<p>x</p>"},
		{"mouse", `a <b OnMouseOver = 'alert(1)' title='"<i>'>b</b>`, `<p>a <b title="&#34;&lt;i&gt;">b</b></p>`},
		{"cut tag", "<div title=\"\n<script>alert(1)</script>\n", "&lt;div title=\"\n&lt;script>alert(1)&lt;/script>"},
		{"slash for a space", `<p/onclick=alert(1)>`, `<p>&lt;p/onclick=alert(1)&gt;</p>`},
		{"comment", "a <!-- <script> --> b", `<p>a  b</p>`},
		{"comment within a block", "<div>\n<!--><img src=x onerror=alert(1)> -->\n</div>", "<div>\n\n</div>"},
		{"open comment", "<div>\n<!-- <script>\n</div>", "<div>\n&lt;!-- &lt;script>\n</div>"},
		{"CDATA", "<![CDATA[<script>]]>", `&lt;![CDATA[&lt;script>]]>`},
		{"style element", "<style>@import 'http://e.org';</style>", `&lt;style>@import 'http://e.org';&lt;/style>`},
		{"style", `a <b style="color: #f00; text-align:center">b</b>`, `<p>a <b style="color: #f00; text-align:center">b</b></p>`},
		{"style that loads", `a <b style="background:url(http://e.org)">b</b>`, `<p>a <b>b</b></p>`},
		{"style that covers the page", `a <b style="position:fixed;width:100%">b</b>`, `<p>a <b>b</b></p>`},
		{"raw link", `a <a id=x href="http://e.org/?a=1&amp;b" target=_top>b</a>`, `<p>a <a id="x" href="http://e.org/?a=1&amp;b">b</a></p>`},
		{"raw script link", `a <a href="&#106;avascript:alert(1)">b</a>`, `<p>a <a>b</a></p>`},
		{"raw script link with a line end", `a <a href="java&#10;script:alert(1)">b</a>`, `<p>a <a>b</a></p>`},
		{"script image", `![x](javascript:alert(1))`, `<p><span class="missing">x (image on the network, not loaded)</span></p>`},
		{"script autolink", `<javascript:alert(1)>`, `<p><a href="">javascript:alert(1)</a></p>`},
		{"javascript", `[x](javascript:alert(1))`, `<p><a href="">x</a></p>`},
		{"notebook", `[next](02-low-rank.ipynb#Rank)`, `<p><a href="02-low-rank.html#Rank">next</a></p>`},
		{"notebook elsewhere", `[other](https://e.org/a.ipynb)`, `<p><a href="https://e.org/a.ipynb">other</a></p>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.TrimSpace(mustRender(t, newDocument("testdata"), c.source))
			if got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.source, got, c.want)
			}
		})
	}
}

func TestAttachment(t *testing.T) {
	cell := &Cell{Type: Markdown, Source: "![dot](attachment:my%20dot.png) ![no](attachment:no.png)",
		Attachments: map[string]display.MIMEMap{"my dot.png": {"image/png": "aGVs\nbG8=\n"}}}
	got, err := newDocument("").text(cell)
	if err != nil {
		t.Fatal(err)
	}
	want := `<p><img src="data:image/png;base64,aGVsbG8=" alt="dot"> <span class="missing">no (no attachment: no.png)</span></p>`
	if strings.TrimSpace(got) != want {
		t.Errorf("got %s", got)
	}
}

func TestOutline(t *testing.T) {
	d := newDocument("")
	for _, source := range []string{
		"![x](https://e.org/x.png)\n\n# How *sparse*\\? `x` &amp; $r_1$\n\nThe **first**\n<i onclick=a()>paragraph</i>, `<b>` &amp; $x$.\n\nThe second.",
		"## Same\n\n## Same",
	} {
		if _, err := d.text(&Cell{Type: Markdown, Source: source}); err != nil {
			t.Fatal(err)
		}
	}
	if want := "The first paragraph, &lt;b&gt; &amp; <span class=\"math\">x</span>."; d.summary != want {
		t.Errorf("summary %q", d.summary)
	}
	want := []heading{{1, "How-*sparse*\\?-`x`-&amp;-$r_1$", "How sparse? x & r_1"}, {2, "Same", "Same"}, {2, "Same-2", "Same"}}
	if len(d.headings) != len(want) {
		t.Fatalf("headings %v", d.headings)
	}
	for i := range want {
		if d.headings[i] != want[i] {
			t.Errorf("heading %d: got %v, want %v", i, d.headings[i], want[i])
		}
	}
}

// A cell of a hostile notebook must not take quadratic time, which would keep
// this test from ending.
func TestMarkdownIsLinear(t *testing.T) {
	const n = 200_000
	for _, unit := range []string{"$a ", "$$a ", "$", "a$$", "$a`", "\\$", "\\begin{a}\n", "$$\n", "$$ x\n", "<a ", "<a b='", "<!--", "<b>"} {
		mustRender(t, newDocument(""), strings.Repeat(unit, n/len(unit)))
	}
	mustRender(t, newDocument(""), "```"+strings.Repeat("x", n)+"\ncode\n```")
	d := newDocument("")
	for range 20_000 {
		mustRender(t, d, "# same")
	}
	if got := mustRender(t, d, "# same"); got != "<h1 id=\"same-20001\">same</h1>\n" {
		t.Error(got)
	}
}
