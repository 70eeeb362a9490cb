package opscope

import (
	"context"
	"slices"
)

// ChannelOutliers compares the largest magnitudes of the rows of w, and then
// those of its columns. Rows and columns that are all zero do not count towards
// the median, which is the upper one of an even number. Ratio and Smallest are NaN if
// w has non-finite elements, 0 if it is zero or empty. It panics on a malformed matrix.
func ChannelOutliers(w Matrix) []Outliers {
	mustCheck(w)
	s, _ := gather(context.Background(), w)
	var p Profile
	p.setStats(s, false)
	return p.Outliers
}

// outliers compares the largest magnitudes of rows or columns.
func outliers(axis Granularity, largest []float32) Outliers {
	sorted := slices.DeleteFunc(slices.Clone(largest), func(m float32) bool { return m == 0 })
	o := Outliers{Axis: axis}
	if len(sorted) == 0 {
		return o
	}
	slices.Sort(sorted)
	median := float64(sorted[len(sorted)/2])
	for _, m := range sorted {
		if float64(m) > OutlierRatio*median {
			o.Count++
		}
	}
	o.Ratio = float64(sorted[len(sorted)-1]) / median
	o.Smallest = float64(sorted[0])
	return o
}
