package experiment

import (
	"fmt"
	"strings"

	"github.com/rlx-go/gopherscope/charts"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// A LowRankResult holds what LowRank measured of a weight W[k,n].
type LowRankResult struct {
	// Machine holds the limits, measured in the same rounds.
	Machine bench.Machine `json:"machine"`
	Name    string        `json:"name"` // of the weight
	M       int           `json:"m"`
	K       int           `json:"k"`
	N       int           `json:"n"`
	// MaxError is the largest error of the weight that is allowed.
	MaxError float64 `json:"max_error"`
	// Spectral holds the singular values, or a sketch of them.
	Spectral   opscope.Spectral `json:"spectral"`
	StableRank float64          `json:"stable_rank"`
	// BreakEven is the largest rank whose factors hold fewer numbers than W.
	BreakEven int `json:"break_even"`
	// Needed is what the singular values tell of the rank that MaxError needs.
	Needed opscope.RankEstimate `json:"needed"`
	// Dense are the kernels that multiply by the whole weight.
	Dense []Product `json:"dense"`
	// Rows are in ascending order of rank.
	Rows []LowRankRow `json:"rows"`
}

// A LowRankRow is the time by factors of one rank. Err is that of the product with W.
type LowRankRow struct {
	Rank int `json:"rank"`
	// WeightErr is the relative L2 error of the factors, ‖W-UV‖/‖W‖.
	WeightErr float64 `json:"weight_err"`
	Product
}

// Best is the fastest kernel that multiplies by the whole weight.
func (r LowRankResult) Best() Product {
	if best := fastest(r.Dense); best != nil {
		return *best
	}
	return Product{}
}

// Within returns the fastest rank whose error is within MaxError; ok is false if none
// that was measured is.
func (r LowRankResult) Within() (row LowRankRow, ok bool) {
	for _, one := range r.Rows {
		if one.WeightErr <= r.MaxError && (!ok || one.NS < row.NS) {
			row, ok = one, true
		}
	}
	return row, ok
}

// Crossovers are the ranks at which the factors take as long as the best dense kernel;
// see bench.Crossings.
func (r LowRankResult) Crossovers() []float64 {
	best := r.Best()
	var ranks, speeds []float64
	for _, row := range r.Rows {
		ranks, speeds = append(ranks, float64(row.Rank)), append(speeds, row.speedOver(&best))
	}
	return bench.Crossings(ranks, speeds)
}

// Verdict says what the figures mean, a line for each answer: which rank the error
// needs beside the stable rank, whether that rank saves numbers, and whether it saves
// time.
func (r LowRankResult) Verdict() string {
	if len(r.Rows) == 0 || len(r.Dense) == 0 {
		return "Nothing was measured."
	}
	best := r.Best()
	lines := []string{
		on(r.Machine, fmt.Sprintf("x[%d,%d] W[%d,%d], W %s: the fastest dense kernel is %s (%s), %s, %s of the roof measured in the same rounds.",
			r.M, r.K, r.K, r.N, r.Name, best.Scheme, best.Impl, shortTime(float64(best.NS)), shortPercent(best.Roof))),
		r.rankSentence(), r.sizeSentence(), r.crossoverSentence(best), r.withinSentence(best),
	}
	return strings.Join(append(lines, disturbedBy(&best)...), "\n")
}

func (r LowRankResult) rankSentence() string {
	text := fmt.Sprintf("The stable rank is %.3g of %d; an error of at most %s needs rank %s", r.StableRank, min(r.K, r.N), shortPercent(r.MaxError), r.Needed)
	// The stable rank is at most the rank, so only more than it is a surprise.
	if float64(r.Needed.Low) > 2*r.StableRank {
		return text + fmt.Sprintf(", %.3g times as many: a low stable rank is not a low rank.", float64(r.Needed.Low)/r.StableRank)
	}
	return text + ": here the stable rank is near it."
}

func (r LowRankResult) sizeSentence() string {
	switch {
	case r.Needed.Low > r.BreakEven:
		return fmt.Sprintf("The break-even rank, up to which the factors hold fewer numbers than W, is %d: the rank needed is above it, so the factors would be larger than W.", r.BreakEven)
	case r.Needed.AtLeast || r.Needed.Rank > r.BreakEven:
		return fmt.Sprintf("The break-even rank, up to which the factors hold fewer numbers than W, is %d: whether the rank needed is below it is not known from this sketch of the singular values.", r.BreakEven)
	}
	whole, factors := float64(r.K)*float64(r.N), float64(r.Needed.Rank)*float64(r.K+r.N)
	return fmt.Sprintf("The break-even rank, up to which the factors hold fewer numbers than W, is %d: the rank needed is below it, and the factors are %.3g times smaller than W.", r.BreakEven, whole/factors)
}

func (r LowRankResult) crossoverSentence(best Product) string {
	first, last := r.Rows[0], r.Rows[len(r.Rows)-1]
	at := r.Crossovers()
	switch {
	case len(at) == 0 && first.NS < best.NS:
		return fmt.Sprintf("The factors are faster than %s at every rank measured, %d to %d.", best.Scheme, first.Rank, last.Rank)
	case len(at) == 0:
		return fmt.Sprintf("The factors are faster than %s at no rank measured: at rank %d they take %.3g times as long.", best.Scheme, first.Rank, float64(first.NS)/float64(best.NS))
	case len(at) > 1 || first.NS >= best.NS:
		return fmt.Sprintf("The time of the factors passes that of %s more than once, or from above, which a time that grows with the rank does not: the run was disturbed.", best.Scheme)
	}
	low, high := r.Spectral.TruncationError(int(at[0]))
	return fmt.Sprintf("The factors are faster than %s below rank %.3g, at which the error of the weight is %s.", best.Scheme, at[0], between2(low, high))
}

func (r LowRankResult) withinSentence(best Product) string {
	row, ok := r.Within()
	switch speed := row.speedOver(&best); {
	case !ok:
		return fmt.Sprintf("No rank that was measured has an error of at most %s: keep the weight dense.", shortPercent(r.MaxError))
	case speed > 1:
		return fmt.Sprintf("Rank %d is within an error of %s (its own is %s) and %s: factor this weight.", row.Rank, shortPercent(r.MaxError), shortPercent(row.WeightErr), compared(speed, best.Scheme))
	default:
		return fmt.Sprintf("No rank within an error of %s is faster: the fastest of them, rank %d, %s. Keep the weight dense.", shortPercent(r.MaxError), row.Rank, compared(speed, best.Scheme))
	}
}

// between2 writes what lies between two errors.
func between2(low, high float64) string {
	a, b := shortPercent(low), shortPercent(high)
	if a == b {
		return a
	}
	return a + " to " + b
}

// Table returns a row for each dense kernel and each rank.
func (r LowRankResult) Table() charts.Table {
	t := charts.Table{
		Caption: fmt.Sprintf("Factors of W[%d,%d], %s, with x[%d,%d]", r.K, r.N, r.Name, r.M, r.K),
		Columns: []string{"kernel", "rank", "least error", "error of W", "error of y", "bytes of W", "µs", "GFLOP/s", "of roof"},
	}
	for _, d := range r.Dense {
		t.Columns = append(t.Columns, "over "+d.Scheme)
	}
	add := func(p Product, rank, least, weight any) {
		cells := []any{p.Scheme, rank, least, weight, fmt.Sprintf("%.1e", p.Err), p.Bytes, significant(float64(p.NS) / 1000), significant(p.Gops), shortPercent(p.Roof)}
		for i := range r.Dense {
			cells = append(cells, times(p.speedOver(&r.Dense[i])))
		}
		t.Add(cells...)
	}
	for _, d := range r.Dense {
		add(d, nil, nil, nil)
	}
	for _, row := range r.Rows {
		low, high := r.Spectral.TruncationError(row.Rank)
		add(row.Product, row.Rank, between2(low, high), shortPercent(row.WeightErr))
	}
	return t
}

// Figure shows the speed of each rank over the best dense kernel.
func (r LowRankResult) Figure() (*charts.Figure, error) {
	best := r.Best()
	speed, even := charts.Series{Name: kernels.SchemeLowRank}, charts.Series{Name: best.Scheme, Dashed: true}
	for _, row := range r.Rows {
		speed.X, speed.Y = append(speed.X, float64(row.Rank)), append(speed.Y, row.speedOver(&best))
		even.X, even.Y = append(even.X, float64(row.Rank)), append(even.Y, 1)
	}
	return charts.Line{
		Title:  fmt.Sprintf("Speed of factors over %s: x[%d,%d], W[%d,%d]", best.Scheme, r.M, r.K, r.K, r.N),
		X:      charts.Axis{Label: "rank of the factors", Log: true},
		Y:      charts.Axis{Label: "speed over " + best.Scheme, Unit: "×", Log: true},
		Series: []charts.Series{speed, even},
	}.Figure()
}

// ErrorFigure shows the least error that any factors of a rank have, by the singular
// values, and that of the factors measured.
func (r LowRankResult) ErrorFigure() (*charts.Figure, error) {
	theory := charts.Series{Name: "least possible (Eckart and Young)", Scheme: kernels.SchemeLowRank, Dashed: true}
	upper := charts.Series{Name: "bound of the sketch", Scheme: kernels.SchemeDense, Dashed: true}
	for _, p := range r.Spectral.TruncationCurve() {
		if p.Rank == 0 {
			continue // not on a logarithmic axis, which shows few ranks as well as many
		}
		theory.X, theory.Y = append(theory.X, float64(p.Rank)), append(theory.Y, 100*p.Low)
		upper.X, upper.Y = append(upper.X, float64(p.Rank)), append(upper.Y, 100*p.High)
	}
	measured := charts.Series{Name: "factors measured", Scheme: kernels.SchemeLowRank}
	allowed := charts.Series{Name: "allowed", Scheme: kernels.SchemeF32, Dashed: true}
	for _, row := range r.Rows {
		measured.X, measured.Y = append(measured.X, float64(row.Rank)), append(measured.Y, 100*row.WeightErr)
	}
	full := float64(max(2, min(r.K, r.N))) // an axis has two ends
	allowed.X, allowed.Y = []float64{1, full}, []float64{100 * r.MaxError, 100 * r.MaxError}
	series := []charts.Series{measured, allowed}
	if len(theory.X) > 1 { // a weight of one row has no other rank
		series = []charts.Series{measured, theory, allowed}
		if !r.Spectral.Exact {
			series = append(series, upper)
		}
	}
	return charts.Scatter{
		Title:  fmt.Sprintf("Error of W[%d,%d], %s, by the rank of its factors", r.K, r.N, r.Name),
		X:      charts.Axis{Label: "rank of the factors", Log: true, Min: 1, Max: full},
		Y:      charts.Axis{Label: "relative L2 error of W", Unit: "%"},
		Series: series,
	}.Figure()
}

// SpectrumFigure shows the singular values.
func (r LowRankResult) SpectrumFigure() (*charts.Figure, error) {
	values := charts.Series{Name: r.Name, Scheme: kernels.SchemeLowRank}
	for i, v := range r.Spectral.Values {
		values.X, values.Y = append(values.X, float64(i+1)), append(values.Y, v)
	}
	return charts.Line{
		Title:  fmt.Sprintf("Singular values of W[%d,%d], %s", r.K, r.N, r.Name),
		X:      charts.Axis{Label: "index of the singular value"},
		Y:      charts.Axis{Label: "singular value"},
		Series: []charts.Series{values},
	}.Figure()
}

// Markdown returns the verdict and the table.
func (r LowRankResult) Markdown() string {
	return asMarkdown("Low-rank weights", r.Verdict(), r.Table())
}

// MIMEBundle shows the result in a notebook: Markdown as "text/markdown", the verdict as
// "text/plain".
func (r LowRankResult) MIMEBundle() map[string]any {
	return map[string]any{"text/markdown": r.Markdown(), "text/plain": r.Verdict()}
}
