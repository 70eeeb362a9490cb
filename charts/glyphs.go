package charts

import (
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// noGlyph stands for a character that the font has no glyph for, which gonum
// would leave out: 10⁹ must not read 10.
const noGlyph = '□'

// visibleText draws plain text with noGlyph for what the font cannot draw.
type visibleText struct{ text.Plain }

// Box returns the size of what Draw draws.
func (t visibleText) Box(s string, f font.Font) (width, height, depth vg.Length) {
	return t.Plain.Box(t.visible(s, f), f)
}

// Draw draws the text.
func (t visibleText) Draw(c vg.Canvas, s string, style text.Style, at vg.Point) {
	t.Plain.Draw(c, t.visible(s, style.Font), style, at)
}

func (t visibleText) visible(s string, f font.Font) string {
	face := t.Fonts.Lookup(f, f.Size).Face
	return strings.Map(func(r rune) rune {
		if glyph, err := face.GlyphIndex(nil, r); err != nil || glyph == 0 {
			return noGlyph
		}
		return r
	}, s)
}
