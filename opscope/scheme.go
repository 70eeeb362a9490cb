package opscope

import (
	"context"
	"math"
)

// schemeLength is the number of elements along k that a scheme rounds at a
// time: the longest block of a format.
const schemeLength = 256

// scheme is one way to round a matrix. round sets dst to what x becomes, x being
// a segment of the channel from element k on. Behind both is room to fill up a block of a
// format, with zeros behind x.
type scheme struct {
	result QuantResult // but for the errors
	round  func(dst, x []float64, channel, k int)
}

// roundingContext is what schemes are made of.
type roundingContext struct {
	rows, cols, k        int
	stats                stats
	channelMax, crossMax []float32
	channelAxis          Granularity // PerRow or PerColumn
}

func newRoundingContext(c channels, s stats) roundingContext {
	n, k := c.size()
	r := roundingContext{rows: k, cols: n, k: k, stats: s, channelMax: s.colMax, crossMax: s.rowMax, channelAxis: PerColumn}
	if c.areRows {
		r.channelMax, r.crossMax = s.rowMax, s.colMax
	}
	return r
}

// ofActivation says that the channels are the rows of the profile.
func (c roundingContext) ofActivation() roundingContext {
	c.channelAxis = PerRow
	c.rows, c.cols = c.cols, c.rows
	return c
}

// stepBits is what one value of so many bits for each set of elements that
// share it takes, in bits an element.
func (c roundingContext) stepBits(bits float64, g Granularity, group int) float64 {
	if c.rows == 0 || c.cols == 0 {
		return 0
	}
	switch g {
	case PerTensor:
		return bits / (float64(c.rows) * float64(c.cols))
	case PerRow:
		return bits / float64(c.cols)
	case PerColumn:
		return bits / float64(c.rows)
	}
	return bits * float64((c.k+group-1)/group) / float64(c.k)
}

// symmetricResult describes symmetric quantization: float32 steps, or float16
// ones in groups.
func (c roundingContext) symmetricResult(bits int, g Granularity, group int) QuantResult {
	scale := 32.0
	if g == PerGroup {
		scale = 16
	}
	return QuantResult{Bits: bits, Granularity: g, Group: group, BitsPerWeight: float64(bits) + c.stepBits(scale, g, group)}
}

func (c roundingContext) symmetric(bits int, g Granularity, group int) scheme {
	l := levels(bits)
	s := scheme{result: c.symmetricResult(bits, g, group)}
	switch g {
	case PerTensor:
		s.round = func(dst, x []float64, _, _ int) { symmetricRound(dst, x, c.stats.absMax, l) }
	case c.channelAxis:
		s.round = func(dst, x []float64, channel, _ int) { symmetricRound(dst, x, float64(c.channelMax[channel]), l) }
	case PerGroup:
		s.round = eachGroup(group, func(dst, x []float64) {
			largest := 0.0
			for _, v := range x {
				largest = max(largest, math.Abs(v))
			}
			symmetricRound(dst, x, largest, l)
		})
	default:
		s.round = func(dst, x []float64, _, k int) {
			for i := range x {
				symmetricRound(dst[i:i+1], x[i:i+1], float64(c.crossMax[k+i]), l)
			}
		}
	}
	return s
}

func (c roundingContext) asymmetric(bits, group int) scheme {
	s := scheme{result: c.symmetricResult(bits, PerGroup, group)}
	s.result.Method = Asymmetric
	s.result.BitsPerWeight += c.stepBits(16, PerGroup, group)
	l := float64(int(1)<<bits - 1)
	s.round = eachGroup(group, func(dst, x []float64) {
		low, high := x[0], x[0]
		for _, v := range x {
			low, high = min(low, v), max(high, v)
		}
		asymmetricRound(dst, x, low, high, l)
	})
	return s
}

func (c roundingContext) scaleSearch(bits, group int) scheme {
	s := scheme{result: c.symmetricResult(bits, PerGroup, group)}
	s.result.Method = ScaleSearch
	l := levels(bits)
	s.round = eachGroup(group, func(dst, x []float64) { searchedRound(dst, x, l) })
	return s
}

// eachGroup rounds a segment by groups, of which the last may be shorter.
func eachGroup(group int, round func(dst, x []float64)) func(dst, x []float64, channel, k int) {
	return func(dst, x []float64, _, _ int) {
		for from := 0; from < len(x); from += group {
			to := min(from+group, len(x))
			round(dst[from:to], x[from:to])
		}
	}
}

// defaultSchemes are those whose errors fusedPass finds faster, in the order of
// Profile.Quant.
func (c roundingContext) defaultSchemes() []scheme {
	var list []scheme
	for _, bits := range []int{8, 4} {
		list = append(list, c.symmetricSchemes(bits)...)
	}
	return append(list, c.format(bf16, ""), c.format(f16, ""))
}

func (c roundingContext) symmetricSchemes(bits int) []scheme {
	return []scheme{
		c.symmetric(bits, PerTensor, 0),
		c.symmetric(bits, PerRow, 0),
		c.symmetric(bits, PerColumn, 0),
		c.symmetric(bits, PerGroup, 32),
		c.symmetric(bits, PerGroup, 128),
	}
}

// extraSchemes are what Options.Extra asks for.
func (c roundingContext) extraSchemes(extra Extras) []scheme {
	var list []scheme
	if extra&ExtraBits != 0 {
		for _, bits := range []int{7, 6, 5, 3} {
			list = append(list, c.symmetricSchemes(bits)...)
		}
	}
	for _, group := range []int{32, 128} {
		if extra&ExtraAsymmetric != 0 {
			list = append(list, c.asymmetric(8, group), c.asymmetric(4, group))
		}
		if extra&ExtraScaleSearch != 0 {
			list = append(list, c.scaleSearch(4, group))
		}
	}
	if extra&ExtraFormats != 0 {
		for _, f := range formats {
			if f.granularity == "" {
				continue // one of defaultSchemes
			}
			list = append(list, c.format(f, f.granularity))
			if f.granularity == PerTensor {
				list = append(list, c.format(f, c.channelAxis))
			}
		}
	}
	return list
}

// schemePass measures schemes, in segments of so many elements. meanSquares has
// one value for each element along k, or is nil.
func schemePass(ctx context.Context, c channels, s stats, schemes []scheme, meanSquares []float64, length int) ([]QuantResult, error) {
	results := make([]QuantResult, len(schemes))
	figure, degenerate := s.degenerate()
	for i, scheme := range schemes {
		results[i] = scheme.result
		results[i].Error = figure
		if meanSquares != nil {
			results[i].WeightedError = figure
		}
	}
	if len(schemes) == 0 || degenerate {
		return results, nil
	}
	n := len(schemes)
	type scratch struct{ x, rounded []float64 }
	perWorker := make([]scratch, workers())
	for i := range perWorker {
		room := max(length, schemeLength)
		perWorker[i] = scratch{make([]float64, room), make([]float64, room)}
	}
	// The last column is the norm that the errors are relative to.
	slots := c.slots()
	errs, weighted := make([]float64, slots*n), make([]float64, slots*(n+1))
	totals, weightedTotals := make([]float64, n), make([]float64, n+1)
	err := c.each(ctx, length, len(perWorker), func(worker int, seg segment) {
		x, rounded := perWorker[worker].x, perWorker[worker].rounded
		for i, v := range seg.x {
			x[i] = float64(v)
		}
		clear(x[len(seg.x):])
		x, rounded = x[:len(seg.x)], rounded[:len(seg.x)]
		errs, weighted := errs[seg.slot*n:][:n], weighted[seg.slot*(n+1):][:n+1]
		for i := range schemes {
			schemes[i].round(rounded, x, seg.channel, seg.k)
			var sum, weightedSum float64
			for j, v := range x {
				e := v - rounded[j]
				sum += e * e
				if meanSquares != nil {
					weightedSum += e * e * meanSquares[seg.k+j]
				}
			}
			errs[i] += sum
			weighted[i] += weightedSum
		}
		if meanSquares != nil {
			for j, v := range x {
				weighted[n] += v * v * meanSquares[seg.k+j]
			}
		}
	}, func(_, channels int) {
		addRows(totals, errs[:channels*n])
		addRows(weightedTotals, weighted[:channels*(n+1)])
	})
	for i := range results {
		results[i].Error = finiteRoot(totals[i] / s.sumSq)
		if weightedTotals[n] > 0 {
			results[i].WeightedError = finiteRoot(weightedTotals[i] / weightedTotals[n])
		}
	}
	return results, err
}

// addRows adds the rows of a matrix to sum and clears them.
func addRows(sum, rows []float64) {
	for i, v := range rows {
		sum[i%len(sum)] += v
	}
	clear(rows)
}

// finiteRoot is NaN for what overflowed.
func finiteRoot(v float64) float64 {
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return math.Sqrt(v)
}
