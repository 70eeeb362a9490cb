package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/charts"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// A QuantizationResult holds what Quantization measured.
type QuantizationResult struct {
	// Errors are of Gaussian weights of ErrorShape, averages over so many Samples.
	ErrorShape WeightShape         `json:"error_shape"`
	Samples    int                 `json:"samples"`
	Errors     []QuantizationError `json:"errors"`
	// Outliers are errors with one channel OutlierFactor times as large as the others.
	OutlierFactor float64               `json:"outlier_factor"`
	Outliers      []QuantizationOutlier `json:"outliers"`
	// MaxError is the largest error of a product that is allowed.
	MaxError float64            `json:"max_error"`
	Cases    []QuantizationCase `json:"cases"`
}

// A QuantizationError is the relative L2 error of a weight in so many bits.
type QuantizationError struct {
	Bits int `json:"bits"`
	// Granularity is opscope.PerTensor, PerColumn (per output channel) or PerGroup, and
	// Group the number of elements along k that share a step, for PerGroup only.
	Granularity   opscope.Granularity `json:"granularity"`
	Group         int                 `json:"group"`
	BitsPerWeight float64             `json:"bits_per_weight"` // steps included
	Err           float64             `json:"err"`             // root mean square over the samples
	Spread        float64             `json:"spread"`          // standard deviation over the samples
	Theory        float64             `json:"theory"`          // see opscope.GaussianQuantError
}

// An Outlier says which channel is larger than the others.
type Outlier string

const (
	NoOutlier     Outlier = "none"
	OutputOutlier Outlier = "output channel" // a column of W[k,n]
	InputOutlier  Outlier = "input channel"  // a row of W[k,n]
)

// A QuantizationOutlier is the error of a weight with an outlier.
type QuantizationOutlier struct {
	Outlier     Outlier             `json:"outlier"`
	Bits        int                 `json:"bits"`
	Granularity opscope.Granularity `json:"granularity"`
	Group       int                 `json:"group"`
	Err         float64             `json:"err"`    // of the whole weight
	Others      float64             `json:"others"` // of the channels that are not outliers, relative to them alone
}

// A QuantizationCase holds the products x[m,k] W[k,n] of one shape and their limits,
// measured in the same rounds.
type QuantizationCase struct {
	Machine bench.Machine     `json:"machine"`
	M       int               `json:"m"`
	K       int               `json:"k"`
	N       int               `json:"n"`
	Rows    []QuantizationRow `json:"rows"`
}

// A QuantizationRow is the product by one scheme of QuantizationSchemes.
type QuantizationRow struct {
	Product
	// Theory is the error of Gaussian operands, but for the rounding of sums.
	Theory float64 `json:"theory"`
	// Pareto says that no other scheme is at least as good in bytes, time and error and
	// better in one of them.
	Pareto bool `json:"pareto"`
}

func (row QuantizationRow) scheme() string { return row.Scheme }

func (c QuantizationCase) shape() string { return fmt.Sprintf("%dx%dx%d", c.M, c.K, c.N) }

// Best returns the fastest scheme whose error is at most maxError, and the one of the fewest
// bytes, of those that take x in float32; nil if there is none.
func (c QuantizationCase) Best(maxError float64) (fast, small *QuantizationRow) {
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Err > maxError || row.Scheme == SchemeW8A8Q {
			continue
		}
		if fast == nil || row.NS < fast.NS {
			fast = row
		}
		if small == nil || row.Bytes < small.Bytes || row.Bytes == small.Bytes && row.Err < small.Err {
			small = row
		}
	}
	return fast, small
}

// row returns that of a scheme, nil if it was not measured.
func (c QuantizationCase) row(scheme string) *QuantizationRow {
	for i := range c.Rows {
		if c.Rows[i].Scheme == scheme {
			return &c.Rows[i]
		}
	}
	return nil
}

// speed is that of a scheme over f32, 0 if it was not measured.
func (c QuantizationCase) speed(scheme string) float64 {
	row, f32 := c.row(scheme), c.row("f32")
	if row == nil || f32 == nil {
		return 0
	}
	return row.speedOver(&f32.Product)
}

// schemes are those measured, f32 first.
func (r QuantizationResult) schemes() []string {
	var rows []QuantizationRow
	for _, c := range r.Cases {
		rows = append(rows, c.Rows...)
	}
	return distinct(rows, QuantizationRow.scheme)
}

func (r QuantizationResult) rowCounts() []int {
	return distinct(r.Cases, func(c QuantizationCase) int { return c.M })
}

// granularityName says which elements share a step.
func granularityName(g opscope.Granularity, group int) string {
	switch g {
	case opscope.PerTensor:
		return "per tensor"
	case opscope.PerColumn:
		return "per output channel"
	}
	return fmt.Sprintf("groups of %d", group)
}

// Table returns the products: a row for each case and scheme.
func (r QuantizationResult) Table() charts.Table {
	t := charts.Table{
		Caption: "Products by scheme: speed over f32 and fraction of the roof, measured in the same rounds",
		Columns: []string{"m", "k", "n", "scheme", "code", "µs", "over f32", "Gop/s", "GB/s", "of roof", "bits a weight", "error", "theory", "unbeaten"},
	}
	for _, c := range r.Cases {
		for _, row := range c.Rows {
			theory, unbeaten := any(nil), ""
			if row.Theory > 0 {
				theory = fmt.Sprintf("%.2e", row.Theory)
			}
			if row.Pareto {
				unbeaten = "yes"
			}
			t.Add(c.M, c.K, c.N, row.Scheme, row.Impl, significant(float64(row.NS)/1000), times(c.speed(row.Scheme)),
				significant(row.Gops), significant(float64(row.Bytes)/float64(row.NS)), shortPercent(row.Roof),
				significant(8*float64(row.Bytes)/(float64(c.K)*float64(c.N))), fmt.Sprintf("%.2e", row.Err), theory, unbeaten)
		}
	}
	return t
}

// ErrorTable returns the errors over the bits.
func (r QuantizationResult) ErrorTable() charts.Table {
	t := charts.Table{
		Caption: fmt.Sprintf("Error of Gaussian weights %v by symmetric absmax quantization, mean of %d", r.ErrorShape, r.Samples),
		Columns: []string{"bits", "step", "bits a weight", "error", "±", "theory"},
	}
	for _, e := range r.Errors {
		t.Add(e.Bits, granularityName(e.Granularity, e.Group), significant(e.BitsPerWeight), fmt.Sprintf("%.5f", e.Err), fmt.Sprintf("%.5f", e.Spread), fmt.Sprintf("%.5f", e.Theory))
	}
	return t
}

// OutlierTable returns the errors with an outlier.
func (r QuantizationResult) OutlierTable() charts.Table {
	t := charts.Table{
		Caption: fmt.Sprintf("Error of a Gaussian weight %v with one channel %.3g times as large", r.ErrorShape, r.OutlierFactor),
		Columns: []string{"outlier", "bits", "step", "error of all", "error of the other channels"},
	}
	for _, o := range r.Outliers {
		t.Add(string(o.Outlier), o.Bits, granularityName(o.Granularity, o.Group), shortPercent(o.Err), shortPercent(o.Others))
	}
	return t
}

// Figure shows the errors over the bits, with theory dashed beside them.
func (r QuantizationResult) Figure() (*charts.Figure, error) {
	line := charts.Line{
		Title: fmt.Sprintf("Error of Gaussian weights %v by bits and by what shares a step", r.ErrorShape),
		X:     charts.Axis{Label: "bits a code"},
		Y:     charts.Axis{Label: "relative L2 error", Unit: "%", Log: true},
	}
	var measured, theory []charts.Series
	for _, e := range r.Errors {
		name := granularityName(e.Granularity, e.Group)
		i := slices.IndexFunc(measured, func(s charts.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(measured)
			measured = append(measured, charts.Series{Name: name})
			theory = append(theory, charts.Series{Name: "theory, " + name, Scheme: name, Dashed: true})
		}
		m, t := &measured[i], &theory[i]
		m.X, m.Y = append(m.X, float64(e.Bits)), append(m.Y, 100*e.Err)
		m.Low, m.High = append(m.Low, 100*(e.Err-e.Spread)), append(m.High, 100*(e.Err+e.Spread))
		t.X, t.Y = append(t.X, float64(e.Bits)), append(t.Y, 100*e.Theory)
	}
	line.Series = append(measured, theory...)
	return line.Figure()
}

// SpeedFigure shows the speed over f32 of each scheme at one number of rows of x.
func (r QuantizationResult) SpeedFigure(m int) (*charts.Figure, error) {
	bar := charts.Bar{
		Title: fmt.Sprintf("Speed over f32, rows of x: %d", m),
		X:     charts.Axis{Label: "weight W[k,n]"},
		Y:     charts.Axis{Label: "speed over f32", Unit: "×"},
	}
	for _, scheme := range r.schemes() {
		series := charts.Series{Name: scheme}
		for _, c := range r.Cases {
			if c.M == m {
				series.Y = append(series.Y, c.speed(scheme))
			}
		}
		bar.Series = append(bar.Series, series)
	}
	for _, c := range r.Cases {
		if c.M == m {
			bar.Categories = append(bar.Categories, WeightShape{c.K, c.N}.String())
		}
	}
	return bar.Figure()
}

// ParetoFigure shows the error over the time of each scheme in the first case with so
// many rows of x; the labels give the bits a weight.
func (r QuantizationResult) ParetoFigure(m int) (*charts.Figure, error) {
	i := slices.IndexFunc(r.Cases, func(c QuantizationCase) bool { return c.M == m })
	if i < 0 {
		return nil, fmt.Errorf("experiment: no product with %d rows", m)
	}
	c := r.Cases[i]
	scatter := charts.Scatter{
		Title: fmt.Sprintf("Time and error of %s, with bits a weight", c.shape()),
		X:     charts.Axis{Label: "time of a call", Unit: "µs", Log: true},
		Y:     charts.Axis{Label: "relative L2 error", Unit: "%", Log: true},
	}
	for _, row := range c.Rows {
		if row.Err == 0 || row.Scheme == SchemeW8A8Q {
			continue // no place on a logarithmic axis, or not a whole product
		}
		scatter.Series = append(scatter.Series, charts.Series{
			Name: row.Scheme, X: []float64{float64(row.NS) / 1000}, Y: []float64{100 * row.Err},
			Labels: []string{fmt.Sprintf("%s, %.3g bits", row.Scheme, 8*float64(row.Bytes)/(float64(c.K)*float64(c.N)))},
		})
	}
	return scatter.Figure()
}

// RooflineFigure shows the rates in the first case with so many rows of x beside what
// the machine allows.
func (r QuantizationResult) RooflineFigure(m int) (*charts.Figure, error) {
	i := slices.IndexFunc(r.Cases, func(c QuantizationCase) bool { return c.M == m })
	if i < 0 {
		return nil, fmt.Errorf("experiment: no product with %d rows", m)
	}
	c := r.Cases[i]
	roofline := charts.Roofline{
		Title: fmt.Sprintf("Rates of %s and what the machine allows, threads: %d", c.shape(), c.Machine.Threads),
		Peaks: []charts.Limit{
			{Name: "peak of f32", Scheme: kernels.SchemeF32, Value: c.Machine.F32Peak},
			{Name: "peak of int8", Scheme: kernels.SchemeW8A8, Value: c.Machine.Int8Peak},
		},
	}
	for _, row := range c.Rows {
		if !slices.Contains(CacheSchemes(), row.Scheme) {
			continue // as many as can be told apart
		}
		intensity := 2 * float64(c.M) * float64(c.K) * float64(c.N) / float64(row.Bytes)
		roofline.Kernels = append(roofline.Kernels, charts.Series{Name: row.Scheme, X: []float64{intensity}, Y: []float64{row.Gops}, Labels: []string{row.Scheme}})
		if row.Scheme == "f32" || row.Scheme == "w8a16" {
			roofline.Bandwidths = append(roofline.Bandwidths, charts.Limit{Name: "reading as many bytes as " + row.Scheme, Value: c.Machine.ReadAt(row.Bytes)})
		}
	}
	return roofline.Figure()
}

// OutlierFigure shows the error of the channels that are not outliers at some bits.
func (r QuantizationResult) OutlierFigure(bits int) (*charts.Figure, error) {
	bar := charts.Bar{
		Title: fmt.Sprintf("One channel %.3g times as large: error of the others at %d bits", r.OutlierFactor, bits),
		X:     charts.Axis{Label: "outlier"},
		Y:     charts.Axis{Label: "relative L2 error", Unit: "%"},
	}
	for _, o := range r.Outliers {
		if o.Bits != bits {
			continue
		}
		if !slices.Contains(bar.Categories, string(o.Outlier)) {
			bar.Categories = append(bar.Categories, string(o.Outlier))
		}
		name := granularityName(o.Granularity, o.Group)
		i := slices.IndexFunc(bar.Series, func(s charts.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(bar.Series)
			bar.Series = append(bar.Series, charts.Series{Name: name})
		}
		bar.Series[i].Y = append(bar.Series[i].Y, 100*o.Others)
	}
	return bar.Figure()
}

// Markdown returns the verdict and the tables.
func (r QuantizationResult) Markdown() string {
	return asMarkdown("Quantization", r.Verdict(), r.Table(), r.ErrorTable(), r.OutlierTable())
}

// MIMEBundle shows the result in a notebook: Markdown as "text/markdown", the verdict as
// "text/plain".
func (r QuantizationResult) MIMEBundle() map[string]any {
	return map[string]any{"text/markdown": r.Markdown(), "text/plain": r.Verdict()}
}

// outlier returns the error of the channels that are not outliers; NaN if it was not
// measured.
func (r QuantizationResult) outlier(where Outlier, bits int, g opscope.Granularity) float64 {
	for _, o := range r.Outliers {
		if o.Outlier == where && o.Bits == bits && o.Granularity == g {
			return o.Others
		}
	}
	return math.NaN()
}

// error returns the error at some bits; NaN if it was not measured.
func (r QuantizationResult) error(bits int, g opscope.Granularity, group int) float64 {
	for _, e := range r.Errors {
		if e.Bits == bits && e.Granularity == g && e.Group == group {
			return e.Err
		}
	}
	return math.NaN()
}

// caseNames lists the shapes of cases.
func caseNames(cases []QuantizationCase) string {
	var names []string
	for _, c := range cases {
		names = append(names, c.shape())
	}
	return strings.Join(names, ", ")
}
