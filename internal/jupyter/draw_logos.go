//go:build ignore

// Draws the logos of the kernelspec: a sparse weight matrix under a lens.
package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"math"
	"os"
)

// The drawing is in units of a 64 x 64 square.
const (
	side                = 64.0
	lensX, lensY, lensR = 27.0, 27.0, 21.0
	ring                = 5.0
	handleFrom          = 43.0
	handleTo            = 57.0
	cell, gap           = 7.0, 1.5
	samples             = 8 // for each pixel and axis
)

var (
	dark = color.NRGBA{0x37, 0x47, 0x4f, 0xff}
	blue = color.NRGBA{0x00, 0xad, 0xd8, 0xff}
	pale = color.NRGBA{0xd5, 0xee, 0xf6, 0xff}
)

// weights is the matrix: 1 for an entry that is not zero.
var weights = [4][4]int{{1, 0, 0, 1}, {0, 1, 0, 0}, {0, 0, 1, 1}, {1, 0, 0, 1}}

func main() {
	for _, pixels := range []int{32, 64} {
		var out bytes.Buffer
		encoder := png.Encoder{CompressionLevel: png.BestCompression}
		if err := encoder.Encode(&out, render(pixels)); err != nil {
			log.Fatal(err)
		}
		write(fmt.Sprintf("logos/logo-%dx%d.png", pixels, pixels), out.Bytes())
	}
	write("logos/logo-svg.svg", vector())
}

func write(name string, data []byte) {
	if err := os.WriteFile(name, data, 0o644); err != nil {
		log.Fatal(err)
	}
}

// square returns the corner of an entry of the matrix.
func square(i int) float64 { return lensX - 2*cell - 1.5*gap + float64(i)*(cell+gap) }

func render(pixels int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, pixels, pixels))
	scale := side / float64(pixels*samples)
	for y := range pixels {
		for x := range pixels {
			var r, g, b, a float64
			for sy := range samples {
				for sx := range samples {
					c := at((float64(x*samples+sx)+0.5)*scale, (float64(y*samples+sy)+0.5)*scale)
					r += float64(c.R) * float64(c.A)
					g += float64(c.G) * float64(c.A)
					b += float64(c.B) * float64(c.A)
					a += float64(c.A)
				}
			}
			if a > 0 {
				img.SetNRGBA(x, y, color.NRGBA{uint8(r/a + 0.5), uint8(g/a + 0.5), uint8(b/a + 0.5), uint8(a/(samples*samples) + 0.5)})
			}
		}
	}
	return img
}

func at(x, y float64) color.NRGBA {
	d := math.Hypot(x-lensX, y-lensY)
	// The handle: distance to a segment on the diagonal.
	t := min(max((x+y)/2, handleFrom), handleTo)
	switch {
	case math.Abs(d-lensR) <= ring/2:
		return dark
	case d < lensR:
		for i, row := range weights {
			for j, w := range row {
				if w == 1 && x >= square(j) && x < square(j)+cell && y >= square(i) && y < square(i)+cell {
					return blue
				}
			}
		}
		return pale
	case math.Hypot(x-t, y-t) <= ring/2+1:
		return dark
	}
	return color.NRGBA{}
}

func vector() []byte {
	hex := func(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\">\n", side, side)
	fmt.Fprintf(&b, "<clipPath id=\"lens\"><circle cx=\"%g\" cy=\"%g\" r=\"%g\"/></clipPath>\n", lensX, lensY, lensR)
	fmt.Fprintf(&b, "<path d=\"M%g %gL%g %g\" stroke=\"%s\" stroke-width=\"%g\" stroke-linecap=\"round\"/>\n",
		handleFrom, handleFrom, handleTo, handleTo, hex(dark), ring+2)
	fmt.Fprintf(&b, "<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"%s\"/>\n<g clip-path=\"url(#lens)\" fill=\"%s\">\n", lensX, lensY, lensR, hex(pale), hex(blue))
	for i, row := range weights {
		for j, w := range row {
			if w == 1 {
				fmt.Fprintf(&b, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", square(j), square(i), cell, cell)
			}
		}
	}
	fmt.Fprintf(&b, "</g>\n<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"/>\n</svg>\n", lensX, lensY, lensR, hex(dark), ring)
	return b.Bytes()
}
