package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rlx-go/gopherscope/charts"
	"github.com/rlx-go/gopherscope/opscope/transformer"
)

// An ErrorCompoundingResult holds what ErrorCompounding computed. Errors are relative L2
// errors over all tokens, against the forward pass in float32.
type ErrorCompoundingResult struct {
	Config          transformer.Config `json:"config"`
	Tokens          int                `json:"tokens"`
	Seeds           []uint64           `json:"seeds"`
	OutlierChannels int                `json:"outlier_channels"` // 0 if there is no variant with outliers
	OutlierFactor   float64            `json:"outlier_factor"`
	// StreamRMS is, for each seed, the root mean square of the residual stream of the
	// reference before the first layer and after each.
	StreamRMS [][]float64 `json:"stream_rms"`
	// Runs has for each seed one run of each recipe, and then one of each with outliers.
	Runs []CompoundingRun `json:"runs"`
}

// A CompoundingRun is a forward pass of one model with one recipe.
type CompoundingRun struct {
	Recipe   string `json:"recipe"`
	Outliers bool   `json:"outliers"`
	Seed     uint64 `json:"seed"`
	Impl     string `json:"impl"` // of the query's projection in the last layer
	// WeightBytes is what the layers read of their weights in a forward pass.
	WeightBytes int64 `json:"weight_bytes"`
	// Product is, for each layer, the root mean square of the errors of its seven
	// products, each with the input that it has in the reference.
	Product []float64 `json:"product"`
	// Added is, for each layer, the error of the stream after it when the stream before
	// it is that of the reference: what the layer adds.
	Added []float64 `json:"added"`
	// Stream is the error of the stream after each layer.
	Stream []float64 `json:"stream"`
	// Cosine, KL (of the recipe from the reference, in nats) and Top1 compare the logits
	// as the functions of package transformer do.
	Cosine float64 `json:"cosine"`
	KL     float64 `json:"kl"`
	Top1   float64 `json:"top1"`
}

// Independent returns what the error of the stream would be after each layer if those
// that the layers add were independent and each layer passed on what it gets in
// proportion: the square root of the sum of the squares of Added so far.
func (r CompoundingRun) Independent() []float64 {
	errors := make([]float64, len(r.Added))
	var sum float64
	for i, e := range r.Added {
		sum += e * e
		errors[i] = math.Sqrt(sum)
	}
	return errors
}

// runs returns those of a recipe, one for each seed.
func (r ErrorCompoundingResult) runs(recipe string, outliers bool) []CompoundingRun {
	var runs []CompoundingRun
	for _, run := range r.Runs {
		if run.Recipe == recipe && run.Outliers == outliers {
			runs = append(runs, run)
		}
	}
	return runs
}

// recipes returns their names in order.
func (r ErrorCompoundingResult) recipes() []string {
	var names []string
	for _, run := range r.Runs {
		if !slices.Contains(names, run.Recipe) {
			names = append(names, run.Recipe)
		}
	}
	return names
}

// summary holds the means over the seeds of a recipe.
type summary struct {
	recipe  string
	runs    int // 0 if there are none
	product float64
	middle  float64 // error of the stream halfway
	stream  float64 // after the last layer
	// deviation is that of stream over the seeds, 0 for one seed.
	deviation        float64
	independent      float64
	cosine, kl, top1 float64
	bytes            int64
}

func (r ErrorCompoundingResult) summary(recipe string, outliers bool) summary {
	runs := r.runs(recipe, outliers)
	s := summary{recipe: recipe, runs: len(runs)}
	if s.runs == 0 {
		return s
	}
	average := func(of func(CompoundingRun) float64) (mean, deviation float64) { return meanAndDeviation(runs, of) }
	s.bytes = runs[0].WeightBytes
	s.product, _ = average(func(run CompoundingRun) float64 {
		var sum float64
		for _, e := range run.Product {
			sum += e * e
		}
		return math.Sqrt(sum / float64(len(run.Product)))
	})
	s.middle, _ = average(func(run CompoundingRun) float64 { return run.Stream[max(1, len(run.Stream)/2)-1] })
	s.stream, s.deviation = average(func(run CompoundingRun) float64 { return last(run.Stream) })
	s.independent, _ = average(func(run CompoundingRun) float64 { return last(run.Independent()) })
	s.cosine, _ = average(func(run CompoundingRun) float64 { return run.Cosine })
	s.kl, _ = average(func(run CompoundingRun) float64 { return run.KL })
	s.top1, _ = average(func(run CompoundingRun) float64 { return run.Top1 })
	return s
}

func last(values []float64) float64 { return values[len(values)-1] }

// meanAndDeviation returns the mean of a figure and its sample standard deviation, 0
// for a single run.
func meanAndDeviation(runs []CompoundingRun, of func(CompoundingRun) float64) (mean, deviation float64) {
	for _, run := range runs {
		mean += of(run) / float64(len(runs))
	}
	if len(runs) < 2 {
		return mean, 0
	}
	for _, run := range runs {
		deviation += (of(run) - mean) * (of(run) - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(runs)-1))
}

// model describes the models in words.
func (r ErrorCompoundingResult) model() string {
	return fmt.Sprintf("%d layers of width %d with random weights, %d tokens", r.Config.Layers, r.Config.Hidden, r.Tokens)
}

// Table returns a row for each recipe, without outliers and with them: the bytes of the
// layers' weights, the errors of a product and of the stream, and what became of the
// logits. Figures are means over the seeds.
func (r ErrorCompoundingResult) Table() charts.Table {
	t := charts.Table{
		Caption: r.model() + ". Nothing here was trained, so the agreement of the likeliest next token says nothing about a trained model",
		Columns: []string{"recipe", "outliers", "MB", "error of a product", "stream, layer 1", fmt.Sprintf("stream, layer %d", r.Config.Layers)},
	}
	if len(r.Seeds) > 1 {
		t.Columns = append(t.Columns, fmt.Sprintf("± over %d seeds", len(r.Seeds)))
	}
	t.Columns = append(t.Columns, "of independent errors", "cosine of logits", "KL of logits, nats", "same next token")
	for _, outliers := range []bool{false, true} {
		for _, recipe := range r.recipes() {
			s := r.summary(recipe, outliers)
			if s.runs == 0 {
				continue
			}
			first, _ := meanAndDeviation(r.runs(recipe, outliers), func(run CompoundingRun) float64 { return run.Stream[0] })
			cells := []any{recipe, map[bool]string{false: "no", true: "yes"}[outliers], significant(float64(s.bytes) / 1e6), percent(s.product), percent(first), percent(s.stream)}
			if len(r.Seeds) > 1 {
				cells = append(cells, percent(s.deviation))
			}
			ratio := any(nil)
			if s.independent > 0 {
				ratio = times(s.stream / s.independent)
			}
			t.Add(append(cells, ratio, fmt.Sprintf("%.5f", s.cosine), fmt.Sprintf("%.1e", s.kl), fmt.Sprintf("%.0f%%", 100*s.top1))...)
		}
	}
	return t
}

// percent writes a fraction with two or three figures.
func percent(v float64) string {
	if v > 0 && v < 1e-4 {
		return fmt.Sprintf("%.1e%%", 100*v)
	}
	if v >= 9.995 {
		return fmt.Sprintf("%.0f%%", 100*v)
	}
	return fmt.Sprintf("%.3g%%", 100*v)
}

// Figure shows the error of the residual stream after each layer without outliers, and
// dashed what independent errors would give.
func (r ErrorCompoundingResult) Figure() (*charts.Figure, error) {
	return r.figure(false, "Error of the residual stream, "+r.model())
}

// OutlierFigure is Figure with outliers. It returns an error when there is no such
// variant.
func (r ErrorCompoundingResult) OutlierFigure() (*charts.Figure, error) {
	return r.figure(true, fmt.Sprintf("With %d channels %v times as large: error of the residual stream, random weights", r.OutlierChannels, r.OutlierFactor))
}

func (r ErrorCompoundingResult) figure(outliers bool, title string) (*charts.Figure, error) {
	line := charts.Line{
		Title: title,
		X:     charts.Axis{Label: "layer", Min: 1, Max: float64(max(2, r.Config.Layers))},
		Y:     charts.Axis{Label: "relative L2 error", Log: true},
	}
	add := func(recipe, name string, dashed bool, of func(CompoundingRun) []float64) {
		runs := r.runs(recipe, outliers)
		series := charts.Series{Name: name, Scheme: recipe, Dashed: dashed}
		for i := range r.Config.Layers {
			if len(runs) == 0 {
				return
			}
			mean, deviation := meanAndDeviation(runs, func(run CompoundingRun) float64 { return of(run)[i] })
			if mean == 0 { // an exact recipe, which a logarithmic axis does not have
				continue
			}
			series.X, series.Y = append(series.X, float64(i+1)), append(series.Y, mean)
			if len(runs) > 1 && !dashed {
				series.Low, series.High = append(series.Low, mean-deviation), append(series.High, mean+deviation)
			}
		}
		if n := len(series.X); n > 1 || n == 1 && !dashed { // one layer has nothing to dash
			line.Series = append(line.Series, series)
		}
	}
	recipes := r.recipes()
	for _, recipe := range recipes {
		add(recipe, recipe, false, func(run CompoundingRun) []float64 { return run.Stream })
	}
	if len(line.Series) == 0 {
		return nil, errors.New("experiment: no recipe has an error to show")
	}
	for _, recipe := range recipes {
		add(recipe, recipe+", independent errors", true, CompoundingRun.Independent)
	}
	return line.Figure()
}

// Markdown returns the verdict and the table.
func (r ErrorCompoundingResult) Markdown() string {
	return asMarkdown("How errors compound over layers", r.Verdict(), r.Table())
}

// MIMEBundle shows the result in a notebook: Markdown as "text/markdown", the verdict
// as "text/plain".
func (r ErrorCompoundingResult) MIMEBundle() map[string]any {
	return map[string]any{"text/markdown": r.Markdown(), "text/plain": r.Verdict()}
}
