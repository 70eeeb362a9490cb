package weights_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// load decodes a file that holds one matrix [rows, cols].
func load(t *testing.T, dtype weights.DType, rows, cols int, values []byte) []float32 {
	t.Helper()
	m, err := matrixFile(t, dtype, rows, cols, values).Matrix("w")
	if err != nil {
		t.Fatal(err)
	}
	w, err := m.Load()
	if err != nil {
		t.Fatal(err)
	}
	if w.Matrix.Rows != rows || w.Matrix.Cols != cols || w.Matrix.Stride != cols || len(w.Matrix.Data) != rows*cols {
		t.Fatalf("loaded %d x %d, stride %d, %d values; want %d x %d",
			w.Matrix.Rows, w.Matrix.Cols, w.Matrix.Stride, len(w.Matrix.Data), rows, cols)
	}
	return w.Matrix.Data
}

// matrixFile returns a file that holds one matrix [rows, cols].
func matrixFile(t *testing.T, dtype weights.DType, rows, cols int, values []byte) *weights.File {
	t.Helper()
	return mustParse(t, fmt.Sprintf(`{"w":{"dtype":"%s","shape":[%d,%d],"data_offsets":[0,%d]}}`, dtype, rows, cols, len(values)), values)
}

// all16 holds every pattern of 16 bits in order.
func all16() []byte {
	var b []byte
	for h := range 1 << 16 {
		b = binary.LittleEndian.AppendUint16(b, uint16(h))
	}
	return b
}

// ieee is the value of a binary format by its definition, for a pattern with one sign
// bit, then exponent bits, then fraction bits.
func ieee(pattern uint64, exponentBits, fractionBits int) float64 {
	fraction := float64(pattern & (1<<fractionBits - 1))
	exponent := int(pattern >> fractionBits & (1<<exponentBits - 1))
	bias := 1<<(exponentBits-1) - 1
	sign := 1.0
	if pattern>>(exponentBits+fractionBits)&1 == 1 {
		sign = -1
	}
	switch {
	case exponent == 1<<exponentBits-1 && fraction == 0:
		return math.Inf(int(sign))
	case exponent == 1<<exponentBits-1:
		return math.NaN()
	case exponent == 0:
		return sign * math.Ldexp(fraction, 1-bias-fractionBits)
	}
	return sign * math.Ldexp(1+math.Ldexp(fraction, -fractionBits), exponent-bias)
}

func TestEvery16BitPattern(t *testing.T) {
	for _, format := range []struct {
		dtype                  weights.DType
		exponent, fraction     int
		smallest, largest, one int // patterns
		wantSmallest           float64
		wantLargest            float64
	}{
		{weights.F16, 5, 10, 0x0001, 0x7bff, 0x3c00, 5.9604644775390625e-08, 65504},
		{weights.BF16, 8, 7, 0x0001, 0x7f7f, 0x3f80, math.Ldexp(1, -133), 3.3895313892515355e+38},
	} {
		got := load(t, format.dtype, 256, 256, all16())
		for h, v := range got {
			want := ieee(uint64(h), format.exponent, format.fraction)
			same := float64(v) == want && math.Signbit(float64(v)) == math.Signbit(want)
			if !same && !(math.IsNaN(want) && math.IsNaN(float64(v))) {
				t.Fatalf("%s %#04x decodes to %g, want %g", format.dtype, h, v, want)
			}
		}
		if v := float64(got[format.smallest]); v != format.wantSmallest {
			t.Errorf("the smallest %s is %g, want %g", format.dtype, v, format.wantSmallest)
		}
		if v := float64(got[format.largest]); v != format.wantLargest {
			t.Errorf("the largest %s is %g, want %g", format.dtype, v, format.wantLargest)
		}
		if v := got[format.one]; v != 1 {
			t.Errorf("%s %#04x decodes to %g, want 1", format.dtype, format.one, v)
		}
	}
}

// The 8-bit and 4-bit types, every pattern, by their definitions.
func TestEverySmallPattern(t *testing.T) {
	// finite is the value where every exponent stands for a finite number.
	finite := func(exponentBits, fractionBits, bias int) func(uint64) float64 {
		return func(p uint64) float64 {
			fraction := float64(p&(1<<fractionBits-1)) / float64(int(1)<<fractionBits)
			exponent := int(p >> fractionBits & (1<<exponentBits - 1))
			v := (1 + fraction) * math.Pow(2, float64(exponent-bias))
			if exponent == 0 {
				v = fraction * math.Pow(2, float64(1-bias))
			}
			if p>>(exponentBits+fractionBits)&1 == 1 {
				v = math.Copysign(v, -1)
			}
			return v
		}
	}
	nanAt := func(value func(uint64) float64, patterns ...uint64) func(uint64) float64 {
		return func(p uint64) float64 {
			if slices.Contains(patterns, p) {
				return math.NaN()
			}
			return value(p)
		}
	}
	type exact struct {
		pattern int
		value   float64
	}
	for _, format := range []struct {
		dtype weights.DType
		value func(uint64) float64
		exact []exact // figures that the formats are published with
	}{
		{weights.F8E5M2, func(p uint64) float64 { return ieee(p, 5, 2) },
			[]exact{{0x01, math.Ldexp(1, -16)}, {0x3c, 1}, {0x7b, 57344}, {0xfb, -57344}, {0x7c, math.Inf(1)}}},
		{weights.F8E4M3, nanAt(finite(4, 3, 7), 0x7f, 0xff),
			[]exact{{0x01, math.Ldexp(1, -9)}, {0x08, math.Ldexp(1, -6)}, {0x38, 1}, {0x7e, 448}, {0xfe, -448}}},
		{weights.F8E4M3FNUZ, nanAt(finite(4, 3, 8), 0x80), []exact{{0x01, math.Ldexp(1, -10)}, {0x40, 1}, {0x7f, 240}, {0xff, -240}}},
		{weights.F8E5M2FNUZ, nanAt(finite(5, 2, 16), 0x80), []exact{{0x01, math.Ldexp(1, -17)}, {0x40, 1}, {0x7f, 57344}}},
		{weights.F8E8M0, nanAt(func(p uint64) float64 { return math.Ldexp(1, int(p)-127) }, 0xff),
			[]exact{{0, math.Ldexp(1, -127)}, {127, 1}, {254, math.Ldexp(1, 127)}}},
	} {
		raw := make([]byte, 256)
		for i := range raw {
			raw[i] = byte(i)
		}
		got := load(t, format.dtype, 16, 16, raw)
		for p, v := range got {
			want := format.value(uint64(p))
			same := float64(v) == want && math.Signbit(float64(v)) == math.Signbit(want)
			if !same && !(math.IsNaN(want) && math.IsNaN(float64(v))) {
				t.Errorf("%s %#02x decodes to %g, want %g", format.dtype, p, v, want)
			}
		}
		for _, e := range format.exact {
			if float64(got[e.pattern]) != e.value {
				t.Errorf("%s %#02x decodes to %g, want %g", format.dtype, e.pattern, got[e.pattern], e.value)
			}
		}
	}

	// The first of two values is in the low half of the byte.
	want := []float32{0, .5, 1, 1.5, 2, 3, 4, 6, float32(math.Copysign(0, -1)), -.5, -1, -1.5, -2, -3, -4, -6}
	got := load(t, weights.F4, 2, 8, []byte{0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe})
	for p, v := range got {
		if v != want[p] || math.Signbit(float64(v)) != math.Signbit(float64(want[p])) {
			t.Errorf("F4 %#x decodes to %g, want %g", p, v, want[p])
		}
	}
}

// float32 values come through bit by bit.
func TestF32Bits(t *testing.T) {
	patterns := []uint32{0, 1 << 31, 1, 0x007fffff, 0x00800000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc12345, 0x80000001}
	var raw []byte
	for _, p := range patterns {
		raw = binary.LittleEndian.AppendUint32(raw, p)
	}
	for i, v := range load(t, weights.F32, 3, 4, raw) {
		if got := math.Float32bits(v); got != patterns[i] {
			t.Errorf("value %d has the bits %#08x, want %#08x", i, got, patterns[i])
		}
	}
}

// A matrix larger than the block of one read has its values in order.
func TestManyBlocks(t *testing.T) {
	const rows, cols = 3, 70_001
	var raw []byte
	for i := range rows * cols {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(i)))
	}
	for i, v := range load(t, weights.F32, rows, cols, raw) {
		if v != float32(i) {
			t.Fatalf("value %d is %g", i, v)
		}
	}
}

// Every dtype of the specification is listed with its size, and one that is not decoded
// does not keep the others from being read.
func TestDTypes(t *testing.T) {
	const integers = "integers: codes without their scales"
	bits := []struct {
		name string
		bits int
		skip string // "" if decoded
	}{
		{"BOOL", 8, "booleans"}, {"F4", 4, ""},
		{"F6_E2M3", 6, "the packing of 6-bit values is not specified"}, {"F6_E3M2", 6, "the packing of 6-bit values is not specified"},
		{"U8", 8, integers}, {"I8", 8, integers}, {"F8_E5M2", 8, ""}, {"F8_E4M3", 8, ""},
		{"F8_E8M0", 8, ""}, {"F8_E4M3FNUZ", 8, ""}, {"F8_E5M2FNUZ", 8, ""},
		{"I16", 16, integers}, {"U16", 16, integers}, {"F16", 16, ""}, {"BF16", 16, ""},
		{"I32", 32, integers}, {"U32", 32, integers}, {"F32", 32, ""}, {"C64", 64, "complex numbers"},
		{"F64", 64, ""}, {"I64", 64, integers}, {"U64", 64, integers},
		{"F3_NEW", 0, "unknown"},
	}
	var header strings.Builder
	end := 0
	for i, d := range bits {
		if got := weights.DType(d.name).Bits(); got != d.bits {
			t.Errorf("%s has %d bits, want %d", d.name, got, d.bits)
		}
		if i > 0 {
			header.WriteByte(',')
		}
		begin := end
		end += d.bits // for 8 values
		fmt.Fprintf(&header, `"t%d":{"dtype":"%s","shape":[2,4],"data_offsets":[%d,%d]}`, i, d.name, begin, end)
	}
	f := mustParse(t, "{"+header.String()+"}", make([]byte, end))
	if n := len(f.Tensors()); n != len(bits) {
		t.Errorf("%d tensors, want %d", n, len(bits))
	}
	reasons := map[string]string{}
	for _, s := range f.Skipped() {
		reasons[string(s.Tensor.DType)] = s.Reason
	}
	for _, m := range f.Matrices() {
		if _, err := m.Load(); err != nil {
			t.Error(err)
		}
		reasons[string(m.Tensor.DType)] = ""
	}
	for _, d := range bits {
		want := "dtype " + d.name + " is not decoded: " + d.skip
		if d.skip == "" {
			want = ""
		} else if d.bits == 0 {
			want = `dtype "` + d.name + `" is not known`
		}
		if got, listed := reasons[d.name]; !listed || got != want {
			t.Errorf("%s is skipped with %q, want %q", d.name, got, want)
		}
	}
}
