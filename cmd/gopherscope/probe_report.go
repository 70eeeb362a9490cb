package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/opscope"
)

// probeReport is what a run found, and how it is told.
type probeReport struct {
	run        *probeRun
	lines      []probeLine // in the order of the files
	excluded   excludedTensors
	notReached []probeItem // when the run was interrupted
}

// add takes a line that was just made, and prints it with --json: at once and with
// one call, so that it is there whatever happens next.
func (r *probeReport) add(line probeLine) error {
	r.lines = append(r.lines, line)
	if line.Status == statusFailed {
		fmt.Fprintf(r.run.stderr, "gopherscope: %s\n", oneLine(line.failure()))
	}
	if !r.run.json {
		return nil
	}
	return writeError(printJSON(r.run.stdout, line))
}

// bytes is the size of the models in the report.
func (r *probeReport) bytes() int64 {
	var sum int64
	for _, line := range r.lines {
		sum += line.Bytes
	}
	return sum
}

// failures is an error if matrices could not be read, each of which was reported.
func (r *probeReport) failures() error {
	failed := 0
	for _, line := range r.lines {
		if line.Status == statusFailed {
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	return fmt.Errorf("%s could not be read", plural(failed, "matrix"))
}

// failure says why a matrix could not be read; most reasons name it already.
func (l *probeLine) failure() string {
	if strings.Contains(l.Reason, l.Tensor) {
		return l.Reason
	}
	return fmt.Sprintf("%s: tensor %s: %s", l.File, shortName(l.Tensor), l.Reason)
}

// end prints the report and writes the page. With --json the lines are out already.
func (r *probeReport) end() error {
	if len(r.lines) == 0 {
		return nil // interrupted before the first, or an empty part
	}
	slices.SortStableFunc(r.lines, func(a, b probeLine) int { return cmp.Compare(b.Bytes, a.Bytes) })
	plan, err := r.plan()
	if err != nil {
		// The matrices are probed, whatever the target: their table is worth having.
		return errors.Join(r.tell(nil), err)
	}
	return errors.Join(r.tell(plan), r.writePage(plan))
}

func (r *probeReport) tell(plan *modelPlan) error {
	switch {
	case r.run.json:
		return nil
	case r.run.csv:
		return writeError(r.printCSV(r.run.stdout, plan))
	}
	return writeError(r.print(r.run.stdout, plan))
}

// probed returns the lines that have a profile.
func (r *probeReport) probed() []*probeLine {
	var list []*probeLine
	for i := range r.lines {
		if r.lines[i].Profile != nil {
			list = append(list, &r.lines[i])
		}
	}
	return list
}

// activations tells whether the report is one of activations.
func (r *probeReport) activations() bool {
	probed := r.probed()
	return len(probed) > 0 && probed[0].Profile.Role == opscope.Activation
}

// headedTable is a table of the report.
type headedTable struct {
	heading string
	table   textTable
}

// tables are those of the report: the matrices and, where names differ only in their
// numbers, their kinds.
func (r *probeReport) tables(plan *modelPlan) []headedTable {
	if r.activations() {
		return []headedTable{{"Activations", r.activationTable()}}
	}
	tables := []headedTable{{"Matrices", r.weightTable(plan)}}
	if kinds := r.kinds(); len(kinds) < len(r.probed()) {
		tables = append(tables, headedTable{"Kinds", kindTable(kinds, plan)})
	}
	return tables
}

func (r *probeReport) weightTable(plan *modelPlan) textTable {
	table := textTable{columns: []textColumn{
		{"tensor", false}, {"dtype", false}, {"k x n", true}, {"bytes", true},
		{"int8", true}, {"int4 g32", true}, {"2:4", true}, {"zeros", true}, {"rank 10%", true}, {"outl.", true},
		{"action", false}, {"error", true}, {"after", true}, {"smaller", true}, {"x m=1", true}, {"x m=32", true},
	}}
	for _, line := range r.probed() {
		table.add(line.cells(plan.choice(line))...)
	}
	return table
}

// print writes the tables and the words below them.
func (r *probeReport) print(out io.Writer, plan *modelPlan) error {
	var b strings.Builder
	for _, t := range r.tables(plan) {
		if len(t.table.rows) == 0 {
			continue
		}
		if err := t.table.print(&b); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	if !r.activations() {
		r.printTotals(&b, plan)
	}
	r.printNotProbed(&b)
	r.printLayouts(&b)
	r.printNotes(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

// cells is the row of a line with an action.
func (l *probeLine) cells(c opscope.Choice) []string {
	f := figuresOf(l.Profile)
	row := []string{
		shortName(l.Tensor), shortName(l.DType), fmt.Sprintf("%d x %d", l.Profile.Rows, l.Profile.Cols), fileSize(l.Bytes),
		number("%.4f", f.int8), number("%.4f", f.int4), number("%.3f", f.sparse), number("%.1f%%", 100*f.zeros), f.rankText(), f.outliers,
		c.Name(), number("%.4f", c.Error), fileSize(c.Bytes), times(l.Bytes, c.Bytes),
	}
	for _, m := range []int{1, 32} {
		row = append(row, faster(c, m))
	}
	return row
}

// times is how many times smaller after is than before.
func times(before, after int64) string {
	if after == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(before)/float64(after))
}

// faster is the expected speed-up with m rows of x.
func faster(c opscope.Choice, m int) string {
	if !c.HasKernel && c.Action != opscope.KeepDense {
		return "none"
	}
	if e, ok := c.ExpectedAt(m); ok {
		return fmt.Sprintf("%.2f", e.Speedup)
	}
	return "-"
}

func (r *probeReport) printTotals(b *strings.Builder, plan *modelPlan) {
	var before, after, elements int64
	probed := r.probed()
	for _, line := range probed {
		before += line.Bytes
		after += plan.choice(line).Bytes
		elements += line.Elements
	}
	if len(probed) == 0 {
		return
	}
	fmt.Fprintf(b, "%s, %s values: %s, %.4g bits each; after the actions %s, %.4g bits, %s times smaller\n",
		plural(len(probed), "matrix"), shortCount(elements), fileSize(before), bitsPerWeight(before, elements),
		fileSize(after), bitsPerWeight(after, elements), times(before, after))
	actions, counts := countActions(probed, plan)
	slices.SortStableFunc(actions, func(x, y string) int { return counts[y] - counts[x] })
	fmt.Fprintf(b, "actions: %s\n", countedActions(actions, counts))
	if plan == nil {
		fmt.Fprintf(b, "budget: an error of %g in each matrix\n", r.run.budget)
	} else {
		b.WriteString(plan.words())
	}
}

// printNotProbed says what share of the values was not looked at, and why.
func (r *probeReport) printNotProbed(b *strings.Builder) {
	type group struct {
		reason   string
		names    []string
		elements int64
		bytes    int64
	}
	var groups []*group
	index := map[string]*group{}
	var all, missing int64
	for _, line := range r.lines {
		all += line.Elements
		if line.Profile != nil {
			continue
		}
		reason := line.Reason
		switch line.Status {
		case statusTied:
			all -= line.Elements // counted with the other
			reason = "the same bytes as another tensor, counted once"
		default:
			missing += line.Elements
		}
		g := index[reason]
		if g == nil {
			g = &group{reason: reason}
			index[reason] = g
			groups = append(groups, g)
		}
		name := line.Tensor
		if line.Status == statusTied {
			name += " = " + line.TiedTo
		}
		g.names = append(g.names, name)
		g.elements += line.Elements
		g.bytes += line.Bytes
	}
	if n := len(r.notReached); n > 0 {
		g := &group{reason: "not reached before the end"}
		for _, it := range r.notReached {
			if it.line.Status == statusTied {
				continue
			}
			g.names = append(g.names, it.line.Tensor)
			g.elements += it.line.Elements
			g.bytes += it.line.Bytes
		}
		groups = append(groups, g)
		all, missing = all+g.elements, missing+g.elements
	}
	all, missing = all+r.excluded.elements, missing+r.excluded.elements
	if part := r.run.shard; part != "" {
		fmt.Fprintf(b, "only part %s of the matrices; the others are not counted here\n", part)
	}
	fmt.Fprintf(b, "not probed: %s of %s values, %s\n", shortCount(missing), shortCount(all), shareText(missing, all))
	for _, g := range groups {
		fmt.Fprintf(b, "  %s, %s: %s: %s\n", plural(len(g.names), "tensor"), fileSize(g.bytes), oneLine(g.reason), some(g.names))
	}
	if e := r.excluded; e.tensors > 0 {
		fmt.Fprintf(b, "  %s, %s: left out by --include and --exclude\n", plural(e.tensors, "tensor"), fileSize(e.bytes))
	}
}

// shareText is a percentage that is 0 or 100 only where it is exactly so.
func shareText(part, all int64) string {
	if part == 0 || all == 0 {
		return "0%"
	}
	share := 100 * float64(part) / float64(all)
	switch {
	case share < 0.01:
		return "below 0.01%"
	case part < all && share > 99.99:
		return "above 99.99%"
	}
	return fmt.Sprintf("%.3g%%", share)
}

// printLayouts says which axes were taken, and why. Reasons that differ only in the
// names and numbers that they quote are told once.
func (r *probeReport) printLayouts(b *strings.Builder) {
	type group struct {
		axes, why string
		alike     bool // not all of it for the very same reason
		names     []string
	}
	var groups []*group
	index := map[[2]string]*group{}
	for _, line := range r.probed() {
		if line.Layout == "" {
			continue
		}
		key := [2]string{line.Layout, quotedOrNumber.ReplaceAllString(line.LayoutWhy, "*")}
		g := index[key]
		if g == nil {
			g = &group{axes: "[" + strings.ReplaceAll(line.Layout, ",", ", ") + "]", why: cmp.Or(line.LayoutWhy, "by --layout")}
			index[key] = g
			groups = append(groups, g)
		}
		g.alike = g.alike || line.LayoutWhy != g.why
		g.names = append(g.names, line.Tensor)
	}
	for _, g := range groups {
		which := plural(len(g.names), "matrix") + ": " + some(g.names)
		if len(groups) == 1 {
			which = "all matrices"
		}
		if g.alike && g.why != "by --layout" {
			which = "and so on: " + which
		}
		why := g.why
		if !strings.HasPrefix(why, g.axes) {
			why = g.axes + ": " + why
		}
		fmt.Fprintf(b, "layout %s: %s\n", oneLine(why), which)
	}
}

// quotedOrNumber is what one reason has and another like it has not.
var quotedOrNumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[0-9]+`)

// printNotes writes the notes of the profiles, those that many share once.
func (r *probeReport) printNotes(b *strings.Builder) {
	names := map[string][]string{}
	var notes []string
	for _, line := range r.probed() {
		for _, note := range line.Profile.Notes {
			if names[note] == nil {
				notes = append(notes, note)
			}
			names[note] = append(names[note], line.Tensor)
		}
	}
	for _, note := range notes {
		fmt.Fprintf(b, "%s: %s\n", some(names[note]), oneLine(note))
	}
}

// activationTable is the table of matrices that are activations.
func (r *probeReport) activationTable() textTable {
	table := textTable{columns: []textColumn{
		{"tensor", false}, {"dtype", false}, {"tokens x channels", true}, {"bytes", true},
		{"zeros", true}, {"int8", true}, {"kurtosis", true}, {"outl.", true},
		{"action", false}, {"work", true}, {"x m=1", true}, {"x m=32", true},
	}}
	for _, line := range r.probed() {
		p, f, c := line.Profile, figuresOf(line.Profile), line.choice()
		table.add(shortName(line.Tensor), shortName(line.DType), fmt.Sprintf("%d x %d", p.Rows, p.Cols), fileSize(line.Bytes),
			number("%.1f%%", 100*f.zeros), number("%.4f", p.QuantError(8, opscope.PerRow)), number("%.4g", p.Kurtosis), f.outliers,
			c.Name(), number("%.2f", c.Work), faster(c, 1), faster(c, 32))
	}
	return table
}
