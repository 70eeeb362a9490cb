package charts

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// limits are the lines of a roofline chart.
type limits struct{ peaks, bandwidths []Limit }

func highest(list []Limit) float64 {
	return slices.MaxFunc(list, func(a, b Limit) int { return cmp.Compare(a.Value, b.Value) }).Value
}

// span returns a range of intensities that reaches past every kernel and every
// ridge, where a bandwidth meets a peak.
func (l limits) span(kernels []Series) (from, to float64) {
	const beyond = 2
	from, to = math.Inf(1), 0
	cover := func(v float64) { from, to = min(from, v/beyond), max(to, v*beyond) }
	for _, p := range l.peaks {
		for _, b := range l.bandwidths {
			cover(p.Value / b.Value)
		}
	}
	for _, k := range kernels {
		for _, v := range k.X {
			if v > 0 && !math.IsInf(v, 0) { // others are refused with their place
				cover(v)
			}
		}
	}
	return from, to
}

// lines returns the limits as dashed lines between two intensities: the peaks
// from where the highest bandwidth reaches them, and the bandwidths up to where
// they reach the highest peak.
func (l limits) lines(from, to float64) []Series {
	var lines []Series
	bandwidth, peak := highest(l.bandwidths), highest(l.peaks)
	for _, p := range l.peaks {
		lines = append(lines, Series{
			Name: p.Name, Scheme: p.Scheme, Dashed: true,
			X: []float64{p.Value / bandwidth, to}, Y: []float64{p.Value, p.Value},
		})
	}
	for _, b := range l.bandwidths {
		lines = append(lines, Series{
			Name: b.Name, Scheme: b.Scheme, Dashed: true,
			X: []float64{from, peak / b.Value}, Y: []float64{from * b.Value, peak},
		})
	}
	return lines
}

// shares returns what point i of a kernel reaches of each limit, in percent; ""
// for the peaks of other schemes when there is one of its own.
func (l limits) shares(k Series, i int) []string {
	own := func(p Limit) bool { return p.Scheme != "" && schemeKey(p.Scheme) == k.key() }
	hasOwn := slices.ContainsFunc(l.peaks, own)
	var shares []string
	for _, p := range l.peaks {
		if hasOwn && !own(p) {
			shares = append(shares, "")
			continue
		}
		shares = append(shares, percent(k.Y[i]/p.Value))
	}
	for _, b := range l.bandwidths {
		shares = append(shares, percent(k.Y[i]/(k.X[i]*b.Value)))
	}
	return shares
}

func percent(share float64) string { return formatDigits(100*share, 3) + "%" }

// names returns the names of the limits, in the order of shares.
func (l limits) names() []string {
	var names []string
	for _, limit := range slices.Concat(l.peaks, l.bandwidths) {
		names = append(names, limit.Name)
	}
	return names
}

// table lists the kernels with the share of each limit that they reach.
func (l limits) table(kernels []Series, x, y Axis) Table {
	labelled := slices.ContainsFunc(kernels, func(k Series) bool { return len(k.Labels) > 0 })
	t := Table{Columns: []string{"kernel"}}
	if labelled {
		t.Columns = append(t.Columns, "point")
	}
	t.Columns = append(t.Columns, x.title(), y.title())
	for _, name := range l.names() {
		t.Columns = append(t.Columns, "of "+name)
	}
	for _, k := range kernels {
		for i := range k.X {
			row := []any{k.Name}
			if labelled {
				row = append(row, k.pointName(i))
			}
			row = append(row, k.X[i], k.Y[i])
			for _, share := range l.shares(k, i) {
				row = append(row, share)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// notes says in words what the limits are and what the fastest point of each
// kernel reaches of them, for the alternative text.
func (l limits) notes(kernels []Series, x, y Axis) []string {
	var notes []string
	for _, p := range l.peaks {
		notes = append(notes, fmt.Sprintf("%s: %s %s", p.Name, formatNumber(p.Value), y.Unit))
	}
	for _, b := range l.bandwidths {
		notes = append(notes, fmt.Sprintf("%s: %s GB/s", b.Name, formatNumber(b.Value)))
	}
	names := l.names()
	for _, k := range kernels {
		best := slices.Index(k.Y, slices.Max(k.Y))
		var reached []string
		for i, share := range l.shares(k, best) {
			if share != "" {
				reached = append(reached, share+" of "+names[i])
			}
		}
		notes = append(notes, k.Name+": up to "+k.pointIn(best, x.Unit, y.Unit)+", "+strings.Join(reached, ", "))
	}
	return notes
}
