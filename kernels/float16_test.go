package kernels

import (
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

func TestFromF16(t *testing.T) {
	for h := range 0x7c00 {
		// IEEE 754-2019, section 3.4: 5 bits of exponent, biased by 15, 10 of fraction.
		exponent, fraction := h>>10, h&0x3ff
		want := math.Ldexp(float64(fraction), -24)
		if exponent > 0 {
			want = math.Ldexp(float64(1<<10+fraction), exponent-25)
		}
		if got := fromF16(uint16(h)); float64(got) != want {
			t.Fatalf("fromF16(%#x) = %v, want %v", h, got, want)
		}
	}
}

// Every number, and what is between it and the next: the middle goes to the even one.
func TestToF16(t *testing.T) {
	for h := range 0x7bff {
		low, high := fromF16(uint16(h)), fromF16(uint16(h+1))
		middle := (low + high) / 2
		even := uint16(h + h&1)
		for _, c := range []struct {
			f    float32
			want uint16
		}{
			{low, uint16(h)},
			{math.Nextafter32(middle, 0), uint16(h)},
			{middle, even},
			{math.Nextafter32(middle, high), uint16(h + 1)},
			{high, uint16(h + 1)},
		} {
			if got := toF16(c.f); got != c.want {
				t.Fatalf("toF16(%v) = %#x, want %#x", c.f, got, c.want)
			}
		}
	}
	if got := toF16(65519); got != 0x7bff {
		t.Errorf("toF16(65519) = %#x, want the largest number, 0x7bff", got)
	}
}

func TestToBF16(t *testing.T) {
	for _, c := range []struct {
		name string
		bits uint32
		want uint16
	}{
		{"1", 0x3f800000, 0x3f80},
		{"-0", 0x80000000, 0x8000},
		{"below the middle", 0x3f807fff, 0x3f80},
		{"the middle above an even one", 0x3f808000, 0x3f80},
		{"above the middle", 0x3f808001, 0x3f81},
		{"the middle above an odd one", 0xbf818000, 0xbf82},
		{"a carry into the exponent", 0x3fffffff, 0x4000},
		{"the smallest subnormal", 0x00000001, 0x0000},
		{"a subnormal", 0x80018000, 0x8002},
		{"the largest bfloat16", 0x7f7f0000, 0x7f7f},
		{"the largest float32", 0x7f7fffff, 0x7f7f},
		{"its negative", 0xff7fffff, 0xff7f},
		{"infinity", 0x7f800000, 0x7f80},
		{"negative infinity", 0xff800000, 0xff80},
		{"a NaN in the first bits", 0x7fc00000, 0x7fc0},
		{"a NaN in the last bit", 0xff800001, 0xffc0},
		{"a NaN of ones", 0x7fffffff, 0x7fff},
	} {
		if got := toBF16(math.Float32frombits(c.bits)); got != c.want {
			t.Errorf("%s: %#x became %#x, want %#x", c.name, c.bits, got, c.want)
		}
	}
	for b := range 1 << 16 {
		v := fromBF16(uint16(b))
		if v == v && toBF16(v) != uint16(b) {
			t.Fatalf("%#x became %#x", b, toBF16(v))
		}
	}
}

// Implementations that round a row of activations agree with toBF16, wherever in the
// row a value stands, and write nothing after it.
func TestRoundedRows(t *testing.T) {
	special := []uint32{0x7f7f7fff, 0x7f7f8000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xffffffff, 1, 0x80000000}
	tested := 0
	for _, impl := range bf16Table {
		if impl.funcs.round == nil || !cpu.Has(impl.needs) {
			continue
		}
		tested++
		for n := 1; n < 70; n++ {
			for at := -1; at < n; at++ {
				src, dst := make([]float32, n), make([]uint16, n+1)
				for i := range src {
					src[i] = math.Float32frombits(0x3f800000 + uint32(i)*0x5431)
				}
				if at >= 0 {
					src[at] = math.Float32frombits(special[(n+at)%len(special)])
				}
				dst[n] = 0x1234
				impl.funcs.round(dst[:n], src)
				for i, v := range src {
					if dst[i] != toBF16(v) {
						t.Fatalf("%s: value %d of %d, %#x, became %#x, want %#x", impl.name(), i, n, math.Float32bits(v), dst[i], toBF16(v))
					}
				}
				if dst[n] != 0x1234 {
					t.Fatalf("%s: wrote past %d values", impl.name(), n)
				}
			}
		}
	}
	t.Logf("%d implementations round", tested)
}
