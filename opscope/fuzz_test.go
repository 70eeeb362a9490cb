package opscope_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

// FuzzElements checks, for any shape and any bits, that the figures of the
// fused pass are those of the single probes, in both layouts, and in their range.
func FuzzElements(f *testing.F) {
	f.Add(uint16(3), uint8(5), []byte("some bytes as float32 numbers: 0123456789"))
	f.Add(uint16(1), uint8(1), []byte{0, 0, 0x80, 0x7f})                                // +Inf
	f.Add(uint16(129), uint8(2), []byte{1, 0, 0, 0})                                    // the smallest number
	f.Add(uint16(40), uint8(3), []byte{0xff, 0xff, 0x7f, 0x7f, 0xff, 0xff, 0x7f, 0xff}) // the largest ones
	f.Add(uint16(260), uint8(3), []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x80, 0xcd, 0xcc, 0xcc, 0x3d, 0, 0, 0, 0, 1, 2, 3, 4})
	f.Add(uint16(138), uint8(5), []byte("Y70707")) // Q4_K with an offset, whose steps are below binary16
	f.Fuzz(func(t *testing.T, rows uint16, cols uint8, data []byte) {
		r, c := int(rows%300), int(cols%12)
		finite := true
		w := build(r, c, func(i, j int) float64 {
			var bits [4]byte
			for b := range bits {
				if len(data) > 0 {
					bits[b] = data[((i*c+j)*4+b)%len(data)]
				}
			}
			v := float64(math.Float32frombits(binary.LittleEndian.Uint32(bits[:])))
			finite = finite && !math.IsNaN(v) && !math.IsInf(v, 0)
			return v
		})
		o := opscope.Options{SVDLimit: -1, Extra: opscope.AllExtras}
		p := probe(t, w, o)
		o.OutIn = true
		q := probe(t, transpose(w), o)
		if p.NonFinite != q.NonFinite || p.Zeros != q.Zeros || p.BestBits != q.BestBits || p.Cardinality != q.Cardinality {
			t.Fatalf("as [in, out]\n%v\nas [out, in]\n%v", p, q)
		}
		if !finite {
			for _, v := range []float64{p.Density, p.Norm, p.Min, p.Max, p.Mean, p.Kurtosis, p.Ternary, p.StableRank,
				p.Quant[0].Error, p.Sparse[0].Error, p.Outliers[0].Ratio, p.Quant[len(p.Quant)-1].Error} {
				if !math.IsNaN(v) {
					t.Fatalf("a figure of non-finite elements:\n%v", p)
				}
			}
			return
		}
		// An error that is 0 but for rounding is the root of what rounding leaves.
		same := func(what string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) <= 1e-7) {
				t.Errorf("%s: %v and %v", what, got, want)
			}
		}
		for i, e := range p.Quant {
			if math.IsNaN(e.Error) && e.Format != "" {
				continue // a number beyond binary16
			}
			if !(e.Error >= 0 && (e.Error <= 1+1e-9 || e.Format == "Q4_K")) {
				t.Errorf("%+v", e)
			}
			same(e.Format, e.Error, q.Quant[i].Error)
			switch {
			case e.Method != "" || e.Format != "":
			case e.Granularity == opscope.PerGroup:
				same("group", e.Error, opscope.GroupQuantError(w, e.Bits, e.Group))
			default:
				same("quantization", e.Error, opscope.QuantError(w, e.Bits, e.Granularity))
			}
		}
		for i, s := range p.Sparse {
			same("N:M", s.Error, opscope.NMError(w, s.N, s.M))
			same("N:M", s.Error, q.Sparse[i].Error)
		}
		same("ternary", p.Ternary, q.Ternary)
		if p.Norm > 0 && (p.Kurtosis != 0 && p.Kurtosis < 1-1e-9 || p.Cardinality.Distinct < 1 || p.Cardinality.Distinct > r*c || p.Min > p.Max) {
			t.Errorf("%v", p)
		}
	})
}
