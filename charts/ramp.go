package charts

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ramp are the colours of a quantity from its least to its largest value, evenly
// spaced: one hue that darkens, which reads the same with any colour vision and
// in grey.
var ramp = []color.RGBA{
	rgb(0xf0, 0xf5, 0xfd), rgb(0xb4, 0xcf, 0xf3), rgb(0x6f, 0xa3, 0xe8), rgb(0x25, 0x6c, 0xcb), rgb(0x0b, 0x2e, 0x6e),
}

// rampSteps is the number of steps from the first to the last colour: few enough
// for encodePNG to keep them, and more than can be told apart.
const rampSteps = 40

// rampAt returns the colour at t from 0 to 1.
func rampAt(t float64) color.RGBA {
	at := math.Round(min(max(t, 0), 1)*rampSteps) / rampSteps * float64(len(ramp)-1)
	i := min(int(at), len(ramp)-2)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (at-float64(i))*(float64(b)-float64(a)))) }
	a, b := ramp[i], ramp[i+1]
	return rgb(mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B))
}

// inkOn returns black or white, whichever has the better contrast on c: at least
// 4.5:1 (WCAG 2.1, relative luminance).
func inkOn(c color.RGBA) color.RGBA {
	part := func(b uint8) float64 {
		f := float64(b) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	luminance := 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
	if (luminance+0.05)*(luminance+0.05) > 1.05*0.05 {
		return rgb(0, 0, 0)
	}
	return rgb(0xff, 0xff, 0xff)
}

// A key says which colours stand for which values of a heat map. It takes a row
// of the legend.
type key struct{ name, low, high string }

const (
	keyStep   = 4 // of one colour
	keyHeight = 12
)

// draw draws the key at x, around y.
func (k *key) draw(c draw.Canvas, x, y vg.Length) {
	label := textStyle(textSize, ink)
	label.YAlign = draw.YCenter
	c.FillText(label, vg.Point{X: x, Y: y + lift}, k.before())
	// On whole pixels, where colours do not mix.
	x = vg.Length(math.Ceil(float64(x)+textWidth(k.before(), textSize))) + 8
	for i := range rampSteps + 1 {
		c.SetColor(rampAt(float64(i) / rampSteps))
		c.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: y - keyHeight/2}, Max: vg.Point{X: x + keyStep, Y: y + keyHeight/2}}.Path())
		x += keyStep
	}
	c.FillText(label, vg.Point{X: x + 8, Y: y + lift}, k.high)
}

// before is what stands before the colours.
func (k *key) before() string { return k.name + ":  " + k.low }
