package main

import (
	"fmt"

	"github.com/rlx-go/gopherscope/internal/bytesize"
	"github.com/rlx-go/gopherscope/opscope"
)

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

// cells is the row of a line with an action.
func (l *probeLine) cells(c opscope.Choice) []string {
	f := figuresOf(l.Profile)
	row := []string{
		shortName(l.Tensor), shortName(l.DType), fmt.Sprintf("%d x %d", l.Profile.Rows, l.Profile.Cols), bytesize.Decimal(l.Bytes),
		number("%.4f", f.int8), number("%.4f", f.int4), number("%.3f", f.sparse), number("%.1f%%", 100*f.zeros), f.rankText(), f.outliers,
		c.Name(), number("%.4f", c.Error), bytesize.Decimal(c.Bytes), times(l.Bytes, c.Bytes),
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

// activationTable is the table of matrices that are activations.
func (r *probeReport) activationTable() textTable {
	table := textTable{columns: []textColumn{
		{"tensor", false}, {"dtype", false}, {"tokens x channels", true}, {"bytes", true},
		{"zeros", true}, {"int8", true}, {"kurtosis", true}, {"outl.", true},
		{"action", false}, {"work", true}, {"x m=1", true}, {"x m=32", true},
	}}
	for _, line := range r.probed() {
		p, f, c := line.Profile, figuresOf(line.Profile), line.choice()
		table.add(shortName(line.Tensor), shortName(line.DType), fmt.Sprintf("%d x %d", p.Rows, p.Cols), bytesize.Decimal(line.Bytes),
			number("%.1f%%", 100*f.zeros), number("%.4f", p.QuantError(8, opscope.PerRow)), number("%.4g", p.Kurtosis), f.outliers,
			c.Name(), number("%.2f", c.Work), faster(c, 1), faster(c, 32))
	}
	return table
}
