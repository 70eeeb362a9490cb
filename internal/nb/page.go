package nb

import (
	"bytes"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed assets
var assets embed.FS

// policy lets a page load nothing: all it shows is inside it.
const policy = "default-src 'none'; img-src data: blob:; media-src data:; font-src data:; " +
	"style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"policy":  func() string { return policy },
	"style":   pageStyle,
	"katex":   katexAssets,
	"seconds": seconds,
}).ParseFS(assets, "assets/*.html.tmpl"))

// Page is a notebook to be shown as one HTML page.
type Page struct {
	Notebook *Notebook
	// Name is the file's name without folder and suffix; the page is named after it.
	Name string
	// Dir is the notebook's folder, where the images that its Markdown names are.
	Dir string
	// Facts is a line about the run, such as the Go version and the machine.
	Facts string
	// Seconds is how long the run took.
	Seconds float64
	// Failure is the error that ended the run, nil when all cells ran.
	Failure *CellError
}

// Entry is what the list of notebooks says of one page.
type Entry struct {
	// Href is the page's file, and Title the notebook's first heading.
	Href, Title string
	// Summary is the first paragraph.
	Summary template.HTML
	Seconds float64
	Failure *CellError
}

// HTML returns the page, complete in itself, and its entry for the list of
// notebooks. The richest form of each output is shown; formulas and charts need
// scripts, and without them there are their TeX and their pictures.
func (p *Page) HTML() ([]byte, Entry, error) {
	d := &document{ids: headingIDs{}, images: imageFile(p.Dir)}
	for _, c := range p.Notebook.Cells {
		d.ids.Put([]byte(anchor(c.ID)))
	}
	var cells []cellView
	for _, c := range p.Notebook.Cells {
		if strings.TrimSpace(c.Source) == "" && len(c.Outputs) == 0 {
			continue
		}
		view, err := d.cell(c)
		if err != nil {
			return nil, Entry{}, err
		}
		cells = append(cells, view)
	}
	entry := Entry{
		Href: fileURL(p.Name + ".html"), Title: p.Name, Summary: template.HTML(d.summary),
		Seconds: p.Seconds, Failure: p.Failure,
	}
	var contents []heading
	for i, h := range d.headings {
		switch {
		case i == 0:
			entry.Title = h.Text
		case h.Level == 2:
			contents = append(contents, h)
		}
	}
	page, err := renderPage("page.html.tmpl", map[string]any{
		"Page": p, "Source": fileURL(p.Name + ".ipynb"), "Title": entry.Title, "Cells": cells, "Contents": contents,
		"Math": slices.ContainsFunc(cells, cellView.hasMath),
	})
	return page, entry, err
}

// fileURL returns the link to a file of the same folder.
func fileURL(name string) string { return (&url.URL{Path: name}).String() }

// Index returns the page that lists the notebooks of a run.
func Index(entries []Entry) ([]byte, error) {
	return renderPage("index.html.tmpl", map[string]any{
		"Entries": entries,
		"Math":    slices.ContainsFunc(entries, func(e Entry) bool { return hasMath(e.Summary) }),
	})
}

func renderPage(name string, data map[string]any) ([]byte, error) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return nil, err
	}
	return bytes.ToValidUTF8(b.Bytes(), []byte("\ufffd")), nil
}

var mathElement = regexp.MustCompile(`<(?:span|div) class="math(?: display)?">`)

// hasMath tells whether HTML holds formulas. What typesets them is far larger
// than most pages, and left out of those without.
func hasMath(html template.HTML) bool { return mathElement.MatchString(string(html)) }

// cellView is a cell as the template shows it.
type cellView struct {
	Type, Anchor string
	// Count is the execution count; 0 for a cell that did not run.
	Count   int
	Body    template.HTML
	Outputs []template.HTML
}

func (v cellView) hasMath() bool { return hasMath(v.Body) || slices.ContainsFunc(v.Outputs, hasMath) }

func anchor(id string) string { return "cell-" + id }

func (d *document) cell(c *Cell) (cellView, error) {
	v := cellView{Type: c.Type, Anchor: anchor(c.ID), Count: c.ExecutionCount}
	switch c.Type {
	case Markdown:
		body, err := d.text(c)
		if err != nil {
			return v, err
		}
		v.Body = template.HTML(body)
	case Code:
		v.Body = template.HTML(highlight(c.Source, "go"))
		for _, o := range c.Outputs {
			v.Outputs = append(v.Outputs, d.outputHTML(o, cellName(c.ExecutionCount)))
		}
	default:
		v.Body = template.HTML(highlight(c.Source, ""))
	}
	return v, nil
}

// seconds returns a duration in seconds for people.
func seconds(s float64) string {
	switch {
	case s < 10:
		return fmt.Sprintf("%.1f s", s)
	case s < 60:
		return fmt.Sprintf("%.0f s", s)
	}
	d := time.Duration(s * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

func asset(name string) string {
	data, err := assets.ReadFile(path.Join("assets", name))
	if err != nil {
		panic(err) // a file of this package
	}
	return string(data)
}

var pageStyle = sync.OnceValue(func() template.HTML {
	return template.HTML("<style>\n" + codeCSS() + asset("page.css") + "</style>")
})

// katexAssets returns KaTeX with its fonts inside, and the call that typesets
// the page's formulas.
var katexAssets = sync.OnceValue(func() template.HTML {
	css := fontSources.ReplaceAllStringFunc(asset("katex/katex.min.css"), func(sources string) string {
		font := fontSources.FindStringSubmatch(sources)[1]
		return "src:url(data:font/woff2;base64," +
			base64.StdEncoding.EncodeToString([]byte(asset("katex/"+font))) + `) format("woff2")`
	})
	var b strings.Builder
	b.WriteString("<style>" + css + "</style>\n")
	b.WriteString("<script>" + asset("katex/katex.min.js") + "</script>\n")
	b.WriteString("<script>" + asset("math.js") + "</script>")
	return template.HTML(b.String())
})

// fontSources matches a list of font files that begins with a woff2, the only
// form that today's browsers need.
var fontSources = regexp.MustCompile(`src:url\((fonts/[^)]*\.woff2)\)[^};]*`)
