package experiment

import (
	"fmt"
	"strings"

	"github.com/rlx-go/gopherscope/charts"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// A SparseResult holds what Sparse measured of x[m,k] W[k,n].
type SparseResult struct {
	// Machine holds the limits, measured in the same rounds.
	Machine bench.Machine `json:"machine"`
	M       int           `json:"m"`
	K       int           `json:"k"`
	N       int           `json:"n"`
	// Dense are the kernels that multiply by zeros too.
	Dense []Product `json:"dense"`
	// Rows are in ascending order of density.
	Rows []SparseRow `json:"rows"`
}

// A SparseRow is the time with x of one density. Its operations are those that are
// made.
type SparseRow struct {
	Density float64 `json:"density"` // the share of x that is not zero
	Probed  float64 `json:"probed"`  // the same, as the probe finds it
	// Recommended says that skipping the zeros is what opscope.Recommend lists first.
	Recommended bool `json:"recommended"`
	Product
}

// Best is the fastest dense kernel.
func (r SparseResult) Best() Product {
	if best := fastest(r.Dense); best != nil {
		return *best
	}
	return Product{}
}

// Crossovers are the densities at which skipping zeros takes as long as the best dense
// kernel; see bench.Crossings. There is one where the time grows with the density, unless
// skipping is faster, or slower, everywhere.
func (r SparseResult) Crossovers() []float64 {
	best := r.Best()
	var densities, speeds []float64
	for _, row := range r.Rows {
		densities, speeds = append(densities, row.Density), append(speeds, row.speedOver(&best))
	}
	return bench.Crossings(densities, speeds)
}

// Verdict says what the figures mean, a line for each answer: the speed of the best
// dense kernel, up to which density skipping zeros is faster, what it gains, whether it
// is exact, and whether the recommendation was right.
func (r SparseResult) Verdict() string {
	if len(r.Rows) == 0 || len(r.Dense) == 0 {
		return "Nothing was measured."
	}
	best := r.Best()
	lines := []string{on(r.Machine, fmt.Sprintf("x[%d,%d] W[%d,%d]: the fastest dense kernel is %s (%s), %s, %s of the roof measured in the same rounds.",
		r.M, r.K, r.K, r.N, best.Scheme, best.Impl, shortTime(float64(best.NS)), shortPercent(best.Roof)))}
	lines = append(lines, r.crossoverSentence(best), r.gainSentence(best), r.exactSentence(best))
	lines = append(lines, r.recommendationSentence(best))
	lines = append(lines, disturbedBy(&best)...)
	return strings.Join(lines, "\n")
}

func (r SparseResult) crossoverSentence(best Product) string {
	first, last := r.Rows[0], r.Rows[len(r.Rows)-1]
	at := r.Crossovers()
	switch {
	case len(at) == 0 && first.NS < best.NS:
		return fmt.Sprintf("Skipping zeros is faster than %s at every density measured, %s to %s.", best.Scheme, shortPercent(first.Density), shortPercent(last.Density))
	case len(at) == 0:
		return fmt.Sprintf("Skipping zeros is not faster than %s at any density measured: at %s it takes %.2f times as long.", best.Scheme, shortPercent(first.Density), float64(first.NS)/float64(best.NS))
	case len(at) > 1:
		var all []string
		for _, density := range at {
			all = append(all, shortPercent(density))
		}
		return fmt.Sprintf("Skipping zeros and %s take the same time at several densities, %s, which a time that grows with the density does not: the run was disturbed.", best.Scheme, strings.Join(all, ", "))
	case first.NS < best.NS:
		return fmt.Sprintf("Skipping zeros is faster than %s below a density of %s and slower above it.", best.Scheme, shortPercent(at[0]))
	}
	return fmt.Sprintf("Skipping zeros is slower than %s below a density of %s and faster above it, which is odd: the run was disturbed.", best.Scheme, shortPercent(at[0]))
}

// gainSentence gives the speed at the density nearest to 10%.
func (r SparseResult) gainSentence(best Product) string {
	row := r.Rows[0]
	for _, other := range r.Rows {
		if abs(other.Density-0.1) < abs(row.Density-0.1) {
			row = other
		}
	}
	text := fmt.Sprintf("At a density of %s it %s; the work alone would allow %.3g times the speed", shortPercent(row.Density), compared(row.speedOver(&best), best.Scheme), 1/row.Density)
	for _, d := range r.Dense {
		if d.Scheme == kernels.SchemeDense && d.Scheme != best.Scheme {
			text += fmt.Sprintf(". Over the plain loop its speed is %s times", factor(row.speedOver(&d)))
		}
	}
	return text + "."
}

func (r SparseResult) exactSentence(best Product) string {
	worst := 0.0
	for _, row := range r.Rows {
		worst = max(worst, row.Err)
	}
	// Rounding differs with the order of the sums, by less than this.
	if worst <= 10*best.Err {
		return fmt.Sprintf("It is exact but for the rounding of sums: its largest error against float64 is %.1e, that of %s %.1e.", worst, best.Scheme, best.Err)
	}
	return fmt.Sprintf("It is NOT exact: its largest error against float64 is %.1e, that of %s %.1e.", worst, best.Scheme, best.Err)
}

// recommendationSentence compares the recommendation with what was measured.
func (r SparseResult) recommendationSentence(best Product) string {
	var wrong []string
	for _, row := range r.Rows {
		if pays := row.NS < best.NS; row.Recommended != pays {
			is := "skipping recommended, but slower"
			if pays {
				is = "skipping not recommended, but faster"
			}
			wrong = append(wrong, fmt.Sprintf("%s (%s, %.2f times the speed)", shortPercent(row.Density), is, row.speedOver(&best)))
		}
	}
	if wrong == nil {
		return fmt.Sprintf("What opscope recommends is the faster one at all of the %d densities.", len(r.Rows))
	}
	return fmt.Sprintf("What opscope recommends is the faster one at %d of the %d densities, and is not at %s.", len(r.Rows)-len(wrong), len(r.Rows), strings.Join(wrong, ", "))
}

func abs(v float64) float64 { return max(v, -v) }

// Table returns a row for each density and for each dense kernel, with the speed over
// each of these.
func (r SparseResult) Table() charts.Table {
	t := charts.Table{
		Caption: fmt.Sprintf("Skipping zeros of x[%d,%d], W[%d,%d]", r.M, r.K, r.K, r.N),
		Columns: []string{"kernel", "density", "probed", "recommended", "µs", "GFLOP/s", "of roof"},
	}
	for _, d := range r.Dense {
		t.Columns = append(t.Columns, "over "+d.Scheme)
	}
	t.Columns = append(t.Columns, "error")
	add := func(p Product, density, probed, recommended any) {
		cells := []any{p.Scheme, density, probed, recommended, significant(float64(p.NS) / 1000), significant(p.Gops), shortPercent(p.Roof)}
		for i := range r.Dense {
			cells = append(cells, times(p.speedOver(&r.Dense[i])))
		}
		t.Add(append(cells, fmt.Sprintf("%.1e", p.Err))...)
	}
	for _, d := range r.Dense {
		add(d, nil, nil, nil)
	}
	for _, row := range r.Rows {
		recommended := "keep dense"
		if row.Recommended {
			recommended = "skip zeros"
		}
		add(row.Product, shortPercent(row.Density), shortPercent(row.Probed), recommended)
	}
	return t
}

// Figure shows the time over the density beside that of the best dense kernel.
func (r SparseResult) Figure() (*charts.Figure, error) {
	skip := charts.Series{Name: kernels.SchemeSkipZeros}
	best := r.Best()
	dense := charts.Series{Name: "best dense kernel, " + best.Scheme, Scheme: best.Scheme, Dashed: true}
	for _, row := range r.Rows {
		skip.X, skip.Y = append(skip.X, 100*row.Density), append(skip.Y, float64(row.NS)/1000)
		dense.X, dense.Y = append(dense.X, 100*row.Density), append(dense.Y, float64(best.NS)/1000)
	}
	return charts.Line{
		Title:  fmt.Sprintf("Time of x[%d,%d] W[%d,%d] by the density of x", r.M, r.K, r.K, r.N),
		X:      charts.Axis{Label: "density of x", Unit: "%"},
		Y:      charts.Axis{Label: "time of a call", Unit: "µs"},
		Series: []charts.Series{skip, dense},
	}.Figure()
}

// Markdown returns the verdict and the table.
func (r SparseResult) Markdown() string {
	return asMarkdown("Sparse activations", r.Verdict(), r.Table())
}

// MIMEBundle shows the result in a notebook: Markdown as "text/markdown", the verdict as
// "text/plain".
func (r SparseResult) MIMEBundle() map[string]any {
	return map[string]any{"text/markdown": r.Markdown(), "text/plain": r.Verdict()}
}
