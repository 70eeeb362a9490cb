package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed probe_page.html.tmpl
var probePageText string

var probePageTemplate = template.Must(template.New("page").Parse(probePageText))

// maxPageRows keeps the page of a model with many experts small enough for a browser.
const maxPageRows = 2000

// probePage is what the template shows.
type probePage struct {
	Title    string
	Facts    []string
	Prelude  template.HTML
	Sections []pageSection
	Text     string // what stands below the tables of the text report
}

// pageSection is a chart or a table under a heading.
type pageSection struct {
	Heading string
	Words   string
	Figures []template.HTML
	Columns []pageColumn
	Rows    [][]string
}

type pageColumn struct {
	Name  string
	Right bool
}

// writePage writes the page that --html names.
func (r *probeReport) writePage(plan *modelPlan) error {
	if r.run.html == "" {
		return nil
	}
	page, err := r.page(plan)
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return writeFile(r.run.html, page)
}

// checkPage says what is wrong with the file that --html names, before hours of work.
func (p *probeRun) checkPage(models []model) error {
	if p.html == "" {
		return nil
	}
	fail := func(err error) error { return fmt.Errorf("--html: cannot write %s: %w", p.html, err) }
	if err := writableFolder(filepath.Dir(p.html)); err != nil {
		return fail(err)
	}
	page, err := os.Stat(p.html)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fail(err)
	}
	if !page.Mode().IsRegular() {
		return fail(errors.New("it is not a regular file"))
	}
	inputs := map[string]bool{}
	for _, name := range p.from {
		inputs[name] = true
	}
	for _, m := range models {
		inputs[m.path] = true
		for _, t := range m.file.Tensors() {
			inputs[t.File] = true
		}
	}
	for name := range inputs {
		if input, err := os.Stat(name); err == nil && os.SameFile(page, input) {
			return fail(errors.New("it is one of the files to read"))
		}
	}
	return nil
}

// page makes a page that needs no other file and no network.
func (r *probeReport) page(plan *modelPlan) ([]byte, error) {
	page := probePage{Title: r.title(), Facts: r.facts(plan)}
	if len(r.probed()) > 0 && !r.activations() {
		page.Sections, page.Prelude = r.charts(plan)
	}
	for _, t := range r.tables(plan) {
		if len(t.table.rows) > 0 {
			page.Sections = append(page.Sections, tableSection(t))
		}
	}
	var rest strings.Builder
	r.printNotProbed(&rest)
	r.printLayouts(&rest)
	r.printNotes(&rest)
	page.Text = rest.String()
	var b bytes.Buffer
	if err := probePageTemplate.Execute(&b, page); err != nil {
		return nil, err
	}
	return bytes.ToValidUTF8(b.Bytes(), []byte("\ufffd")), nil
}

func tableSection(t headedTable) pageSection {
	s := pageSection{Heading: t.heading, Rows: t.table.rows}
	for _, c := range t.table.columns {
		s.Columns = append(s.Columns, pageColumn{c.name, c.right})
	}
	if n := len(s.Rows) - maxPageRows; n > 0 {
		s.Rows = s.Rows[:maxPageRows]
		s.Words = fmt.Sprintf("The %d largest; %d smaller ones are in the JSON lines and in --csv.", maxPageRows, n)
	}
	return s
}

// title names the models.
func (r *probeReport) title() string {
	var paths []string
	seen := map[string]bool{}
	for _, line := range r.lines {
		if !seen[line.Path] {
			seen[line.Path] = true
			paths = append(paths, line.Path)
		}
	}
	return "Probe of " + some(paths)
}

// facts are the totals, a sentence each.
func (r *probeReport) facts(plan *modelPlan) []string {
	var b strings.Builder
	r.printTotals(&b, plan)
	return strings.Split(strings.TrimSpace(b.String()), "\n")
}
