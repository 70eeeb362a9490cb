package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rlx-go/gopherscope/charts"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// The classes of arithmetic.
const (
	classF32  = "f32"
	classBF16 = "bf16"
	classInt8 = "int8"
)

// wholeSuffix marks the products of a library in int8 that begin with float32.
const wholeSuffix = "-whole"

// A MatrixUnitResult holds what MatrixUnit measured, one run for each number of
// threads in ascending order.
type MatrixUnitResult struct {
	Runs []MatrixUnitRun `json:"runs"`
}

// A MatrixUnitRun is what one process measured.
type MatrixUnitRun struct {
	CPU       string              `json:"cpu"`
	Tier      string              `json:"tier"` // of our instructions
	Threads   int                 `json:"threads"`
	Libraries []MatrixUnitLibrary `json:"libraries"`
	Rows      []MatrixUnitRow     `json:"rows"`
}

// A MatrixUnitLibrary is one that was measured, or not.
type MatrixUnitLibrary struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	Core    string   `json:"core"`
	File    string   `json:"file"`
	Unused  string   `json:"unused"`  // why it was not measured, "" if it was
	Refused []string `json:"refused"` // schemes that were not, and why
}

// A MatrixUnitRow is the time of one product x[m,k] W[k,n].
type MatrixUnitRow struct {
	Scheme  string `json:"scheme"`
	Library string `json:"library"` // "" for ours
	Class   string `json:"class"`   // "f32", "bf16" or "int8"
	Impl    string `json:"impl"`
	M       int    `json:"m"`
	K       int    `json:"k"`
	N       int    `json:"n"`
	NS      int64  `json:"ns"` // a call, in the fastest round
	// WeightBytes is what a call reads of the weight.
	WeightBytes int64   `json:"weight_bytes"`
	Gops        float64 `json:"gops"` // 2mkn operations a call: GFLOP/s, or in int8 GOP/s
	// Peak is that of the class in the instructions that we use, measured in the same
	// rounds: a matrix unit can exceed it.
	Peak float64 `json:"peak"`
	Roof float64 `json:"roof"` // the fraction of Peak, or of what the bandwidth allows if that is less
	Err  float64 `json:"err"`  // relative L2 error against float64
	// Busy is how many processors a call of a library keeps busy, measured with the
	// largest m alone; 0 where that is not known.
	Busy float64 `json:"busy"`
}

// Merge returns the runs of both results in the order of their threads. It returns
// an error when they have a number of threads in common or are of different
// processors.
func (r MatrixUnitResult) Merge(other MatrixUnitResult) (MatrixUnitResult, error) {
	merged := MatrixUnitResult{slices.Concat(r.Runs, other.Runs)}
	slices.SortFunc(merged.Runs, func(a, b MatrixUnitRun) int { return a.Threads - b.Threads })
	for i, run := range merged.Runs[min(1, len(merged.Runs)):] {
		switch before := merged.Runs[i]; {
		case run.Threads == before.Threads:
			return MatrixUnitResult{}, fmt.Errorf("experiment: both results are of %d threads", run.Threads)
		case run.CPU != before.CPU || run.Tier != before.Tier:
			return MatrixUnitResult{}, fmt.Errorf("experiment: one result is of %s (%s), one of %s (%s)", before.CPU, before.Tier, run.CPU, run.Tier)
		}
	}
	return merged, nil
}

// time returns the nanoseconds of a product; 0 if it was not measured.
func (r *MatrixUnitRun) time(scheme string, s WeightShape, m int) float64 {
	for _, row := range r.Rows {
		if row.Scheme == scheme && row.K == s.K && row.N == s.N && row.M == m {
			return float64(row.NS)
		}
	}
	return 0
}

func (r *MatrixUnitRun) schemes() []string {
	return distinct(r.Rows, func(row MatrixUnitRow) string { return row.Scheme })
}

func (r *MatrixUnitRun) shapes() []WeightShape {
	return distinct(r.Rows, func(row MatrixUnitRow) WeightShape { return WeightShape{row.K, row.N} })
}

// rowCounts returns the numbers of rows of x.
func (r *MatrixUnitRun) rowCounts() []int {
	return distinct(r.Rows, func(row MatrixUnitRow) int { return row.M })
}

// Table returns the times in microseconds, a row for each number of threads, shape
// and number of rows, a column for each scheme.
func (r MatrixUnitResult) Table() charts.Table {
	t := charts.Table{Caption: "Time of a product in microseconds", Columns: []string{"threads", "k", "n", "m"}}
	for _, run := range r.Runs {
		for _, scheme := range run.schemes() {
			if !slices.Contains(t.Columns, scheme) {
				t.Columns = append(t.Columns, scheme)
			}
		}
	}
	for _, run := range r.Runs {
		for _, s := range run.shapes() {
			for _, m := range run.rowCounts() {
				cells := []any{run.Threads, s.K, s.N, m}
				for _, scheme := range t.Columns[4:] {
					if ns := run.time(scheme, s, m); ns > 0 {
						cells = append(cells, significant(ns/1000))
					} else {
						cells = append(cells, nil)
					}
				}
				t.Add(cells...)
			}
		}
	}
	return t
}

// Rates returns, for each scheme of each run, its highest rate, the share of the
// highest peak that was measured in the run, since what disturbs a run makes a peak
// lower, and its largest relative L2 error against float64.
func (r MatrixUnitResult) Rates() charts.Table {
	t := charts.Table{
		Caption: "Highest rate of each scheme; the peak is the highest of our vector instructions in the same run",
		Columns: []string{"threads", "scheme", "code", "Gop/s", "of peak", "error"},
	}
	for _, run := range r.Runs {
		for _, scheme := range run.schemes() {
			var best MatrixUnitRow
			var err float64
			for _, row := range run.Rows {
				if row.Scheme == scheme {
					err = max(err, row.Err)
					if row.Gops > best.Gops {
						best = row
					}
				}
			}
			t.Add(run.Threads, scheme, best.Impl, significant(best.Gops), fmt.Sprintf("%.0f%%", 100*best.Gops/run.peak(best.Class)), fmt.Sprintf("%.1e", err))
		}
	}
	return t
}

// A Crossover compares a scheme in int8 with one in float32 over the number of rows.
type Crossover struct {
	Threads   int
	Shape     WeightShape
	F32, Int8 string
	M         []int
	Speedup   []float64 // of int8 over float32, for each of M
	// At are the numbers of rows at which both take the same time, on the straight line
	// between the logarithms of the speed-ups over that of m.
	At []float64
}

// Crossovers compares every scheme in int8 with f32 of the same maker, and our w8a8
// with float32 of each library.
func (r MatrixUnitResult) Crossovers() []Crossover {
	var all []Crossover
	for _, run := range r.Runs {
		type pair struct{ f32, int8 string }
		var pairs []pair
		for _, f32 := range run.Rows {
			if f32.Class != classF32 {
				continue
			}
			for _, int8 := range run.Rows {
				p := pair{f32.Scheme, int8.Scheme}
				ours := f32.Library != "" && int8.Scheme == "w8a8"
				if int8.Class == classInt8 && (f32.Library == int8.Library || ours) && !slices.Contains(pairs, p) {
					pairs = append(pairs, p)
				}
			}
		}
		for _, s := range run.shapes() {
			for _, p := range pairs {
				c := Crossover{Threads: run.Threads, Shape: s, F32: p.f32, Int8: p.int8}
				var ms []float64
				for _, m := range run.rowCounts() {
					if a, b := run.time(p.f32, s, m), run.time(p.int8, s, m); a > 0 && b > 0 {
						c.M, c.Speedup = append(c.M, m), append(c.Speedup, a/b)
						ms = append(ms, float64(m))
					}
				}
				c.At = bench.Crossings(ms, c.Speedup)
				all = append(all, c)
			}
		}
	}
	return all
}

// String says where int8 is faster.
func (c Crossover) String() string {
	if len(c.Speedup) == 0 {
		return "not measured"
	}
	faster := c.Speedup[0] > 1
	if len(c.At) == 0 {
		if faster {
			return "faster at every m"
		}
		return "faster at no m"
	}
	text := ""
	for i, at := range c.At {
		if i > 0 {
			text += ", "
		}
		if faster {
			text += fmt.Sprintf("faster up to m = %.3g", at)
		} else {
			text += fmt.Sprintf("faster from m = %.3g", at)
		}
		faster = !faster
	}
	return text
}

// CrossoverTable returns Crossovers as a table with the speed-ups of int8.
func (r MatrixUnitResult) CrossoverTable() charts.Table {
	t := charts.Table{Caption: "Speed of int8 over float32", Columns: []string{"threads", "k", "n", "int8", "float32", "int8 is"}}
	all := r.Crossovers()
	var columns []int
	for _, c := range all {
		for _, m := range c.M {
			if !slices.Contains(columns, m) {
				columns = append(columns, m)
			}
		}
	}
	slices.Sort(columns)
	for _, m := range columns {
		t.Columns = append(t.Columns, fmt.Sprintf("m=%d", m))
	}
	for _, c := range all {
		cells := []any{c.Threads, c.Shape.K, c.Shape.N, c.Int8, c.F32, c.String()}
		for _, m := range columns {
			if i := slices.Index(c.M, m); i >= 0 {
				cells = append(cells, times(c.Speedup[i]))
			} else {
				cells = append(cells, nil)
			}
		}
		t.Add(cells...)
	}
	return t
}

// ThreadingTable returns how many times faster each scheme is with the most threads
// than with the fewest; a table without rows if there is one run.
func (r MatrixUnitResult) ThreadingTable() charts.Table {
	if len(r.Runs) < 2 {
		return charts.Table{}
	}
	few, many := r.Runs[0], r.Runs[len(r.Runs)-1]
	t := charts.Table{
		Caption: fmt.Sprintf("Speed with %d threads over that with %d", many.Threads, few.Threads),
		Columns: []string{"k", "n", "scheme"},
	}
	for _, m := range few.rowCounts() {
		t.Columns = append(t.Columns, fmt.Sprintf("m=%d", m))
	}
	for _, s := range few.shapes() {
		for _, scheme := range few.schemes() {
			cells := []any{s.K, s.N, scheme}
			for _, m := range few.rowCounts() {
				if a, b := few.time(scheme, s, m), many.time(scheme, s, m); a > 0 && b > 0 {
					cells = append(cells, times(a/b))
				} else {
					cells = append(cells, nil)
				}
			}
			t.Add(cells...)
		}
	}
	return t
}

// maxFigureSeries is how many lines can be told apart.
const maxFigureSeries = 10

// Figure shows the rates of the first shape with the fewest threads over the number
// of rows, and the peaks of our instructions.
func (r MatrixUnitResult) Figure() (*charts.Figure, error) {
	if len(r.Runs) == 0 || len(r.Runs[0].Rows) == 0 {
		return nil, fmt.Errorf("experiment: nothing was measured")
	}
	run := r.Runs[0]
	s := run.shapes()[0]
	line := charts.Line{
		Title: fmt.Sprintf("%s: W[%d,%d], threads: %d", run.CPU, s.K, s.N, run.Threads),
		X:     charts.Axis{Label: "rows of x", Log: true},
		Y:     charts.Axis{Label: "rate", Unit: "Gop/s", Log: true},
	}
	peaks := map[string]charts.Series{}
	for _, scheme := range run.schemes() {
		series := charts.Series{Name: scheme}
		for _, row := range run.Rows {
			if row.Scheme != scheme || row.K != s.K || row.N != s.N {
				continue
			}
			series.X, series.Y = append(series.X, float64(row.M)), append(series.Y, row.Gops)
			if scheme == "f32" || scheme == "w8a8" {
				peak := peaks[scheme]
				peak.Name, peak.Scheme, peak.Dashed = "peak of "+row.Class, scheme, true
				peak.X, peak.Y = append(peak.X, float64(row.M)), append(peak.Y, row.Peak)
				peaks[scheme] = peak
			}
		}
		if len(series.X) > 0 && len(line.Series) < maxFigureSeries && scheme != SchemeW8A8Q && !strings.HasSuffix(scheme, wholeSuffix) {
			line.Series = append(line.Series, series)
		}
	}
	for _, scheme := range []string{"f32", "w8a8"} {
		if peak, ok := peaks[scheme]; ok {
			line.Series = append(line.Series, peak)
		}
	}
	return line.Figure()
}

// significant rounds to three figures.
func significant(v float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}

// times writes a factor.
func times(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f×", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f×", v)
	}
	return fmt.Sprintf("%.2f×", v)
}
