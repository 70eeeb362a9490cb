package charts

import (
	"math"
	"slices"
)

const (
	labelGap    = 8  // from a point to its label beside it
	labelHeight = 14 // of a line of text
	axisGap     = 2  // from the y axis to a label
	cornerGap   = 6  // from a point to its label at a corner, sideways
	cornerRise  = 13 // from a point to the middle of its label at a corner
)

// A box is a rectangle in the plane of the data, y downwards.
type box struct{ left, top, right, bottom float64 }

func (b box) overlaps(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// A segment is a straight piece of a line in the plane of the data.
type segment struct{ x1, y1, x2, y2 float64 }

// crosses reports whether a part of the segment lies in the box. It cuts off what
// lies beyond each side (Liang and Barsky, 1984).
func (s segment) crosses(b box) bool {
	from, to := 0.0, 1.0
	dx, dy := s.x2-s.x1, s.y2-s.y1
	for _, side := range [][2]float64{{-dx, s.x1 - b.left}, {dx, b.right - s.x1}, {-dy, s.y1 - b.top}, {dy, b.bottom - s.y1}} {
		along, room := side[0], side[1]
		switch {
		case along == 0 && room <= 0:
			return false
		case along < 0:
			from = max(from, room/along)
		case along > 0:
			to = min(to, room/along)
		}
	}
	return from < to
}

// labelSides are where a label may stand, best first: beside its point, or at a
// corner of it.
var labelSides = []string{"right", "top", "left", "bottom", "right up", "right down", "left up", "left down"}

// A placing is where labels stand in a figure of a width, in CSS pixels.
type placing struct {
	Width int `json:"width"`
	// Sides are the sides of the points at which their labels stand, a series each;
	// "" for a point without one.
	Sides [][]string `json:"sides"`
}

// placings places labels for the width of the picture, which is the first, and for
// the narrower ones that an interactive chart may have; nil if there are no labels.
func placings(series []Series, xs, ys scale) []placing {
	if !slices.ContainsFunc(series, func(s Series) bool { return len(s.Labels) > 0 }) {
		return nil
	}
	var list []placing
	for _, width := range []int{figureWidth, 540, 400, 320} {
		list = append(list, placing{width, placeLabels(series, xs, ys, width)})
	}
	return list
}

// placeLabels finds for each label, of the sides of its point at which it covers no
// marker and no label before it, the first at which it covers the fewest lines; ""
// when there is none. figure is the width of the figure.
func placeLabels(series []Series, xs, ys scale, figure int) [][]string {
	width := float64(figure) - 2*pad - nameHeight - ys.labelWidth() - 8
	const height = dataHeight - pad - 2*nameHeight
	at := func(x, y float64) (right, down float64) {
		return width * xs.at(x), height * (1 - ys.at(max(y, ys.min))) // an open error bar ends at the axis
	}
	taken, lines := obstacles(series, at)
	sides := make([][]string, len(series))
	for si, s := range series {
		sides[si] = make([]string, len(s.Labels))
		for i, label := range s.Labels {
			if label == "" {
				continue
			}
			x, y := at(s.X[i], s.Y[i])
			w := textWidth(label, textSize)
			fewest, place := math.MaxInt, box{}
			for _, side := range labelSides {
				b := box{x - w/2, y - labelHeight/2, x + w/2, y + labelHeight/2}.moved(side, w)
				if b.left < axisGap || b.right > width || b.top < 0 || b.bottom > height || slices.ContainsFunc(taken, b.overlaps) {
					continue
				}
				if n := crossings(lines, b); n < fewest {
					fewest, place, sides[si][i] = n, b, side
				}
			}
			if sides[si][i] != "" {
				taken = append(taken, place)
			}
		}
	}
	return sides
}

// obstacles returns what labels keep off: the markers of points, and dashed lines
// and error bars. at is the place of a point in the plane of the data.
func obstacles(series []Series, at func(x, y float64) (right, down float64)) (markers []box, lines []segment) {
	for _, s := range series {
		for i := range s.X {
			x, y := at(s.X[i], s.Y[i])
			if !s.Dashed {
				markers = append(markers, box{x - markerSize/2, y - markerSize/2, x + markerSize/2, y + markerSize/2})
			} else if i > 0 {
				x1, y1 := at(s.X[i-1], s.Y[i-1])
				lines = append(lines, segment{x1, y1, x, y})
			}
			if s.hasErrors() {
				_, bottom := at(s.X[i], s.Low[i])
				_, top := at(s.X[i], s.High[i])
				lines = append(lines, segment{x, top, x, bottom})
			}
		}
	}
	return markers, lines
}

// crossings counts the lines that cross a label.
func crossings(lines []segment, label box) int {
	count := 0
	for _, line := range lines {
		if line.crosses(label) {
			count++
		}
	}
	return count
}

// moved returns the box of a label of width w, which lies around its point, at a
// side of it.
func (b box) moved(side string, w float64) box {
	const up = labelGap - 2 + labelHeight/2
	dx, dy := 0.0, 0.0
	switch side {
	case "right":
		dx = labelGap + w/2
	case "left":
		dx = -labelGap - w/2
	case "top":
		dy = -up
	case "bottom":
		dy = up
	case "right up":
		dx, dy = cornerGap+w/2, -cornerRise
	case "right down":
		dx, dy = cornerGap+w/2, cornerRise
	case "left up":
		dx, dy = -cornerGap-w/2, -cornerRise
	case "left down":
		dx, dy = -cornerGap-w/2, cornerRise
	}
	return box{b.left + dx, b.top + dy, b.right + dx, b.bottom + dy}
}
