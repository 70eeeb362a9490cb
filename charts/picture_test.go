package charts

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"
)

// A picture of few colours stays as it is.
func TestFewColoursStayExact(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 16, 16))
	for i := range 256 {
		img.SetRGBA(i%16, i/16, rgb(uint8(i), uint8(255-i), uint8(7*i)))
	}
	got := reduce(img)
	for i := range 256 {
		if at := got.At(i%16, i/16); at != img.RGBAAt(i%16, i/16) {
			t.Fatalf("pixel %d is %v, want %v", i, at, img.RGBAAt(i%16, i/16))
		}
	}
}

// In a picture of many, the frequent colours stay and the others come close.
func TestManyColoursStayClose(t *testing.T) {
	frequent := []color.RGBA{rgb(1, 2, 3), rgb(0xff, 0xff, 0xff), rgb(0x12, 0x69, 0xdd)}
	r := rand.New(rand.NewPCG(1, 2))
	img := image.NewRGBA(image.Rect(0, 0, 100, 90))
	for y := range 90 {
		for x := range 100 {
			c := frequent[x%3]
			if y%3 == 0 { // shades between white and a colour, as at the edge of a line
				w := r.Float64()
				c = rgb(uint8(255-w*237), uint8(255-w*150), uint8(255-w*34*r.Float64()))
			}
			img.SetRGBA(x, y, c)
		}
	}
	got := reduce(img)
	if len(got.Palette) > 256 {
		t.Fatalf("%d colours", len(got.Palette))
	}
	for y := range 90 {
		for x := range 100 {
			a, b := img.RGBAAt(x, y), got.At(x, y).(color.RGBA)
			off := max(difference(a.R, b.R), difference(a.G, b.G), difference(a.B, b.B))
			if y%3 != 0 && off != 0 || off > 16 {
				t.Fatalf("pixel (%d, %d) is %v, want %v", x, y, b, a)
			}
		}
	}
}

func difference(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
