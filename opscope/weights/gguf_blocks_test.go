package weights_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights/gguftest"
)

// ggufBlock is a block type as its definition gives one value: scales and codes are read
// bit by bit, and the value is computed in float64.
type ggufBlock struct {
	name    string
	kind    uint32
	values  int
	bytes   int
	floats  []int // where the block has float16 numbers
	valueOf func(b []byte, i int) float64
}

// bitsAt returns n bits of a block from bit 8*at + shift on, the lowest first.
func bitsAt(b []byte, at, shift, n int) int {
	v := 0
	for i := range n {
		bit := 8*at + shift + i
		v |= int(b[bit/8]>>(bit%8)&1) << i
	}
	return v
}

func float16At(b []byte, at int) float64 {
	return ieee(uint64(binary.LittleEndian.Uint16(b[at:])), 5, 10)
}

// nibble returns the code of value i of 32 from byte at on: value i and value i+16 share
// a byte.
func nibble(b []byte, at, i int) int { return bitsAt(b, at+i%16, i/16*4, 4) }

// kScale returns the six-bit scale and minimum of block k of Q4_K and Q5_K, whose 12
// bytes begin at byte 4.
func kScale(b []byte, k int) (s, m float64) {
	if k < 4 {
		return float64(bitsAt(b, 4+k, 0, 6)), float64(bitsAt(b, 8+k, 0, 6))
	}
	return float64(bitsAt(b, 8+k, 0, 4) + 16*bitsAt(b, k, 6, 2)), float64(bitsAt(b, 8+k, 4, 4) + 16*bitsAt(b, 4+k, 6, 2))
}

var nonLinear = []float64{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

var ggufBlocks = []ggufBlock{
	{"Q4_0", 2, 32, 18, []int{0}, func(b []byte, i int) float64 {
		return float16At(b, 0) * float64(nibble(b, 2, i)-8)
	}},
	{"Q4_1", 3, 32, 20, []int{0, 2}, func(b []byte, i int) float64 {
		return float16At(b, 0)*float64(nibble(b, 4, i)) + float16At(b, 2)
	}},
	{"Q5_0", 6, 32, 22, []int{0}, func(b []byte, i int) float64 {
		return float16At(b, 0) * float64(nibble(b, 6, i)+16*bitsAt(b, 2, i, 1)-16)
	}},
	{"Q5_1", 7, 32, 24, []int{0, 2}, func(b []byte, i int) float64 {
		return float16At(b, 0)*float64(nibble(b, 8, i)+16*bitsAt(b, 4, i, 1)) + float16At(b, 2)
	}},
	{"Q8_0", 8, 32, 34, []int{0}, func(b []byte, i int) float64 {
		return float16At(b, 0) * float64(int8(b[2+i]))
	}},
	{"Q2_K", 10, 256, 84, []int{80, 82}, func(b []byte, i int) float64 {
		q := bitsAt(b, 16+i/128*32+i%32, i%128/32*2, 2)
		return float16At(b, 80)*float64(b[i/16]&15)*float64(q) - float16At(b, 82)*float64(b[i/16]>>4)
	}},
	{"Q3_K", 11, 256, 110, []int{108}, func(b []byte, i int) float64 {
		q := bitsAt(b, 32+i/128*32+i%32, i%128/32*2, 2) + 4*bitsAt(b, i%32, i/32, 1)
		k := i / 16
		s := bitsAt(b, 96+k%8, k/8*4, 4) + 16*bitsAt(b, 104+k%4, k/4*2, 2)
		return float16At(b, 108) * float64(s-32) * float64(q-4)
	}},
	{"Q4_K", 12, 256, 144, []int{0, 2}, func(b []byte, i int) float64 {
		s, m := kScale(b, i/32)
		q := bitsAt(b, 16+i/64*32+i%32, i/32%2*4, 4)
		return float16At(b, 0)*s*float64(q) - float16At(b, 2)*m
	}},
	{"Q5_K", 13, 256, 176, []int{0, 2}, func(b []byte, i int) float64 {
		s, m := kScale(b, i/32)
		q := bitsAt(b, 48+i/64*32+i%32, i/32%2*4, 4) + 16*bitsAt(b, 16+i%32, i/32, 1)
		return float16At(b, 0)*s*float64(q) - float16At(b, 2)*m
	}},
	{"Q6_K", 14, 256, 210, []int{208}, func(b []byte, i int) float64 {
		half, l := i/128, i%128
		q := bitsAt(b, half*64+l%64, l/64*4, 4) + 16*bitsAt(b, 128+half*32+l%32, l/32*2, 2)
		return float16At(b, 208) * float64(int8(b[192+i/16])) * float64(q-32)
	}},
	{"IQ4_NL", 20, 32, 18, []int{0}, func(b []byte, i int) float64 {
		return float16At(b, 0) * nonLinear[nibble(b, 2, i)]
	}},
	{"IQ4_XS", 23, 256, 136, []int{0}, func(b []byte, i int) float64 {
		k := i / 32
		s := bitsAt(b, 4, 4*k, 4) + 16*bitsAt(b, 2, 2*k, 2)
		return float16At(b, 0) * float64(s-32) * nonLinear[nibble(b, 8+16*k, i%32)]
	}},
	{"MXFP4", 39, 32, 17, nil, func(b []byte, i int) float64 {
		if b[0] == 255 {
			return math.NaN()
		}
		q := nibble(b, 1, i)
		v := float64(q&1) / 2 // with no exponent
		if e := q >> 1 & 3; e > 0 {
			v = math.Ldexp(1+v, e-1)
		}
		if q > 7 {
			v = -v
		}
		return math.Ldexp(v, int(b[0])-127)
	}},
}

// TestGGUFBlocks compares every decoder with the definition, on random bits: all bits of
// a block matter, scales of any sign and size, infinite and not a number among them. The
// value must be the exact one, rounded once.
func TestGGUFBlocks(t *testing.T) {
	for _, c := range ggufBlocks {
		const blocks = 200
		random := rand.New(rand.NewPCG(1, uint64(c.kind)))
		data := make([]byte, blocks*c.bytes)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		// The first blocks have scales at the edges: zero, the least and largest numbers,
		// infinity and NaN.
		for i, pattern := range []uint16{0, 0x8000, 1, 0x8001, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00} {
			for _, at := range c.floats {
				binary.LittleEndian.PutUint16(data[i*c.bytes+at:], pattern)
			}
		}
		if c.name == "MXFP4" {
			for i, e := range []byte{0, 1, 2, 127, 252, 253, 254, 255} {
				data[i*c.bytes] = e
			}
		}
		f := mustParseGGUF(t, gguftest.File{Tensors: []gguftest.Tensor{
			{Name: "x", Type: c.kind, Shape: []int{blocks, c.values}, Data: data}}})
		for i, got := range loadMatrix(t, f, "x") {
			want := float32(c.valueOf(data[i/c.values*c.bytes:][:c.bytes], i%c.values))
			if got != want && (got == got || want == want) {
				t.Errorf("%s: value %d of block %d is %g, want %g", c.name, i%c.values, i/c.values, got, want)
				break
			}
		}
	}
}
