package charts

import (
	"errors"
	"fmt"
	"math"
)

// Roofline is the chart of Williams, Waterman and Patterson (2009): what a
// machine allows at each arithmetic intensity, and what kernels reach there.
// Both axes are logarithmic, with operations a byte and 10^9 operations a second.
type Roofline struct {
	Title string
	// Ops names the operations that are counted, such as "flop"; the default is
	// "op".
	Ops string
	// Roofs are the measured limits.
	Roofs []Roof
	// Kernels are the points: X is the arithmetic intensity in operations a byte, Y
	// the rate in 10^9 operations a second. Dashed and Error are not for them
	// to set.
	Kernels []Series
}

// A Roof is what a machine allows: the smaller of its peak and of the intensity
// times its bandwidth.
type Roof struct {
	// Name says what was measured, such as "f32, 2 threads, DRAM".
	Name string
	// Scheme gives the roof the colour of a scheme, so that it matches its kernels;
	// empty for a colour of its own.
	Scheme string
	// Peak is the largest rate in 10^9 operations a second.
	Peak float64
	// Bandwidth is in 10^9 bytes a second.
	Bandwidth float64
}

// at returns what the roof allows at an intensity.
func (r Roof) at(intensity float64) float64 { return min(r.Peak, r.Bandwidth*intensity) }

// ridge is the intensity from which on the peak is the limit.
func (r Roof) ridge() float64 { return r.Peak / r.Bandwidth }

// Figure checks the chart and draws it. It fails when there is no title, roof or
// kernel; when a peak, a bandwidth, an intensity or a rate is not finite and
// positive; when the X, Y and labels of a series differ in number; when two names
// are equal or look the same; and beyond 200 labels. A kernel above a roof is
// drawn: its data then came from nearer than that roof's.
func (r Roofline) Figure() (*Figure, error) {
	f, err := r.figure()
	if err != nil {
		return nil, fmt.Errorf("charts: roofline %.80q: %w", oneLine(r.Title), err)
	}
	return f, nil
}

func (r Roofline) figure() (*Figure, error) {
	title, ops := oneLine(r.Title), oneLine(r.Ops)
	if ops == "" {
		ops = "op"
	}
	if err := checkTitle(title); err != nil {
		return nil, err
	}
	x := Axis{Label: "arithmetic intensity", Unit: ops + "/byte", Log: true}
	y := Axis{Label: "rate", Unit: "G" + ops + "/s", Log: true}
	if err := r.check(); err != nil {
		return nil, err
	}
	roofs := make([]Roof, len(r.Roofs))
	for i, roof := range r.Roofs {
		roof.Name = oneLine(roof.Name)
		roofs[i] = roof
	}
	series, err := checkPoints(x, y, append(roofLines(roofs, r.Kernels), r.Kernels...))
	if err != nil {
		return nil, err
	}
	c := points{title: title, x: x, y: y, series: series}
	if err := c.scale(); err != nil {
		return nil, err
	}
	// The lines go on to the ends of the axis.
	for i, roof := range roofs {
		series[i].X, series[i].Y = roof.line(c.xs.min, c.xs.max)
	}
	if err := c.scale(); err != nil {
		return nil, err
	}
	kernels := series[len(roofs):]
	kind := "Roofline chart of " + y.title() + " against " + x.title()
	return c.figure(kind, rooflineNotes(roofs, kernels, ops), rooflineTable(roofs, kernels, x, y))
}

func (r Roofline) check() error {
	if len(r.Roofs) == 0 {
		return errors.New("there is no roof")
	}
	if len(r.Kernels) == 0 {
		return errors.New("there is no kernel")
	}
	for i, roof := range r.Roofs {
		switch {
		case oneLine(roof.Name) == "":
			return fmt.Errorf("Roofs[%d] has no name", i)
		case !(roof.Peak > 0) || math.IsInf(roof.Peak, 0):
			return fmt.Errorf("roof %q: the peak is %g", oneLine(roof.Name), roof.Peak)
		case !(roof.Bandwidth > 0) || math.IsInf(roof.Bandwidth, 0):
			return fmt.Errorf("roof %q: the bandwidth is %g", oneLine(roof.Name), roof.Bandwidth)
		case !(roof.ridge() > 0) || math.IsInf(roof.ridge(), 0):
			return fmt.Errorf("roof %q: a peak of %g and a bandwidth of %g are too far apart", oneLine(roof.Name), roof.Peak, roof.Bandwidth)
		}
	}
	for _, k := range r.Kernels {
		switch {
		case oneLine(k.Name) == "":
			return errors.New("a kernel has no name")
		case k.Dashed:
			return fmt.Errorf("%s: kernels cannot be dashed", k.label())
		case len(k.Error) > 0:
			return fmt.Errorf("%s: kernels have no error bars", k.label())
		}
	}
	return nil
}

// line returns the corners of the roof between two intensities.
func (r Roof) line(from, to float64) (x, y []float64) {
	for _, v := range []float64{from, r.ridge(), to} {
		if len(x) == 0 || v > x[len(x)-1] && v <= to {
			x, y = append(x, v), append(y, r.at(v))
		}
	}
	return x, y
}

// roofLines returns the roofs as dashed lines that reach past every kernel and
// every ridge, so that both of a roof's parts are seen.
func roofLines(roofs []Roof, kernels []Series) []Series {
	const beyond = 2
	from, to := math.Inf(1), 0.0
	cover := func(v float64) {
		if v > 0 && !math.IsInf(v, 0) { // others are refused later
			from, to = min(from, v/beyond), max(to, v*beyond)
		}
	}
	for _, r := range roofs {
		cover(r.ridge())
	}
	for _, k := range kernels {
		for _, v := range k.X {
			cover(v)
		}
	}
	lines := make([]Series, len(roofs))
	for i, r := range roofs {
		lines[i] = Series{Name: r.Name, Scheme: r.Scheme, Dashed: true}
		lines[i].X, lines[i].Y = r.line(from, to)
	}
	return lines
}

// highest returns the roof that allows most at an intensity.
func highest(roofs []Roof, intensity float64) Roof {
	best := roofs[0]
	for _, r := range roofs[1:] {
		if r.at(intensity) > best.at(intensity) {
			best = r
		}
	}
	return best
}

// rooflineTable lists the kernels with the share of each roof that they reach.
func rooflineTable(roofs []Roof, kernels []Series, x, y Axis) Table {
	t := Table{Columns: []string{"kernel", "point", x.title(), y.title()}}
	for _, r := range roofs {
		t.Columns = append(t.Columns, "of "+r.Name)
	}
	for _, k := range kernels {
		for i := range k.X {
			var label any
			if len(k.Labels) > 0 {
				label = k.Labels[i]
			}
			row := []any{k.Name, label, k.X[i], k.Y[i]}
			for _, r := range roofs {
				row = append(row, percent(k.Y[i]/r.at(k.X[i])))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func rooflineNotes(roofs []Roof, kernels []Series, ops string) []string {
	var notes []string
	for _, r := range roofs {
		notes = append(notes, fmt.Sprintf("%s: %s GB/s up to %s %s/byte, then %s G%s/s", r.Name,
			formatNumber(r.Bandwidth), formatNumber(r.ridge()), ops, formatNumber(r.Peak), ops))
	}
	for _, k := range kernels {
		best := 0
		share := func(i int) float64 { return k.Y[i] / highest(roofs, k.X[i]).at(k.X[i]) }
		for i := range k.X {
			if share(i) > share(best) {
				best = i
			}
		}
		notes = append(notes, fmt.Sprintf("%s: %s, %s of %s", k.Name, k.point(best), percent(share(best)), highest(roofs, k.X[best]).Name))
	}
	return notes
}

func percent(share float64) string { return formatDigits(100*share, 3) + "%" }
