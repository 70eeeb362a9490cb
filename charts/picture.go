package charts

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
)

// encodePNG writes a picture with at most 256 colours, which takes half the
// space of full colour. The frequent colours, so those of series and cells, stay
// exact; the shades between them at the edges of lines and letters are rounded.
func encodePNG(img image.Image) ([]byte, error) {
	rgba, ok := img.(*image.RGBA)
	if !ok {
		rgba = image.NewRGBA(img.Bounds())
		draw.Draw(rgba, rgba.Rect, img, img.Bounds().Min, draw.Src)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, reduce(rgba)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// reduce maps an opaque picture to a palette.
func reduce(img *image.RGBA) *image.Paletted {
	const exact = 96 // colours that are not rounded
	counts := map[color.RGBA]int{}
	forRuns(img, func(_, n int, c color.RGBA) { counts[c] += n })
	colors := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b color.RGBA) int {
		return cmp.Or(-cmp.Compare(counts[a], counts[b]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})

	var palette color.Palette
	var index map[color.RGBA]uint8
	for step := 1; ; step *= 2 {
		palette, index = nil, map[color.RGBA]uint8{}
		places := map[color.RGBA]uint8{}
		for i, c := range colors {
			rounded := c
			if i >= exact {
				rounded = color.RGBA{roundTo(c.R, step), roundTo(c.G, step), roundTo(c.B, step), 0xff}
			}
			if _, ok := places[rounded]; !ok {
				places[rounded] = uint8(len(palette))
				palette = append(palette, rounded)
			}
			index[c] = places[rounded]
		}
		if len(palette) <= 256 {
			break
		}
	}
	reduced := image.NewPaletted(img.Rect, palette)
	forRuns(img, func(i, n int, c color.RGBA) {
		place := index[c]
		for j := range n {
			reduced.Pix[i+j] = place
		}
	})
	return reduced
}

func roundTo(v uint8, step int) uint8 { return uint8(min(255, (int(v)+step/2)/step*step)) }

// forRuns calls f with every run of pixels of one colour in a row: the number of
// its first pixel, counted row by row, and its length.
func forRuns(img *image.RGBA, f func(i, n int, c color.RGBA)) {
	size := img.Rect.Size()
	for y := range size.Y {
		row := img.Pix[y*img.Stride:][:4*size.X]
		for x := 0; x < size.X; {
			c := color.RGBA{row[4*x], row[4*x+1], row[4*x+2], row[4*x+3]}
			n := 1
			for x+n < size.X && [4]uint8(row[4*(x+n):]) == [4]uint8{c.R, c.G, c.B, c.A} {
				n++
			}
			f(y*size.X+x, n, c)
			x += n
		}
	}
}
