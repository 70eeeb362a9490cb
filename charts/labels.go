package charts

import "slices"

const (
	labelGap    = 8  // from a point to its label
	labelHeight = 14 // of a line of text
)

// A box is a rectangle in the plane of the data, y downwards.
type box struct{ left, top, right, bottom float64 }

func (b box) overlaps(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// labelSides are where a label may stand, best first.
var labelSides = []string{"right", "top", "left", "bottom"}

// placeLabels finds for each label the first side of its point where it covers
// no other point and no label before it; "" when there is none. It returns nil
// when there are no labels.
func placeLabels(series []Series, xs, ys scale) [][]string {
	width := figureWidth - 2*pad - nameHeight - ys.labelWidth() - 8
	const height = dataHeight - pad - 2*nameHeight
	center := func(s Series, i int) (x, y float64) {
		return width * xs.at(s.X[i]), height * (1 - ys.at(s.Y[i]))
	}
	if !slices.ContainsFunc(series, func(s Series) bool { return len(s.Labels) > 0 }) {
		return nil
	}
	var taken []box
	for _, s := range series {
		for i := range s.X {
			if !s.Dashed {
				x, y := center(s, i)
				taken = append(taken, box{x - markerSize/2, y - markerSize/2, x + markerSize/2, y + markerSize/2})
			}
		}
	}
	sides := make([][]string, len(series))
	for si, s := range series {
		sides[si] = make([]string, len(s.Labels))
		for i, label := range s.Labels {
			x, y := center(s, i)
			w := textWidth(label, textSize)
			for _, side := range labelSides {
				b := box{x - w/2, y - labelHeight/2, x + w/2, y + labelHeight/2}.moved(side, w)
				inside := b.left >= 0 && b.right <= width && b.top >= 0 && b.bottom <= height
				if label != "" && inside && !slices.ContainsFunc(taken, b.overlaps) {
					sides[si][i] = side
					taken = append(taken, b)
					break
				}
			}
		}
	}
	return sides
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
	}
	return box{b.left + dx, b.top + dy, b.right + dx, b.bottom + dy}
}
