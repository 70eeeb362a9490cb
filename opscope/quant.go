package opscope

import (
	"context"
	"fmt"
	"math"
)

// Granularity says which elements of a matrix share one quantization step.
type Granularity string

const (
	// PerTensor: one step for the whole matrix.
	PerTensor Granularity = "tensor"
	// PerRow: one step a row. For a weight W[k,n] that is an input channel,
	// for an activation x[m,k] a token.
	PerRow Granularity = "row"
	// PerColumn: one step a column. For a weight W[k,n] that is an OUTPUT
	// channel, which is what "per channel" means: the step then leaves the
	// sum over k and scales one output.
	PerColumn Granularity = "column"
	// PerGroup: one step a group of consecutive elements along k of one output
	// channel of a weight, or of one token of an activation. The last group of a
	// channel may be shorter.
	PerGroup Granularity = "group"
)

// The range of bit widths that QuantError takes.
const (
	minBits = 2
	maxBits = 16
)

// QuantError is the relative L2 error of rounding w to signed integers of the
// given bits by symmetric absmax quantization: with L = 2^(bits-1)-1 and A the
// largest magnitude among the elements that share a step, step = A/L,
// q = round(w/step), and the error is ‖q·step - w‖/‖w‖. Nothing is clipped.
// The steps are float64 here; a kernel that stores them as float32 differs by
// less than 1e-6 of the error's own size.
//
// The result lies in [0,1); a group of zeros adds no error. NaN if w has
// non-finite elements, 0 if it is zero or empty. QuantError panics on a malformed
// matrix, on bits outside 2 to 16 and on a granularity other than PerTensor,
// PerRow and PerColumn; for groups there is GroupQuantError.
//
// For Gaussian elements in groups of k the error is about
// sqrt(E[A²]/12)/L, A being the largest of k magnitudes: 0.0079 at 8 bits and
// 0.143 at 4 bits for k = 1024.
func QuantError(w Matrix, bits int, g Granularity) float64 {
	mustCheck(w)
	checkBits(bits)
	if g != PerTensor && g != PerRow && g != PerColumn {
		panic(fmt.Sprintf("opscope: unknown granularity %q", string(g)))
	}
	return schemeError(w, func(c roundingContext) scheme { return c.symmetric(bits, g, 0) }, schemeLength)
}

// GroupQuantError is QuantError with one step for each group of so many
// consecutive elements along k of an output channel of the weight W[k,n], that is,
// down a column. It panics on a malformed matrix, on bits outside 2 to 16 and on
// a group below 1.
//
// For Gaussian elements it is 0.0970 at 4 bits in groups of 32.
func GroupQuantError(w Matrix, bits, group int) float64 {
	mustCheck(w)
	checkBits(bits)
	if group < 1 {
		panic(fmt.Sprintf("opscope: quantization in groups of %d", group))
	}
	return schemeError(w, func(c roundingContext) scheme { return c.symmetric(bits, PerGroup, group) }, group*max(1, schemeLength/group))
}

func checkBits(bits int) {
	if bits < minBits || bits > maxBits {
		panic(fmt.Sprintf("opscope: quantization to %d bits, want %d to %d", bits, minBits, maxBits))
	}
}

// FormatError is the relative L2 error of storing the weight W[k,n] in a format
// that models are shipped in, blocks running along k, as its reference writer
// rounds. Formats lists the names. BF16 and F16 round each element to the nearest
// number, ties to even; one beyond the largest BF16 becomes that, as kernels.BF16 has
// it. NaN if w has non-finite elements, or elements or steps that overflow the format,
// 0 if it is zero or empty. It can be above 1 for Q4_K, where offsets are left of steps
// too small for binary16. The errors are an unknown name and a malformed matrix.
//
// For Gaussian elements it is 0.0017 of BF16 and 0.00021 of F16.
func FormatError(w Matrix, format string) (float64, error) {
	if err := check(w); err != nil {
		return 0, err
	}
	for _, f := range formats {
		if f.name == format {
			return schemeError(w, func(c roundingContext) scheme { return c.format(f, f.granularity) }, schemeLength), nil
		}
	}
	return 0, fmt.Errorf("opscope: no format %q; there are %q", format, Formats())
}

// schemeError is the error of one way to round w, whose columns are channels.
func schemeError(w Matrix, newScheme func(roundingContext) scheme, length int) float64 {
	ctx := context.Background()
	c := channels{memoryInput(w), false}
	s, _ := gather(ctx, w)
	results, _ := schemePass(ctx, c, s, []scheme{newScheme(newRoundingContext(c, s))}, nil, length)
	return results[0].Error
}

// symmetricRound rounds x to multiples of largest/l, of at most l of them. The
// product is converted to float64, which rounds it: a fused multiply-subtract
// would find an error where a value lies on the grid.
func symmetricRound(dst, x []float64, largest, l float64) {
	if largest == 0 {
		clear(dst)
		return
	}
	step, inv := largest/l, l/largest
	for i, v := range x {
		dst[i] = float64(math.RoundToEven(v*inv) * step)
	}
}

// asymmetricRound rounds x to levels+1 evenly spaced values from low to high.
func asymmetricRound(dst, x []float64, low, high, levels float64) {
	step := (high - low) / levels
	if step == 0 {
		copy(dst, x)
		return
	}
	for i, v := range x {
		dst[i] = low + float64(math.RoundToEven((v-low)/step)*step)
	}
}

// searchedRound rounds x to multiples of a step, of at most l of them: of
// several first guesses of the step the one of the least squared error, and from
// there the best step for its codes, the codes of that step, and so on.
func searchedRound(dst, x []float64, l float64) {
	const (
		guesses = 24
		lowest  = 0.3 // of the step that clips nothing
	)
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		clear(dst)
		return
	}
	// fit returns the squared error of a step, and the best step for its codes.
	fit := func(step float64) (errSq, better float64) {
		var xq, qq float64
		inv := 1 / step
		for _, v := range x {
			q := clampedCode(v*inv, l)
			e := v - float64(q*step)
			errSq += e * e
			xq += v * q
			qq += q * q
		}
		return errSq, xq / qq // some code is l
	}
	step := largest / l
	least, next := fit(step)
	for i := 1; i < guesses; i++ {
		guess := largest / l * (1 - (1-lowest)*float64(i)/guesses)
		if errSq, better := fit(guess); errSq < least {
			least, step, next = errSq, guess, better
		}
	}
	for {
		errSq, better := fit(next)
		if !(errSq < least*(1-1e-9)) {
			break
		}
		least, step, next = errSq, next, better
	}
	for i, v := range x {
		dst[i] = clampedCode(v/step, l) * step
	}
}

func clampedCode(v, l float64) float64 {
	if v > l {
		return l
	}
	if v < -l {
		return -l
	}
	return math.RoundToEven(v)
}
