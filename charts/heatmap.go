package charts

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Heatmap is a chart of one quantity for each pair of two sets of categories,
// such as the error of each tensor in each layer: darker is more. Cells carry
// their values where these fit.
type Heatmap struct {
	Title string
	// X says what the columns are, and Y what the rows are.
	X, Y Axis
	// Value is the quantity. On a log axis equal ratios look equally far apart.
	Value Axis
	// Columns name the columns from left to right, and Rows the rows from the top.
	Columns, Rows []string
	// Values holds the values of each row: Values[row][column].
	Values [][]float64
}

const (
	maxColumns    = 200
	maxHeatRows   = 200
	cellHeight    = 24
	rowNameWidth  = 200 // most that the name of a row takes
	smallestCells = 240 // least height of all the cells together
)

// Figure checks the chart and draws it. It fails when there is no title, axis
// label, column or row; when two columns or two rows have one name or cannot be
// told apart; when the values are not as many as the cells; when a value is not
// finite, or not positive on a log axis; when X or Y is logarithmic; and beyond
// 200 columns or rows.
func (h Heatmap) Figure() (*Figure, error) {
	f, err := h.figure()
	if err != nil {
		return nil, fmt.Errorf("charts: heat map %.80q: %w", oneLine(h.Title), err)
	}
	return f, nil
}

// cells is a checked heat map.
type cells struct {
	x, y, value   Axis
	columns, rows []string
	values        [][]float64
	scale         scale
	shown         []string   // the names of the columns that are drawn, or ""
	names         []string   // of the rows, as they are drawn
	texts         [][]string // of the values
	fits          bool       // whether the texts fit in the cells
}

func (h Heatmap) figure() (*Figure, error) {
	title := oneLine(h.Title)
	c := cells{x: h.X.clean(), y: h.Y.clean(), value: h.Value.clean()}
	if err := h.check(title, &c); err != nil {
		return nil, err
	}
	lo, hi := extent(c.values...)
	var err error
	if c.scale, err = newScale(c.value, lo, hi, 6, areWhole(c.values...)); err != nil {
		return nil, err
	}
	if err := c.arrange(); err != nil {
		return nil, err
	}
	f := newFrame(title, nil, c.x, c.y)
	ticks := c.scale.ticks
	f.key = &key{name: c.value.title(), low: ticks[0].label, high: ticks[len(ticks)-1].label}
	f.height = f.top() + c.height() + pad + 2*nameHeight
	option, err := c.option(f)
	if err != nil {
		return nil, err
	}
	return newFigure(figureParts{
		frame:  f,
		title:  title,
		kind:   "Heat map of " + c.value.title() + " by " + c.y.title() + " and " + c.x.title(),
		notes:  c.notes(),
		table:  c.table(),
		plot:   c.plot,
		script: c.script(option),
	})
}

func (h Heatmap) check(title string, c *cells) error {
	if err := checkTitle(title); err != nil {
		return err
	}
	for _, a := range []struct {
		name string
		axis Axis
	}{{"x", c.x}, {"y", c.y}, {"value", c.value}} {
		if err := a.axis.check(a.name); err != nil {
			return err
		}
	}
	if err := c.x.checkUnbounded("x"); err != nil {
		return err
	}
	if err := c.y.checkUnbounded("y"); err != nil {
		return err
	}
	if c.x.Log || c.y.Log {
		return errors.New("the columns and rows are names, which a log axis does not have")
	}
	var err error
	if c.columns, err = checkNames("Columns", h.Columns, maxColumns); err != nil {
		return err
	}
	if c.rows, err = checkNames("Rows", h.Rows, maxHeatRows); err != nil {
		return err
	}
	if len(h.Values) != len(c.rows) {
		return fmt.Errorf("Values has %d rows for %d names", len(h.Values), len(c.rows))
	}
	for i, row := range h.Values {
		if len(row) != len(c.columns) {
			return fmt.Errorf("Values[%d] has %d values for %d columns", i, len(row), len(c.columns))
		}
		if err := checkValues(c.value, fmt.Sprintf("Values[%d]", i), row); err != nil {
			return err
		}
		c.values = append(c.values, append([]float64(nil), row...))
	}
	return nil
}

// checkNames returns the names on one line each.
func checkNames(what string, names []string, most int) ([]string, error) {
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%s is empty", what)
	case len(names) > most:
		return nil, fmt.Errorf("%s has %d names, more than %d: use a Table or take means", what, len(names), most)
	}
	clean := make([]string, len(names))
	seen := map[string]int{}
	for i, name := range names {
		clean[i] = oneLine(name)
		if clean[i] == "" {
			return nil, fmt.Errorf("%s[%d] is empty", what, i)
		}
		if other, taken := seen[clean[i]]; taken {
			return nil, fmt.Errorf("%s[%d] and %s[%d] are both %q", what, other, what, i, clean[i])
		}
		seen[clean[i]] = i
		if err := checkFits(fmt.Sprintf("%s[%d]", what, i), clean[i], 5*nameWidth); err != nil {
			return nil, err
		}
	}
	return clean, nil
}

func (c *cells) height() int { return max(smallestCells, cellHeight*len(c.rows)) }

// arrange shortens the names of rows, thins out those of columns and writes the
// values.
func (c *cells) arrange() error {
	full := map[string]string{}
	widest := 0.0
	for _, row := range c.rows {
		name := shorten(row, rowNameWidth)
		if other, taken := full[name]; taken {
			return fmt.Errorf("the rows %q and %q are too long to be told apart", other, row)
		}
		full[name] = row
		c.names = append(c.names, name)
		widest = max(widest, textWidth(name, textSize))
	}
	const gap = 6 // between two names or beside a number
	width := (figureWidth - 2*pad - nameHeight - widest - 12) / float64(len(c.columns))
	every := 1
	for _, name := range c.columns {
		every = max(every, int(math.Ceil((textWidth(name, textSize)+gap)/width)))
	}
	if every > 1 && 3*every > len(c.columns) {
		return errors.New("the names of the columns are too long to stand side by side: shorten them, or swap rows and columns")
	}
	for i, name := range c.columns {
		if i%every != 0 {
			name = ""
		}
		c.shown = append(c.shown, name)
	}
	texts := formatBeside(slices.Concat(c.values...), 3)
	c.texts = slices.Collect(slices.Chunk(texts, len(c.columns)))
	c.fits = true
	for _, text := range texts {
		c.fits = c.fits && textWidth(text, textSize)+gap <= width
	}
	return nil
}
