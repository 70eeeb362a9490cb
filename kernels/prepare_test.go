package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Near a half the sum with 0.5 decides, and in float32 it would round up.
func TestRoundAwayIsMathRound(t *testing.T) {
	check := func(f float32) {
		for _, f := range []float32{f, -f} {
			if got, want := roundAway(f), math.Round(float64(f)); float64(got) != want {
				t.Fatalf("roundAway(%v) = %d, want %v", f, got, want)
			}
		}
	}
	infinity := float32(math.Inf(1))
	for halves := range 2 << 10 {
		f := float32(halves) / 2
		check(f)
		check(math.Nextafter32(f, infinity))
		check(math.Nextafter32(f, -infinity))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1 << 20 {
		check(random.Float32() * 256)
		// All exponents below that of 2^22.
		check(math.Float32frombits(random.Uint32N(math.Float32bits(1 << 22))))
	}
}

// The shape has more blocks of columns than threads, and a last block that is not
// whole.
func TestPreparedWeightDoesNotDependOnThreads(t *testing.T) {
	defer SetThreads(0)
	random := rand.New(rand.NewPCG(3, 4))
	plain := New(129, 177)
	for i := range plain.Data {
		plain.Data[i] = float32(random.NormFloat64())
	}
	// Two columns that W4A16 gives a factor of their own.
	scaled := plain
	scaled.Data = slices.Clone(plain.Data)
	for p := range scaled.Rows {
		scaled.Data[p*scaled.Stride+3] *= 0x1p-30
		scaled.Data[p*scaled.Stride+170] *= 0x1p30
	}
	identity := New(plain.Rows, plain.Rows)
	for i := range identity.Rows {
		identity.Data[i*identity.Stride+i] = 1
	}
	schemes := map[string]func(w Matrix) (Multiplier, error){
		"F32":   func(w Matrix) (Multiplier, error) { return NewF32(w) },
		"BF16":  func(w Matrix) (Multiplier, error) { return NewBF16(w) },
		"W8A8":  func(w Matrix) (Multiplier, error) { return NewW8A8(w) },
		"W8A16": func(w Matrix) (Multiplier, error) { return NewW8A16(w) },
		"W4A16": func(w Matrix) (Multiplier, error) { return NewW4A16(w) },
	}
	for name, prepare := range schemes {
		for _, w := range []Matrix{plain, scaled} {
			var want Matrix
			for threads := 1; threads <= 5; threads++ {
				SetThreads(threads)
				weight, err := prepare(w)
				if err != nil {
					t.Fatal(err)
				}
				got := Mul(weight, identity)
				if threads == 1 {
					want = got
				}
				for i := range got.Data {
					if math.Float32bits(got.Data[i]) != math.Float32bits(want.Data[i]) {
						t.Fatalf("%s, %d threads: element %d is %v, with one thread %v", name, threads, i, got.Data[i], want.Data[i])
					}
				}
			}
		}
	}
}

// The values next to a half of a scale are those that a product with the inverse
// could round to the wrong side.
func TestRoundQuotientIsThatOfTheDivision(t *testing.T) {
	check := func(f float32, scale float64) {
		got := roundQuotient(float64(f) * (1 / scale))
		if want := math.RoundToEven(float64(f) / scale); float64(got) != want {
			t.Fatalf("%v / %v is rounded to %d, want %v", f, scale, got, want)
		}
	}
	infinity := float32(math.Inf(1))
	random := rand.New(rand.NewPCG(5, 6))
	for digits := 1; digits < 1<<11; digits++ {
		scale := math.Ldexp(float64(digits), random.IntN(80)-60)
		for halves := -15; halves <= 15; halves++ {
			f := float32(scale * float64(halves) / 2)
			check(f, scale)
			check(math.Nextafter32(f, infinity), scale)
			check(math.Nextafter32(f, -infinity), scale)
		}
		for range 100 {
			check(float32(scale*(15*random.Float64()-7.5)), scale)
		}
	}
}
