package charts

import (
	"fmt"
	"math"
	"slices"
)

// Bar is a chart of one quantity for each of some categories, with a bar a
// series in every category. Bars are measured from zero, so the value axis is
// linear and starts there. They carry their values where these fit, unless there
// are error bars.
type Bar struct {
	Title string
	// X names what the categories are, such as "tensor"; it may be left empty.
	X Axis
	// Y is the axis of the values, also when the bars lie.
	Y Axis
	// Categories name the groups of bars, in order.
	Categories []string
	Series     []Series
	// Horizontal lays the bars down, with the first category on top. Bars lie
	// anyway when the categories' names do not fit side by side.
	Horizontal bool
}

const (
	groupShare  = 0.7 // of the space of a category that its bars take
	barGap      = 0.1 // between the bars of a category, in bars
	maxBarWidth = 48
	minBarWidth = 6
	lyingBar    = 15  // space of a lying bar
	lyingSlot   = 24  // least space of a lying category
	nameWidth   = 300 // most that the name of a lying category takes
	maxLabelled = 40  // bars that carry their value
)

// Figure checks the chart and draws it. It fails when there is no title, value
// axis label, category or series; when a series has not one finite value for
// each category, or has X or labels; when an error bar is not finite or does
// not hold its value; when two categories or two series have one name or look the
// same; when an axis is logarithmic; when a value is beyond a range that was set,
// or this range does not hold zero; and beyond 200 bars.
func (b Bar) Figure() (*Figure, error) {
	f, err := b.figure()
	if err != nil {
		return nil, fmt.Errorf("charts: bar chart %.80q: %w", oneLine(b.Title), err)
	}
	return f, nil
}

// bars is a checked bar chart.
type bars struct {
	x, y       Axis
	categories []string
	series     []Series
	entries    []entry
	values     scale
	lying      bool
	names      []string   // of the categories, as they are drawn
	texts      [][]string // of the values, a series each; nil when bars carry none
}

func (b Bar) figure() (*Figure, error) {
	title, x, y := oneLine(b.Title), b.X.clean(), b.Y.clean()
	categories := make([]string, len(b.Categories))
	for i, c := range b.Categories {
		categories[i] = oneLine(c)
	}
	series, err := checkBars(title, x, y, categories, b.Series)
	if err != nil {
		return nil, err
	}
	styles, err := assignStyles(series)
	if err != nil {
		return nil, err
	}
	var all [][]float64
	for _, s := range series {
		all = append(all, s.Y)
	}
	lo, hi := yExtent(false, series)
	values, err := newScale(y, min(lo, 0), max(hi, 0), 6, areWhole(all...))
	if err != nil {
		return nil, err
	}
	entries := make([]entry, len(series))
	for i, s := range series {
		entries[i] = entry{name: s.Name, style: styles[i], bar: true}
	}
	c := bars{x: x, y: y, categories: categories, series: series, entries: entries, values: values, lying: b.Horizontal}
	frame := newFrame(title, entries, x, y)
	if err := c.arrange(&frame, lo); err != nil {
		return nil, err
	}
	option, err := c.option(frame)
	if err != nil {
		return nil, err
	}
	s := script{Option: option, Unit: y.Unit, Bars: len(series), X: c.categoryLabels(), Y: values.labels()}
	if c.lying {
		s.X, s.Y = s.Y, s.X
	}
	kind := "Bar chart of " + y.title()
	if x.Label != "" {
		kind += " by " + x.title()
	}
	return newFigure(figureParts{
		frame:  frame,
		title:  title,
		kind:   kind,
		notes:  c.notes(),
		table:  c.table(),
		plot:   c.plot,
		script: s,
	})
}

// namesWidth is the width of the widest name of a category.
func (c *bars) namesWidth() int {
	widest := 0.0
	for _, name := range c.names {
		widest = max(widest, textWidth(name, textSize))
	}
	return int(math.Ceil(widest)) + 1
}

// hasErrors reports whether bars carry error bars, which leave no place for
// values.
func (c *bars) hasErrors() bool {
	return slices.ContainsFunc(c.series, Series.hasErrors)
}

// arrange decides whether the bars lie and carry their values, and sizes the
// frame for it. lo is the smallest value.
func (c *bars) arrange(f *frame, lo float64) error {
	c.names = c.categories
	slot := (figureWidth - 2*pad - nameHeight - c.values.labelWidth() - 16) / float64(len(c.categories))
	c.lying = c.lying || float64(c.namesWidth()+8) > slot || c.pitch(slot) < minBarWidth
	if c.lying {
		c.names = make([]string, len(c.categories))
		full := map[string]string{}
		for i, name := range c.categories {
			c.names[i] = shorten(name, nameWidth)
			if other, taken := full[c.names[i]]; taken {
				return fmt.Errorf("the categories %q and %q are too long to be told apart", other, name)
			}
			full[c.names[i]] = name
		}
	}

	var values []float64
	for _, s := range c.series {
		values = append(values, s.Y...)
	}
	texts := formatBeside(values, 3)
	valueWidth := 0.0
	for _, text := range texts {
		valueWidth = max(valueWidth, textWidth(text, textSize))
	}
	if lo >= 0 && !c.hasErrors() && len(c.series)*len(c.categories) <= maxLabelled && (c.lying || valueWidth+4 <= c.pitch(slot)) {
		c.texts = slices.Collect(slices.Chunk(texts, len(c.categories)))
	}
	if c.lying {
		f.x, f.y = f.y, f.x
		slot := max(lyingSlot, lyingBar*float64(len(c.series))/groupShare)
		length := max(slot*float64(len(c.categories)), textWidth(f.y, textSize))
		f.height = f.top() + int(math.Ceil(length)) + 2*pad + 2*nameHeight
		if c.texts != nil {
			f.right += valueWidth
		}
	}
	return nil
}
