package charts

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"
)

// A Style is how a scheme looks in every chart: lines and points have both, bars
// the colour.
type Style struct {
	Color color.RGBA
	// Marker names the shape of its points, such as "circle".
	Marker string
}

// palette has a contrast of at least 3:1 on white and on the dark backgrounds of
// JupyterLab (#111111) and VS Code (#1e1e1e), and keeps its colours apart for
// the common forms of colour blindness at least as well as the palette of Okabe
// and Ito (Color Universal Design, 2008). The markers tell the same apart
// without any colour.
var palette = []Style{
	{rgb(0x12, 0x69, 0xdd), "square"},
	{rgb(0xd3, 0x33, 0x49), "triangle"},
	{rgb(0x29, 0x79, 0x04), "diamond"},
	{rgb(0x92, 0x97, 0x04), "down-triangle"},
	{rgb(0x9d, 0x47, 0xa3), "star"},
	{rgb(0x09, 0x9b, 0xca), "plus"},
	{rgb(0xe8, 0x59, 0xb0), "cross"},
	{rgb(0xc2, 0x85, 0x76), "left-triangle"},
	{rgb(0x90, 0x79, 0xfc), "right-triangle"},
	{rgb(0x76, 0x76, 0x76), "circle"},
}

// schemes maps a scheme to its place in the palette. The baseline is grey.
var schemes = map[string]int{
	"f32":       0,
	"w8a16":     1,
	"lowrank":   2,
	"skipzeros": 3,
	"int8":      4,
	"bf16":      5,
	"w8a8":      6,
	"w4a16":     7,
	"int4":      8,
	"dense":     9,
}

// vendors maps the products of a vendor's library to a place in the palette. It
// shares that with a scheme of ours that is seldom in the same chart: there are
// no more colours that everybody can tell apart.
var vendors = map[string]int{
	"acceleratef32": 9,
	"openblasf32":   9,
	"bnnsf32":       8,
	"onednnf32":     8,
	"bnnsi8":        4,
	"onednns8s8":    4,
	"onednnu8s8":    6,
	"onednnbf16":    5,
}

// StyleOf returns the colour and the marker of a scheme, the same in every
// chart: "dense", "f32", "bf16", "skipzeros", "lowrank", "int8", "int4", "w8a16",
// "w8a8" and "w4a16"; and of the products of vendors' libraries, such as
// "openblas-f32" and "onednn-s8s8". Case, spaces, "-" and "_" do not matter. ok is
// false for any other name.
//
// A chart gives the first style that it does not use yet to a series of another
// name, and to a product of a vendor whose style one of our schemes has there.
func StyleOf(scheme string) (style Style, ok bool) {
	key := schemeKey(scheme)
	if i, ok := schemes[key]; ok {
		return palette[i], true
	}
	if i, ok := vendors[key]; ok {
		return palette[i], true
	}
	return Style{}, false
}

func schemeKey(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "_", "").Replace(name))
}

// key is what the style of the series depends on.
func (s Series) key() string { return schemeKey(cmp.Or(s.Scheme, s.Name)) }

// assignStyles gives every series its style. Series of one scheme share it, and
// then only a dash can tell two lines apart.
func assignStyles(series []Series) ([]Style, error) {
	type look struct {
		scheme string
		dashed bool
	}
	keys := make([]string, len(series))
	taken := map[look]string{}
	styles := map[string]Style{}
	used := map[Style]bool{}
	for i, s := range series {
		keys[i] = s.key()
		l := look{keys[i], s.Dashed}
		if other, ok := taken[l]; ok {
			return nil, fmt.Errorf("series %q and %q look the same: both have the scheme %q", other, s.Name, cmp.Or(s.Scheme, s.Name))
		}
		taken[l] = s.Name
	}
	for _, places := range []map[string]int{schemes, vendors} {
		for _, key := range keys {
			if i, ok := places[key]; ok && !used[palette[i]] {
				styles[key] = palette[i]
				used[palette[i]] = true
			}
		}
	}
	assigned := make([]Style, len(series))
	for i, key := range keys {
		if _, ok := styles[key]; !ok {
			next := slices.IndexFunc(palette, func(s Style) bool { return !used[s] })
			if next < 0 {
				return nil, fmt.Errorf("there are more schemes than the %d that can be told apart", len(palette))
			}
			styles[key] = palette[next]
			used[palette[next]] = true
		}
		assigned[i] = styles[key]
	}
	return assigned, nil
}

func rgb(r, g, b uint8) color.RGBA { return color.RGBA{r, g, b, 0xff} }

// css returns the colour as CSS and ECharts write it.
func css(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
