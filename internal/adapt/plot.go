package adapt

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// The size of a plot, in CSS pixels of 1/96 inch, and the dots of its picture:
// two a CSS pixel, for screens of high resolution.
const (
	plotWidth, plotHeight = 640, 400
	plotDPI               = 192
)

// plotted is a plot of gonum as it was when it was shown.
type plotted struct {
	png []byte
	alt string
}

func picture(p *plot.Plot) (plotted, error) {
	const pixel = vg.Inch / 96
	canvas := vgimg.NewWith(vgimg.UseWH(plotWidth*pixel, plotHeight*pixel), vgimg.UseDPI(plotDPI))
	p.Draw(draw.New(canvas))
	var encoded bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&encoded); err != nil {
		return plotted{}, fmt.Errorf("encode the plot: %w", err)
	}
	return plotted{encoded.Bytes(), describePlot(p)}, nil
}

// describePlot is a plot in words: its title and what its axes show.
func describePlot(p *plot.Plot) string {
	parts := []string{"Plot"}
	if p.Title.Text != "" {
		parts[0] += ": " + oneLine(p.Title.Text)
	}
	for _, axis := range []struct {
		name string
		plot.Axis
	}{{"x", p.X}, {"y", p.Y}} {
		text := axis.name
		if axis.Label.Text != "" {
			text += ": " + oneLine(axis.Label.Text)
		}
		if !math.IsInf(axis.Min, 0) && !math.IsInf(axis.Max, 0) {
			text += fmt.Sprintf(" from %.4g to %.4g", axis.Min, axis.Max)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// MIMEBundle returns the picture, by itself and in HTML, where it has a text for
// those who do not see it.
func (p plotted) MIMEBundle() map[string]any {
	return map[string]any{
		"text/html": fmt.Sprintf(`<img alt="%s" width="%d" height="%d" style="max-width:100%%;height:auto;background:#fff" src="data:image/png;base64,%s">`+"\n",
			html.EscapeString(p.alt), plotWidth, plotHeight, base64.StdEncoding.EncodeToString(p.png)),
		"image/png":  p.png,
		"text/plain": p.alt,
	}
}

// MIMEMetadata gives the size at which the picture is meant to be seen, in CSS
// pixels: half of its own.
func (p plotted) MIMEMetadata() map[string]any {
	return map[string]any{"image/png": map[string]any{"width": plotWidth, "height": plotHeight}}
}
