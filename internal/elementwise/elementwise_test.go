package elementwise

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/rlx-go/gopherscope/internal/guard"
)

var inf, nan = float32(math.Inf(1)), float32(math.NaN())

// samples are kinds of elements, of which n are made.
var samples = []struct {
	name string
	at   func(rng *rand.Rand, i int) float32
}{
	{"normal", func(rng *rand.Rand, _ int) float32 { return float32(rng.NormFloat64()) }},
	{"tiny", func(rng *rand.Rand, _ int) float32 { return float32(1e-30 * rng.NormFloat64()) }},
	{"about the smallest normal binary16", func(rng *rand.Rand, _ int) float32 { return float32(math.Ldexp(rng.NormFloat64(), -14)) }},
	{"subnormal", func(rng *rand.Rand, _ int) float32 { return float32(1e-42 * rng.NormFloat64()) }},
	{"huge", func(rng *rand.Rand, _ int) float32 { return float32(math.MaxFloat32 * (2*rng.Float64() - 1)) }},
	{"halves", func(_ *rand.Rand, i int) float32 { return 63.5 - float32(i)/2 }},
	{"the same", func(*rand.Rand, int) float32 { return -0.3 }},
	{"mostly zeros", func(rng *rand.Rand, i int) float32 {
		return []float32{0, float32(math.Copysign(0, -1)), 0, 1e-3, 0}[rng.IntN(5)] * float32(i%3)
	}},
	{"any", func(rng *rand.Rand, _ int) float32 {
		return math.Float32frombits(rng.Uint32() &^ (1 << (23 + rng.IntN(8))))
	}},
}

func sample(at func(rng *rand.Rand, i int) float32, n int) []float32 {
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	x := make([]float32, n)
	for i := range x {
		x[i] = at(rng, i)
	}
	return x
}

// Every tier computes what the definitions say, of any number of elements, and touches
// nothing beside them.
func TestDefinitions(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for n := range 280 {
		if n > 70 && n%32 > 1 {
			continue
		}
		for _, s := range samples {
			eachTier(func(tier string) {
				if err := checkDefinitions(sample(s.at, n)); err != nil {
					t.Errorf("%s, %d elements, %s: %v", tier, n, s.name, err)
				}
			})
		}
	}
}

// checkDefinitions compares all functions of x, whose elements are finite.
func checkDefinitions(elements []float32) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v", fault)
		}
	}()
	for _, atEnd := range []bool{true, false} {
		var release []func() error
		x := guarded(&release, atEnd, elements)
		scale := guarded(&release, atEnd, make([]float64, len(x)))
		weight := guarded(&release, atEnd, make([]float64, len(x)))
		codes := guarded(&release, atEnd, make([]uint16, len(x)))
		colMax := guarded(&release, atEnd, make([]uint32, len(x)))
		if err := checkSums(x, scale, weight); err != nil {
			return err
		}
		if err := checkCodes(x, codes); err != nil {
			return err
		}
		if err := checkRow(x, colMax); err != nil {
			return err
		}
		for _, f := range release {
			if err := f(); err != nil {
				return err
			}
		}
	}
	return nil
}

// guarded copies data to guarded memory, which f releases.
func guarded[T any](f *[]func() error, atEnd bool, data []T) []T {
	m, err := guard.New[T](len(data), atEnd)
	if err != nil {
		panic(err)
	}
	*f = append(*f, m.Close)
	copy(m.Data, data)
	return m.Data
}

// A sum is one result of a function and what it is the sum of.
type sum struct {
	name  string
	got   float64
	terms []float64
}

func (s *sum) add(term float64) { s.terms = append(s.terms, term) }

// check returns an error if the result is farther from the sum of the terms than the
// rounding of each operation explains.
func (s *sum) check() error {
	exact, magnitudes := new(big.Float).SetPrec(2000), 0.0
	for _, v := range s.terms {
		exact.Add(exact, new(big.Float).SetFloat64(v))
		magnitudes += math.Abs(v)
	}
	want, _ := exact.Float64()
	if !(math.Abs(s.got-want) <= float64(len(s.terms)+8)*0x1p-52*magnitudes) {
		return fmt.Errorf("%s is %v, want %v", s.name, s.got, want)
	}
	return nil
}

// toInteger is the distance of v, a product that is rounded first, to the nearest integer.
func toInteger(v float64) float64 { return math.Abs(float64(v) - math.RoundToEven(float64(v))) }

func checkSums(x []float32, scale, weight []float64) error {
	largest, total := 0.0, 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(float64(v)))
		total += float64(v)
	}
	m := largest
	if m == 0 {
		m = 1
	}
	for i := range x {
		scale[i] = 127 / m * (0.5 + 0.5/float64(i+1))
		weight[i] = m * m / float64(i%5+1)
	}
	mean := total / float64(max(1, len(x)))
	threshold := float32(0) // and then one of the magnitudes, which is not above itself
	if len(x) > 0 {
		threshold = float32(math.Abs(float64(x[len(x)/2])))
	}

	var all [15]sum
	for i, name := range []string{
		"error of 8 bits", "of 4", "weighted error of 8 bits", "of 4", "error of groups of 8 bits", "of 4",
		"error of bfloat16", "of binary16", "2:4", "number above", "sum above", "second moment", "fourth moment",
		"halves by 1", "by 0.5",
	} {
		all[i].name = name
	}
	set := func(i int, a, b float64) { all[i].got, all[i+1].got = a, b }
	a, b := RoundingErrors(x, 127/m, 7/m)
	set(0, a, b)
	a, b = WeightedRoundingErrors(x, scale, weight, 7./127)
	set(2, a, b)
	a, b, groupLargest := GroupRoundingErrors(x, 127, 7)
	set(4, a, b)
	a, b = Float16Errors(x)
	set(6, a, b)
	all[8].got = Dropped24(x)
	n, above := SumAbove(x, threshold)
	set(9, float64(n), above)
	a, b = Moments(x, mean)
	set(11, a, b)
	if largest < 1<<40 {
		a, b = RoundingErrors(x, 1, 0.5)
		set(13, a, b)
	}
	if float64(groupLargest) != largest {
		return fmt.Errorf("the largest magnitude is %v, want %v", groupLargest, largest)
	}

	overflow := false
	for i, f := range x {
		v := float64(f)
		square := func(e float64) float64 { return e * e }
		all[0].add(square(toInteger(v * (127 / m))))
		all[1].add(square(toInteger(v * (7 / m))))
		all[2].add(square(toInteger(v*scale[i])) * weight[i])
		all[3].add(square(toInteger(v*scale[i]*(7./127))) * weight[i])
		group, most := i/32*32, 0.0
		for _, u := range x[group:min(group+32, len(x))] {
			most = max(most, math.Abs(float64(u)))
		}
		if most > 0 {
			all[4].add(square(toInteger(v*(127/most))) * most * most)
			all[5].add(square(toInteger(v*(7/most))) * most * most)
		}
		bf16, f16 := float16Error(v, 8, -126), float16Error(v, 11, -14)
		if beyond := math.Abs(v) - 0x1.fep127; beyond > 0 {
			bf16 = beyond
		}
		overflow = overflow || math.Abs(v) >= 65520
		all[6].add(square(bf16))
		all[7].add(square(f16))
		if math.Abs(v) > float64(threshold) {
			all[9].add(1)
			all[10].add(math.Abs(v))
		}
		all[11].add(square(v - mean))
		all[12].add(square(square(v - mean)))
		if largest < 1<<40 {
			all[13].add(square(toInteger(v)))
			all[14].add(square(toInteger(v / 2)))
		}
	}
	for i := 0; i < len(x); i += 4 {
		var four [4]float64
		for j, v := range x[i:min(i+4, len(x))] {
			four[j] = math.Abs(float64(v))
		}
		slices.Sort(four[:])
		all[8].add(four[0] * four[0])
		all[8].add(four[1] * four[1])
	}
	for i, s := range all {
		if i == 7 && overflow {
			continue
		}
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

// float16Error is the distance of v to the nearest number of so many significant bits
// and with normal numbers from 2^minExponent on.
func float16Error(v float64, bits, minExponent int) float64 {
	if v == 0 {
		return 0
	}
	_, e := math.Frexp(v) // of 0.5 to 1
	step := math.Ldexp(1, max(e-1, minExponent)-bits+1)
	return toInteger(v/step) * step
}

func checkCodes(x []float32, codes []uint16) error {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(float64(v)))
	}
	for _, of := range []float64{1, 255.5, 32767} {
		inverse := of
		if largest > 0 {
			inverse = of / largest
		}
		GridCodes(codes, x, inverse)
		for i, v := range x {
			if want := 32768 + int(math.RoundToEven(float64(v)*inverse)); int(codes[i]) != want {
				return fmt.Errorf("code %d of %v is %d, want %d", i, v, codes[i], want)
			}
		}
	}
	return nil
}

func checkRow(x []float32, colMax []uint32) error {
	want := RowSums{Min: inf, Max: -inf}
	sums := [3]sum{{name: "sum"}, {name: "sum of magnitudes"}, {name: "sum of squares"}}
	for i := range colMax {
		colMax[i] = math.Float32bits([]float32{0, 0.5, 1e-40, 1e20, inf}[i%5])
	}
	wantMax := slices.Clone(colMax)
	for i, f := range x {
		v := float64(f)
		sums[0].add(v)
		sums[1].add(math.Abs(v))
		sums[2].add(v * v)
		want.Min, want.Max = min(want.Min, f), max(want.Max, f)
		if f == 0 {
			want.Zeros++
		}
		wantMax[i] = math.Float32bits(max(math.Float32frombits(wantMax[i]), float32(math.Abs(v))))
	}
	got := SumRow(x, colMax)
	if got.Zeros != want.Zeros || got.Min != want.Min || got.Max != want.Max || !slices.Equal(colMax, wantMax) {
		return fmt.Errorf("row %+v, want %+v; magnitudes %v, want %v", got, want, colMax, wantMax)
	}
	sums[0].got, sums[1].got, sums[2].got = got.Sum, got.SumAbs, got.SumSq
	for _, s := range sums {
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

// A row may be longer than what is done at a time.
func TestSumRowOfManyElements(t *testing.T) {
	x := sample(samples[0].at, 2*longestRun+35)
	eachTier(func(tier string) {
		if err := checkRow(x, make([]uint32, len(x))); err != nil {
			t.Errorf("%s: %.200v", tier, err)
		}
	})
}

// A row that is not finite shows in the sum of squares, wherever it is not. The extremes
// are those of the numbers.
func TestSumRowNotFinite(t *testing.T) {
	for _, bad := range []float32{nan, inf, -inf} {
		for n := 1; n < 70; n++ {
			for at := range n {
				x := sample(samples[0].at, n)
				x[at] = bad
				low, high := inf, -inf
				for _, v := range x {
					if v == v {
						low, high = min(low, v), max(high, v)
					}
				}
				eachTier(func(tier string) {
					colMax := make([]uint32, n)
					if s := SumRow(x, colMax); s.SumSq <= math.MaxFloat64 || s.Min != low || s.Max != high {
						t.Errorf("%s: %v at %d of %d: %+v, want extremes of %v and %v", tier, bad, at, n, s, low, high)
					}
					for i, m := range colMax {
						if want := math.Float32bits(x[i]) &^ (1 << 31); m != want {
							t.Errorf("%s: %v at %d of %d: the magnitude at %d is %x, want %x", tier, bad, at, n, i, m, want)
						}
					}
				})
			}
		}
	}
	// The largest numbers are finite.
	x := slices.Repeat([]float32{math.MaxFloat32}, 4096)
	eachTier(func(tier string) {
		if s := SumRow(x, make([]uint32, len(x))); !(s.SumSq <= math.MaxFloat64) {
			t.Errorf("%s: %+v", tier, s)
		}
	})
}

// Codes of a grid are on it: no rounding makes an error of them.
func TestNoErrorOnTheGrid(t *testing.T) {
	for _, largest := range []float32{1, 127, 0.3, 1e-38, 3e38} {
		x := make([]float32, 150)
		for i := range x {
			x[i] = []float32{-largest, 0, largest}[i%3]
		}
		m := float64(largest)
		eachTier(func(tier string) {
			a, b := RoundingErrors(x, 127/m, 7/m)
			c, d, _ := GroupRoundingErrors(x, 127, 7)
			if e := max(a, b, c/m/m, d/m/m); e > 1e-24 {
				t.Errorf("%s, up to %v: a squared error of %v", tier, largest, e)
			}
		})
	}
}

// FuzzDefinitions takes the elements of any bits that are finite.
func FuzzDefinitions(f *testing.F) {
	f.Add([]byte("some bytes as float32 numbers: 0123456789"))
	f.Add([]byte{0xff, 0xff, 0x7f, 0x7f, 1, 0, 0, 0x80, 0, 0, 0, 0x80, 0, 0, 0x80, 0x3f})
	f.Fuzz(func(t *testing.T, data []byte) {
		var x []float32
		for ; len(data) >= 4 && len(x) < 300; data = data[4:] {
			v := math.Float32frombits(uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24)
			if v-v == 0 {
				x = append(x, v)
			}
		}
		eachTier(func(tier string) {
			if err := checkDefinitions(x); err != nil {
				t.Errorf("%s, %v: %v", tier, x, err)
			}
		})
	})
}
