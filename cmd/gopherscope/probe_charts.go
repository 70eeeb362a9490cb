package main

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/charts"
)

// What one chart can hold.
const (
	maxChartKinds  = 8
	maxChartBars   = 20
	maxSpectra     = 6
	spectrumPoints = 300
)

// charts makes the figures of the page, and what they need once. A figure that cannot be
// drawn is a sentence that says why.
func (r *probeReport) charts(plan *modelPlan) (sections []pageSection, prelude template.HTML) {
	add := func(heading string, figures []*charts.Figure, words string, err error) {
		if err != nil {
			words = strings.TrimSpace(words + " Not drawn: " + err.Error() + ".")
		}
		s := pageSection{Heading: heading, Words: words}
		for _, f := range figures {
			s.Figures = append(s.Figures, template.HTML(f.MIMEBundle()["text/html"].(string)))
			_, library := f.MIMEPrelude()
			prelude = template.HTML(library)
		}
		if len(figures) > 0 || err != nil {
			sections = append(sections, s)
		}
	}
	errors, words, err := r.errorCharts()
	add("Error by layer and kind", errors, words, err)
	size, words, err := r.paretoChart(plan)
	add("Size against error", size, words, err)
	spectra, words, err := r.spectraChart()
	add("Singular values", spectra, words, err)
	return sections, prelude
}

// measuredErrors are those that the charts of errors show.
var measuredErrors = []struct {
	title  string
	scheme string
	value  func(probeFigures) float64
}{
	{"int8, a scale for each output channel", "int8", func(f probeFigures) float64 { return f.int8 }},
	{"int4, a scale for each 32 inputs", "int4", func(f probeFigures) float64 { return f.int4 }},
}

// errorCharts draws a line over the layers for each kind, or over the experts of one that
// is in no layer, and bars of what is neither.
func (r *probeReport) errorCharts() ([]*charts.Figure, string, error) {
	over := map[string][]*weightKind{}
	var single []*probeLine
	for _, k := range r.kinds() {
		if counts, n := k.numbers(); n >= 2 {
			over[counts] = append(over[counts], k)
		} else {
			single = append(single, k.lines...)
		}
	}
	var words []string
	var figures []*charts.Figure
	for _, axis := range []struct{ counts, words, more string }{
		{layerNumber, "Lines over layers: the largest error of a kind in a layer.", "have layers"},
		{expertNumber, "Lines over experts: the error of each expert of a stack that is in no layer.", "have experts"},
	} {
		kinds := over[axis.counts]
		if len(kinds) == 0 {
			continue
		}
		words = append(words, axis.words)
		if n := len(kinds) - maxChartKinds; n > 0 {
			words = append(words, fmt.Sprintf("They are the %d kinds with the most bytes; %d more %s.", maxChartKinds, n, axis.more))
			kinds = kinds[:maxChartKinds]
		}
		for _, m := range measuredErrors {
			chart := charts.Line{Title: "Error of " + m.title, X: charts.Axis{Label: axis.counts}, Y: charts.Axis{Label: "relative error"}}
			for _, k := range kinds {
				if s := k.overNumbers(m.value); len(s.X) > 0 {
					chart.Series = append(chart.Series, s)
				}
			}
			if len(chart.Series) == 0 {
				continue
			}
			figure, err := chart.Figure()
			if err != nil {
				return nil, "", err
			}
			figures = append(figures, figure)
		}
	}
	bars, more, err := errorBars(single)
	if bars != nil {
		figures = append(figures, bars)
		words = append(words, more)
	}
	return figures, strings.Join(words, " "), err
}

// numbers tells what the numbers of a kind count, and how many different ones there are.
func (k *weightKind) numbers() (counts string, different int) {
	seen := map[int]bool{}
	for _, line := range k.lines {
		_, number, is := splitLayer(line.Tensor)
		if counts = is; is != "" {
			seen[number] = true
		}
	}
	return counts, len(seen)
}

// overNumbers is the largest value at each number.
func (k *weightKind) overNumbers(value func(probeFigures) float64) charts.Series {
	most := map[int]float64{}
	for _, line := range k.lines {
		v := value(figuresOf(line.Profile))
		if _, number, counts := splitLayer(line.Tensor); counts != "" && !math.IsNaN(v) {
			most[number] = max(most[number], v)
		}
	}
	s := charts.Series{Name: chartName(k.name)}
	for number := range most {
		s.X = append(s.X, float64(number))
	}
	slices.Sort(s.X)
	for _, x := range s.X {
		s.Y = append(s.Y, most[int(x)])
	}
	return s
}

// errorBars draws the errors of weights that are in no layer, or nothing if there are
// none.
func errorBars(lines []*probeLine) (*charts.Figure, string, error) {
	chart := charts.Bar{
		Title: "Error of int8 a channel and of int4 a group of 32", X: charts.Axis{Label: "tensor"}, Y: charts.Axis{Label: "relative error"},
		Series: []charts.Series{{Name: "int8"}, {Name: "int4"}}, Horizontal: true,
	}
	left, seen := 0, map[string]bool{}
	for _, line := range lines {
		f, name := figuresOf(line.Profile), chartName(line.Tensor)
		switch {
		case math.IsNaN(f.int8) || math.IsNaN(f.int4) || seen[name]:
			continue
		case len(chart.Categories) == maxChartBars:
			left++
			continue
		}
		seen[name] = true
		chart.Categories = append(chart.Categories, name)
		chart.Series[0].Y = append(chart.Series[0].Y, f.int8)
		chart.Series[1].Y = append(chart.Series[1].Y, f.int4)
	}
	if len(chart.Categories) == 0 {
		return nil, "", nil
	}
	words := "Bars: the tensors that are neither in one of several layers nor experts."
	if left > 0 {
		words += fmt.Sprintf(" They are the %d largest; %d are smaller.", maxChartBars, left)
	}
	figure, err := chart.Figure()
	return figure, words, err
}

// paretoChart draws the error of the best plan found for each size.
func (r *probeReport) paretoChart(plan *modelPlan) ([]*charts.Figure, string, error) {
	points, err := r.pareto()
	if err != nil || len(points) < 2 {
		return nil, "", err
	}
	best := charts.Series{Name: "best plan found"}
	for _, p := range points {
		if p.rms > 0 {
			best.X, best.Y = append(best.X, p.bits), append(best.Y, p.rms)
		}
	}
	if len(best.X) < 2 {
		return nil, "", nil
	}
	name := fmt.Sprintf("recommended within %g", r.run.budget)
	if plan != nil {
		name = "this plan"
	}
	bits, rms := r.chosen(plan)
	chart := charts.Line{
		Title: "What a smaller model costs", X: charts.Axis{Label: "size", Unit: "bits/weight"}, Y: charts.Axis{Label: "relative error", Log: true},
		Series: []charts.Series{best},
	}
	if rms > 0 { // a logarithm has no place for the model as it is
		chart.Series = append(chart.Series, charts.Series{Name: name, X: []float64{bits}, Y: []float64{rms}})
	}
	figure, err := chart.Figure()
	if err != nil {
		return nil, "", err
	}
	return []*charts.Figure{figure}, "The error is the root mean square of the errors of the matrices, each counted as often as it has values. " +
		"It is the error of the weights, not of the model.", nil
}

// chosen is the size and the error of the actions in the report.
func (r *probeReport) chosen(plan *modelPlan) (bits, rms float64) {
	var bytes, elements int64
	var sum float64
	for _, line := range r.probed() {
		c := plan.choice(line)
		bytes += c.Bytes
		elements += line.Elements
		sum += float64(line.Elements) * c.Error * c.Error
	}
	return bitsPerWeight(bytes, elements), math.Sqrt(sum / float64(elements))
}

// spectraChart draws the singular values of some weights.
func (r *probeReport) spectraChart() ([]*charts.Figure, string, error) {
	chart := charts.Line{
		Title: "Singular values over the largest", X: charts.Axis{Label: "place", Log: true}, Y: charts.Axis{Label: "σ / σ₁", Log: true},
	}
	sketched, seen := false, map[string]bool{}
	for _, line := range r.spectraLines() {
		s := spectrumSeries(line)
		if len(s.X) < 2 || seen[s.Name] {
			continue
		}
		seen[s.Name] = true
		chart.Series = append(chart.Series, s)
		sketched = sketched || !line.Profile.Spectral.Exact
	}
	if len(chart.Series) == 0 {
		return nil, "", nil
	}
	words := "A spectrum that falls fast can be cut off: its matrix is close to one of low rank. One that stays flat cannot."
	if sketched {
		words += " Of large matrices these are the leading values that the sketch found, each a lower bound."
	}
	figure, err := chart.Figure()
	return []*charts.Figure{figure}, words, err
}

// spectraLines are the weights whose spectra are shown: those that --spectra names, or
// the largest of each kind.
func (r *probeReport) spectraLines() []*probeLine {
	var list []*probeLine
	if len(r.run.showSpectra) > 0 {
		for _, line := range r.probed() {
			if matchAny(r.run.showSpectra, line.Tensor) {
				list = append(list, line)
			}
		}
	} else {
		for _, k := range r.kinds() {
			list = append(list, slices.MaxFunc(k.lines, func(a, b *probeLine) int { return cmp.Compare(a.Bytes, b.Bytes) }))
		}
	}
	list = slices.DeleteFunc(list, func(l *probeLine) bool { return l.Profile.Spectral == nil || len(l.Profile.Spectral.Values) < 2 })
	return list[:min(len(list), maxSpectra)]
}

// spectrumSeries thins out the values to as many as a screen can show, evenly in the
// logarithm of their place. Values that are rounding beside the largest are left out.
func spectrumSeries(line *probeLine) charts.Series {
	const rounding = 1e-7 // of float32
	values := line.Profile.Spectral.Values
	s := charts.Series{Name: chartName(line.Tensor)}
	step := math.Pow(float64(len(values)), 1.0/spectrumPoints)
	next := 1.0
	for i, v := range values {
		place := float64(i + 1)
		if place < next && i != len(values)-1 || !(v > rounding*values[0]) {
			continue
		}
		s.X, s.Y = append(s.X, place), append(s.Y, v/values[0])
		for next <= place {
			next *= step
		}
	}
	return s
}

// chartName cuts a name in its middle to what a legend has room for.
func chartName(name string) string {
	const most = 50
	runes := []rune(shortName(name))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most/2]) + "…" + string(runes[len(runes)-most/2:])
}
