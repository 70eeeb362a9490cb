package charts

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"sync/atomic"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// A Figure is a chart that shows itself. It keeps its own copy of the series, so
// later changes of theirs do not show, and it is safe for concurrent use.
type Figure struct {
	figureParts
	png    []byte // two pixels a CSS pixel
	digest string // of the content
	shown  atomic.Int64
}

// figureParts is what a kind of chart hands over: the same checked series in
// every form.
type figureParts struct {
	frame  frame
	title  string
	kind   string   // "Line chart of y against x"
	notes  []string // in words, what each series does
	table  Table
	plot   func() *plot.Plot // a new one at each call
	script script
}

// A script is what the HTML hands to ECharts.
type script struct {
	ID     string `json:"id"`
	Height int    `json:"height"`
	Pad    int    `json:"pad"`
	Unit   string `json:"unit"` // of the values that a tooltip shows
	// X and Y list the labels of the axes: [[value, label], ...].
	X [][2]any `json:"x"`
	Y [][2]any `json:"y"`
	// Bars is the number of series of bars, among which error bars find theirs.
	Bars int `json:"bars,omitempty"`
	// Labels are where the labels of points stand, by the width of the figure.
	Labels []placing `json:"labels,omitempty"`
	// Cells are the text and its colour in each cell of a heat map.
	Cells [][2]string `json:"cells,omitempty"`
	// Names are the columns, the rows and the values of a heat map.
	Names  *cellNames      `json:"names,omitempty"`
	Option json.RawMessage `json:"option"`
}

type cellNames struct {
	Columns []string `json:"columns"`
	Rows    []string `json:"rows"`
	Values  []string `json:"values"` // as a tooltip shows them, a cell each
}

// dotsPerInch gives two pixels a CSS pixel, for screens of high resolution.
const dotsPerInch = 144

func newFigure(parts figureParts) (*Figure, error) {
	f := &Figure{figureParts: parts}
	f.script.Height, f.script.Pad = f.frame.height, pad
	canvas := vgimg.NewWith(vgimg.UseWH(f.width(), f.height()), vgimg.UseDPI(dotsPerInch))
	f.draw(canvas)
	var err error
	if f.png, err = encodePNG(canvas.Image()); err != nil {
		return nil, fmt.Errorf("encode the picture: %w", err)
	}
	sum := sha256.Sum256(append([]byte(f.String()), f.script.Option...))
	f.digest = hex.EncodeToString(sum[:6])
	return f, nil
}

func (f *Figure) width() vg.Length  { return vg.Length(f.frame.width) }
func (f *Figure) height() vg.Length { return vg.Length(f.frame.height) }

func (f *Figure) draw(c vg.CanvasSizer) { f.frame.draw(draw.New(c), f.plot()) }

// String returns the title and the series as a table of aligned columns.
func (f *Figure) String() string {
	return f.title + "\n" + f.kind + "\n\n" + f.table.String()
}

// alt describes the chart to those who do not see it.
func (f *Figure) alt() string {
	return f.title + ". " + f.kind + ". " + strings.Join(f.notes, "; ") + "."
}

// MIMEBundle returns the figure as "text/html", a string: the picture, and a
// script that puts an interactive chart in its place where the page has the
// prelude; as "image/png", bytes; and as "text/plain", a string.
func (f *Figure) MIMEBundle() map[string]any {
	return map[string]any{
		"text/html":  f.html(),
		"image/png":  bytes.Clone(f.png),
		"text/plain": f.String(),
	}
}

// MIMEMetadata gives the size at which the picture is meant to be seen, in CSS
// pixels: half of its own.
func (f *Figure) MIMEMetadata() map[string]any {
	return map[string]any{
		"image/png": map[string]any{"width": f.frame.width, "height": f.frame.height},
	}
}

// html returns the figure as an HTML fragment with an id of its own: that of its
// content and the number of times it was shown, so that running a notebook again
// gives the same page.
func (f *Figure) html() string {
	id := fmt.Sprintf("gopherscope-%s-%d", f.digest, f.shown.Add(1))
	return fmt.Sprintf(`<div id="%s" class="gopherscope-figure" style="width:100%%;max-width:%dpx">`+
		`<img alt="%s" width="%d" height="%d" style="max-width:100%%;height:auto;background:#fff;border-radius:6px" src="data:image/png;base64,%s">`+
		"</div>\n<script>%s</script>\n",
		id, f.frame.width,
		html.EscapeString(f.alt()), f.frame.width, f.frame.height, base64.StdEncoding.EncodeToString(f.png),
		f.script.source(id))
}
