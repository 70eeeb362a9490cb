package charts

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"
)

type vec [3]float64

// linear returns the linear-light sRGB components of a colour (IEC 61966-2-1).
func linear(c color.RGBA) vec {
	var v vec
	for i, b := range []uint8{c.R, c.G, c.B} {
		f := float64(b) / 255
		if f <= 0.04045 {
			v[i] = f / 12.92
		} else {
			v[i] = math.Pow((f+0.055)/1.055, 2.4)
		}
	}
	return v
}

// contrast is the contrast ratio of WCAG 2.1.
func contrast(a, b color.RGBA) float64 {
	luminance := func(c color.RGBA) float64 {
		v := linear(c)
		return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2]
	}
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func TestPaletteStandsOutOnLightAndDark(t *testing.T) {
	for _, ground := range []color.RGBA{rgb(0xff, 0xff, 0xff), rgb(0x11, 0x11, 0x11), rgb(0x1e, 0x1e, 0x1e)} {
		for _, s := range palette {
			if got := contrast(s.Color, ground); got < 3 {
				t.Errorf("%s on %s: contrast %.2f, less than 3", css(s.Color), css(ground), got)
			}
		}
	}
}

// visions are normal vision and the three dichromacies, as matrices on linear
// sRGB (Machado, Oliveira, Fernandes 2009, severity 1).
var visions = map[string][3]vec{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deutan": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritan": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// oklab returns the coordinates of Ottosson's Oklab (2020), in which distances
// are perceived differences.
func oklab(c vec) vec {
	l := math.Cbrt(0.4122214708*c[0] + 0.5363325363*c[1] + 0.0514459929*c[2])
	m := math.Cbrt(0.2119034982*c[0] + 0.6806995451*c[1] + 0.1073969566*c[2])
	s := math.Cbrt(0.0883024619*c[0] + 0.2817188376*c[1] + 0.6299787005*c[2])
	return vec{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

// closest returns the least distance of two colours under any vision.
func closest(colors []color.RGBA) (float64, string) {
	least, where := math.Inf(1), ""
	for name, m := range visions {
		seen := make([]vec, len(colors))
		for i, c := range colors {
			v := linear(c)
			var w vec
			for j, row := range m {
				w[j] = min(1, max(0, row[0]*v[0]+row[1]*v[1]+row[2]*v[2]))
			}
			seen[i] = oklab(w)
		}
		for i, a := range seen {
			for j, b := range seen[:i] {
				if d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]); d < least {
					least, where = d, fmt.Sprintf("%s and %s, %s", css(colors[i]), css(colors[j]), name)
				}
			}
		}
	}
	return least, where
}

func TestPaletteSurvivesColourBlindness(t *testing.T) {
	okabeIto := []color.RGBA{
		rgb(0x00, 0x00, 0x00), rgb(0xe6, 0x9f, 0x00), rgb(0x56, 0xb4, 0xe9), rgb(0x00, 0x9e, 0x73),
		rgb(0xf0, 0xe4, 0x42), rgb(0x00, 0x72, 0xb2), rgb(0xd5, 0x5e, 0x00), rgb(0xcc, 0x79, 0xa7),
	}
	reference, _ := closest(okabeIto)
	var colors []color.RGBA
	for _, s := range palette {
		colors = append(colors, s.Color)
	}
	if got, where := closest(colors); got < reference {
		t.Errorf("closest colours %s: %.4f, closer than the %.4f of Okabe and Ito", where, got, reference)
	}
}

func TestPaletteMarkersDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range palette {
		if _, ok := shapes[s.Marker]; !ok || seen[s.Marker] {
			t.Errorf("marker %q is unknown or used twice", s.Marker)
		}
		seen[s.Marker] = true
	}
}

func TestShapesFillTheirSquare(t *testing.T) {
	for name, s := range shapes {
		if s.points == nil {
			continue
		}
		for axis := range 2 {
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, p := range s.points {
				lo, hi = min(lo, p[axis]), max(hi, p[axis])
			}
			if math.Abs(lo+1) > 1e-12 || math.Abs(hi-1) > 1e-12 {
				t.Errorf("%s reaches from %g to %g in direction %d", name, lo, hi, axis)
			}
		}
	}
}

func TestStyleOf(t *testing.T) {
	seen := map[Style]string{}
	for _, name := range []string{"dense", "f32", "bf16", "skipzeros", "lowrank", "int8", "int4", "w8a16", "w8a8", "w4a16"} {
		s, ok := StyleOf(name)
		if !ok {
			t.Errorf("%s has no style", name)
		}
		if other := seen[s]; other != "" {
			t.Errorf("%s and %s share a style", name, other)
		}
		seen[s] = name
	}
	for alias, name := range map[string]string{"Skip-Zeros": "skipzeros", "W8A16": "w8a16", "low rank": "lowrank", "low_rank": "lowrank"} {
		a, _ := StyleOf(alias)
		if s, _ := StyleOf(name); a != s {
			t.Errorf("%q does not look like %q", alias, name)
		}
	}
	if s, ok := StyleOf("measured"); ok || s != (Style{}) {
		t.Errorf("an unknown name has the style %v", s)
	}
}

// A vendor's product looks the same in every chart where no scheme of ours has
// its style, and never like that scheme.
func TestVendorStyles(t *testing.T) {
	for _, name := range []string{"accelerate-f32", "bnns-f32", "bnns-i8", "openblas-f32", "onednn-f32", "onednn-bf16", "onednn-s8s8", "onednn-u8s8"} {
		style, ok := StyleOf(name)
		if !ok {
			t.Errorf("%s has no style", name)
			continue
		}
		got, err := assignStyles([]Series{{Name: "mine"}, {Name: name}, {Name: "f32"}})
		if err != nil || got[1] != style || got[0] == style || got[2] == style {
			t.Errorf("%s looks %v (%v), want %v", name, got, err, style)
		}
	}
	got, err := assignStyles([]Series{{Name: "onednn-s8s8"}, {Name: "int8"}})
	if int8, _ := StyleOf("int8"); err != nil || got[1] != int8 || got[0] == int8 {
		t.Errorf("onednn-s8s8 and int8 look %v (%v)", got, err)
	}
}

func TestAssignStyles(t *testing.T) {
	f32, _ := StyleOf("f32")
	w8, _ := StyleOf("w8a8")
	got, err := assignStyles([]Series{
		{Name: "mine"}, {Name: "F32"}, {Name: "w8a8 measured", Scheme: "w8a8"}, {Name: "w8a8 predicted", Scheme: "w8a8", Dashed: true}, {Name: "other"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got[1] != f32 || got[2] != w8 || got[3] != w8 {
		t.Errorf("known schemes look %v, %v, %v", got[1], got[2], got[3])
	}
	if got[0] == got[4] || got[0] == f32 || got[4] == f32 || got[0] == w8 || got[4] == w8 {
		t.Errorf("unknown names look %v and %v beside f32 %v and w8a8 %v", got[0], got[4], f32, w8)
	}
	if got[0] != palette[1] {
		t.Errorf("the first unknown name looks %v, want the first free style %v", got[0], palette[1])
	}

	_, err = assignStyles([]Series{{Name: "a", Scheme: "int8"}, {Name: "b", Scheme: "INT8"}})
	if err == nil || !strings.Contains(err.Error(), "look the same") {
		t.Errorf("two lines of one scheme: %v", err)
	}
	many := make([]Series, len(palette)+1)
	for i := range many {
		many[i].Name = fmt.Sprint("s", i)
	}
	if _, err := assignStyles(many); err == nil {
		t.Error("more series than styles are accepted")
	}
	if _, err := assignStyles(many[1:]); err != nil {
		t.Errorf("as many series as styles: %v", err)
	}
}
