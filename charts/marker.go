package charts

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A shape is a filled polygon that reaches from -1 to 1 in both directions, y
// upwards; without points it is a circle. Both pictures draw it from here.
type shape struct {
	points [][2]float64
	// size makes the shapes look equally large.
	size float64
}

var shapes = map[string]shape{
	"circle":         {nil, 1},
	"square":         {[][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, 0.9},
	"diamond":        {[][2]float64{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}, 1.25},
	"triangle":       {[][2]float64{{0, 1}, {1, -1}, {-1, -1}}, 1.1},
	"down-triangle":  {[][2]float64{{0, -1}, {-1, 1}, {1, 1}}, 1.1},
	"left-triangle":  {[][2]float64{{-1, 0}, {1, 1}, {1, -1}}, 1.1},
	"right-triangle": {[][2]float64{{1, 0}, {-1, -1}, {-1, 1}}, 1.1},
	"plus":           {plus(0.35), 1.2},
	"cross":          {cross(0.55), 1.05},
	"star":           {star(), 1.35},
}

// plus is an upright cross with arms 2w wide.
func plus(w float64) [][2]float64 {
	return [][2]float64{{-w, 1}, {w, 1}, {w, w}, {1, w}, {1, -w}, {w, -w}, {w, -1}, {-w, -1}, {-w, -w}, {-1, -w}, {-1, w}, {-w, w}}
}

// cross is a diagonal cross whose arms cut t off each corner's sides.
func cross(t float64) [][2]float64 {
	return [][2]float64{{-1, 1 - t}, {t - 1, 1}, {0, t}, {1 - t, 1}, {1, 1 - t}, {t, 0}, {1, t - 1}, {1 - t, -1}, {0, -t}, {t - 1, -1}, {-1, t - 1}, {-t, 0}}
}

// star has five points and is stretched to its square.
func star() [][2]float64 {
	const inner = 0.45
	points := make([][2]float64, 10)
	bottom := -math.Cos(math.Pi / 5)
	side := math.Sin(2 * math.Pi / 5)
	for i := range points {
		r := 1.0
		if i%2 == 1 {
			r = inner
		}
		sin, cos := math.Sincos(float64(i) * math.Pi / 5)
		points[i] = [2]float64{r * sin / side, 2*(r*cos-bottom)/(1-bottom) - 1}
	}
	return points
}

// symbol returns the shape as an ECharts symbol.
func (s shape) symbol() string {
	if s.points == nil {
		return "circle"
	}
	var b strings.Builder
	b.WriteString("path://")
	for i, p := range s.points {
		fmt.Fprintf(&b, "%c%.3g,%.3g", "ML"[min(i, 1)], p[0], -p[1])
	}
	b.WriteByte('Z')
	return b.String()
}

// DrawGlyph fills the shape around pt.
func (s shape) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, pt vg.Point) {
	if s.points == nil {
		draw.CircleGlyph{}.DrawGlyph(c, style, pt)
		return
	}
	polygon := make([]vg.Point, len(s.points))
	for i, p := range s.points {
		r := style.Radius * vg.Length(s.size)
		polygon[i] = vg.Point{X: pt.X + r*vg.Length(p[0]), Y: pt.Y + r*vg.Length(p[1])}
	}
	c.FillPolygon(style.Color, polygon)
}
