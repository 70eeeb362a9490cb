package charts

import (
	"errors"
	"fmt"
	"slices"
)

// Roofline is the chart of Williams, Waterman and Patterson (2009): what a
// machine allows at each arithmetic intensity, and what kernels reach there.
// Both axes are logarithmic, with operations a byte and 10^9 operations a second.
type Roofline struct {
	Title string
	// Ops names the operations that are counted, such as "flop"; the default is
	// "op".
	Ops string
	// Peaks are the measured rates that no kernel of their kind exceeds, in 10^9
	// operations a second.
	Peaks []Limit
	// Bandwidths are the measured speeds of reading, in 10^9 bytes a second: at
	// intensity x they allow x times that.
	Bandwidths []Limit
	// Kernels are the points: X is the arithmetic intensity in operations a byte, Y
	// the rate in 10^9 operations a second. They have no Dashed and no error bars.
	Kernels []Series
}

// A Limit is what a machine allows.
type Limit struct {
	// Name says what was measured, such as "f32 peak, 2 threads" or "DRAM".
	Name string
	// Scheme gives the limit the colour of a scheme, so that it matches its kernels,
	// and makes a peak that of this scheme alone; it may be empty.
	Scheme string
	Value  float64
}

// Figure checks the chart and draws it. It fails when there is no title, peak,
// bandwidth or kernel; when one of these is not finite and positive; when the X, Y
// and labels of a series differ in number; when two names are equal or look the
// same; and beyond 200 labels. A kernel above a limit is drawn, and
// the text gives a share above 100%: its bytes came from nearer than those of that
// bandwidth, or the limit was measured too low.
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
	l := limits{slices.Clone(r.Peaks), slices.Clone(r.Bandwidths)}
	for _, list := range [][]Limit{l.peaks, l.bandwidths} {
		for i := range list {
			list[i].Name = oneLine(list[i].Name)
		}
	}
	from, to := l.span(r.Kernels)
	series, err := checkPoints(x, y, append(l.lines(from, to), r.Kernels...))
	if err != nil {
		return nil, err
	}
	c := points{title: title, x: x, y: y, series: series}
	if err := c.scale(); err != nil {
		return nil, err
	}
	// The lines go on to the ends of the axis, which stays as it is.
	xs := c.xs
	for i, line := range l.lines(xs.min, xs.max) {
		series[i].X, series[i].Y = line.X, line.Y
	}
	if err := c.scale(); err != nil {
		return nil, err
	}
	c.xs = xs
	kernels := series[len(r.Peaks)+len(r.Bandwidths):]
	kind := "Roofline chart of " + y.title() + " against " + x.title()
	return c.figure(kind, l.notes(kernels, x, y), l.table(kernels, x, y))
}

func (r Roofline) check() error {
	switch {
	case len(r.Peaks) == 0:
		return errors.New("there is no peak")
	case len(r.Bandwidths) == 0:
		return errors.New("there is no bandwidth")
	case len(r.Kernels) == 0:
		return errors.New("there is no kernel")
	}
	for _, l := range slices.Concat(r.Peaks, r.Bandwidths) {
		switch {
		case oneLine(l.Name) == "":
			return errors.New("a limit has no name")
		case !(l.Value >= smallestLog && l.Value <= largest):
			return fmt.Errorf("limit %q is %g, not from %g to %g", oneLine(l.Name), l.Value, smallestLog, largest)
		}
	}
	for i, k := range r.Kernels {
		switch {
		case oneLine(k.Name) == "":
			return fmt.Errorf("Kernels[%d] has no name", i)
		case k.Dashed:
			return fmt.Errorf("%s: kernels cannot be dashed", k.label())
		case k.hasErrors() || len(k.High) > 0:
			return fmt.Errorf("%s: kernels have no error bars", k.label())
		}
	}
	return nil
}
