package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/rlx-go/gopherscope/internal/bytesize"
)

// A reportFigure is one number of a report that can be compared with that of another.
type reportFigure struct {
	name, unit string
	value      float64
	// less says that a smaller value is better.
	less bool
}

// figures lists the numbers of a report, each with a name of its own.
func (r *reportResult) figures() []reportFigure {
	var all []reportFigure
	add := func(less bool, value float64, unit, name string, args ...any) {
		if !math.IsNaN(value) && !math.IsInf(value, 0) {
			all = append(all, reportFigure{fmt.Sprintf(name, args...), unit, value, less})
		}
	}
	q := r.Quantization
	add(false, q.Cases[0].Machine.F32Peak, "GFLOP/s", "peak of f32")
	add(false, q.Cases[0].Machine.Int8Peak, "GOP/s", "peak of int8")
	for _, b := range r.CacheVsDRAM.Machine.Read {
		add(false, b.GBps, "GB/s", "reading %s", bytesize.Binary(b.Bytes))
	}
	for _, row := range r.Sparse.Rows {
		add(true, float64(row.NS)/1000, "µs", "skipzeros %dx%dx%d at a density of %.3g%%", r.Sparse.M, r.Sparse.K, r.Sparse.N, 100*row.Density)
	}
	if at := r.Sparse.Crossovers(); len(at) == 1 {
		add(false, 100*at[0], "%", "density below which skipzeros is faster, %dx%dx%d", r.Sparse.M, r.Sparse.K, r.Sparse.N)
	}
	for _, one := range r.LowRank {
		for _, row := range one.Rows {
			add(true, float64(row.NS)/1000, "µs", "factors of %s %dx%dx%d, rank %d", one.Name, one.M, one.K, one.N, row.Rank)
		}
	}
	for _, c := range q.Cases {
		for _, row := range c.Rows {
			add(true, float64(row.NS)/1000, "µs", "%s %dx%dx%d", row.Scheme, c.M, c.K, c.N)
			add(true, 100*row.Err, "%", "error of %s %dx%dx%d", row.Scheme, c.M, c.K, c.N)
		}
	}
	for _, row := range r.CacheVsDRAM.Rows {
		add(false, row.GBps, "GB/s", "%s, model of %d weights", row.Scheme, row.Weights)
	}
	for _, run := range r.MatrixUnit.Runs {
		for _, row := range run.Rows {
			add(true, float64(row.NS)/1000, "µs", "%s %dx%dx%d, yardstick, threads: %d", row.Scheme, row.M, row.K, row.N, run.Threads)
		}
	}
	for _, run := range r.ErrorCompounding.Runs {
		if n := len(run.Stream); n > 0 {
			with := ""
			if run.Outliers {
				with = " and outliers"
			}
			add(true, 100*run.Stream[n-1], "%", "error of %s after %d layers%s, seed %d", run.Recipe, n, with, run.Seed)
		}
	}
	return all
}

// A figureChange is a number in two reports.
type figureChange struct {
	reportFigure
	before float64
}

// ratio is how many times better the number is than before.
func (c figureChange) ratio() float64 {
	if c.before == c.value {
		return 1
	}
	if c.less {
		return c.before / c.value
	}
	return c.value / c.before
}

// reportChanges is what differs between two reports.
type reportChanges struct {
	// provenance has a line for each circumstance that differs.
	provenance []string
	changes    []figureChange
	// only counts the numbers that one of the reports lacks.
	only int
}

func compareReports(old, r *reportResult) reportChanges {
	var c reportChanges
	a, b := old.Provenance, r.Provenance
	for _, field := range []struct{ name, before, after string }{
		{"processor", a.CPU, b.CPU}, {"tier", a.Tier, b.Tier}, {"mask", a.Mask, b.Mask},
		{"cores", fmt.Sprint(a.Cores), fmt.Sprint(b.Cores)}, {"threads", fmt.Sprint(a.Threads), fmt.Sprint(b.Threads)},
		{"system", a.OS + " " + a.Arch, b.OS + " " + b.Arch}, {"Go", a.Go, b.Go}, {"program", a.Version, b.Version},
		{"memory", knownSize(a.MemoryBytes), knownSize(b.MemoryBytes)}, {"command", a.Command, b.Command},
		{"date", a.Date.Format("2006-01-02 15:04"), b.Date.Format("2006-01-02 15:04")},
	} {
		if field.before != field.after {
			c.provenance = append(c.provenance, fmt.Sprintf("%s: %s before, %s now", field.name, orNone(field.before), orNone(field.after)))
		}
	}
	before := map[string]reportFigure{}
	for _, f := range old.figures() {
		before[f.name] = f
	}
	for _, f := range r.figures() {
		was, ok := before[f.name]
		if !ok {
			c.only++
			continue
		}
		delete(before, f.name)
		c.changes = append(c.changes, figureChange{f, was.value})
	}
	c.only += len(before)
	return c
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// steady is the ratio up to which two numbers are alike: the clock changes by that.
const steady = 1.1

// differing are the changes that are worth a line.
func (c reportChanges) differing() []figureChange {
	var some []figureChange
	for _, one := range c.changes {
		if ratio := one.ratio(); ratio > steady || ratio < 1/steady {
			some = append(some, one)
		}
	}
	return some
}

// sentences say how many figures are better and worse.
func (c reportChanges) sentences() []string {
	lines := append([]string{}, c.provenance...)
	if len(lines) == 0 {
		lines = []string{"the circumstances are the same"}
	}
	better, worse := 0, 0
	for _, one := range c.differing() {
		if one.ratio() > 1 {
			better++
		} else {
			worse++
		}
	}
	switch {
	case len(c.changes) == 0:
		lines = append(lines, "the two runs have no figure in common")
	case better+worse == 0:
		lines = append(lines, fmt.Sprintf("none of the %d figures in common differs by more than %.0f%%", len(c.changes), 100*(steady-1)))
	default:
		lines = append(lines, fmt.Sprintf("of %d figures in common %d are better by more than %.0f%% and %d worse", len(c.changes), better, 100*(steady-1), worse))
	}
	if c.only > 0 {
		lines = append(lines, fmt.Sprintf("%s in one of the runs only", plural(c.only, "figure")))
	}
	return lines
}

func (c reportChanges) rows() [][]string {
	var rows [][]string
	for _, one := range c.differing() {
		verdict := "worse"
		if one.ratio() > 1 {
			verdict = "better"
		}
		rows = append(rows, []string{
			one.name, fmt.Sprintf("%.3g %s", one.before, one.unit), fmt.Sprintf("%.3g %s", one.value, one.unit),
			fmt.Sprintf("%.2f times %s", math.Max(one.ratio(), 1/one.ratio()), verdict),
		})
	}
	return rows
}

func (c reportChanges) markdown() string {
	text := bullets(c.sentences())
	if rows := c.rows(); rows != nil {
		text += "\n" + markdownRows([]string{"figure", "before", "now", "change"}, rows)
	}
	return text
}

// text is the same for a terminal.
func (c reportChanges) text() string {
	var b strings.Builder
	for _, line := range c.sentences() {
		fmt.Fprintln(&b, line)
	}
	if rows := c.rows(); rows != nil {
		table := textTable{columns: []textColumn{{"figure", false}, {"before", true}, {"now", true}, {"change", true}}}
		for _, row := range rows {
			table.add(row...)
		}
		b.WriteString("\n")
		table.print(&b) // a strings.Builder takes everything
	}
	return b.String()
}
