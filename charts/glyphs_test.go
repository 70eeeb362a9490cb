package charts

import "testing"

func TestTextWithoutGlyphsStaysVisible(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"10⁹ operations", "10□ operations"},
		{"µs, 2² × 3, é", "µs, 2² × 3, é"},
		{"層", "□"},
	} {
		style := textStyle(textSize, ink)
		if got := style.Handler.(visibleText).visible(c.in, style.Font); got != c.want {
			t.Errorf("%q is drawn as %q, want %q", c.in, got, c.want)
		}
		if got, want := textWidth(c.in, textSize), textWidth(c.want, textSize); got != want {
			t.Errorf("%q is %g wide, want %g", c.in, got, want)
		}
	}
}
