package opscope_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

// rowsOf is a RowReader that is not a matrix in memory.
type rowsOf struct {
	w    opscope.Matrix
	read atomic.Int64 // values in all
	fail int          // the row that cannot be read, if not 0
}

var errRow = errors.New("row 7 is gone")

func (r *rowsOf) Dims() (int, int) { return r.w.Rows, r.w.Cols }

func (r *rowsOf) ReadRows(dst []float32, first int) error {
	n := len(dst) / r.w.Cols
	if r.fail > 0 && first <= r.fail && r.fail < first+n {
		return errRow
	}
	r.read.Add(int64(len(dst)))
	for i := range n {
		copy(dst[i*r.w.Cols:], r.w.Data[(first+i)*r.w.Stride:][:r.w.Cols])
	}
	return nil
}

// text is a profile as JSON, in which figures are equal to the last bit or not.
func text(t *testing.T, p opscope.Profile) string {
	t.Helper()
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "},{", "},\n{")
}

// everything asks for all probes of elements, and for the singular values of none.
func everything(k int) opscope.Options {
	h := make([]float64, k)
	for i := range h {
		h[i] = float64(i%7) + 0.5
	}
	return opscope.Options{Extra: opscope.AllExtras, InputMeanSquares: h, SVDLimit: -1}
}

var awkwardShapes = [][2]int{{1, 1}, {1, 300}, {300, 1}, {3, 5}, {127, 33}, {128, 64}, {129, 2}, {257, 100}, {600, 50}, {31, 700}}

// The same W, stored as [in, out] and as [out, in], has the same figures.
func TestProbeOfBothLayouts(t *testing.T) {
	for _, shape := range awkwardShapes {
		for _, d := range []opscope.Dist{opscope.Gaussian, opscope.Outlier, opscope.Sparse90, opscope.Quantized} {
			w := opscope.Sample(d, shape[0], shape[1], 3)
			o := everything(shape[0])
			inOut := probe(t, w, o)
			o.OutIn = true
			outIn := probe(t, transpose(w), o)
			// The sums of the first pass come in another order.
			for _, p := range []*opscope.Profile{&inOut, &outIn} {
				for _, v := range []*float64{&p.Norm, &p.Mean, &p.Kurtosis, &p.StableRank, &p.Ternary} {
					*v = float64(float32(*v))
				}
				for i := range p.Quant {
					p.Quant[i].Error = float64(float32(p.Quant[i].Error))
					p.Quant[i].WeightedError = float64(float32(p.Quant[i].WeightedError))
				}
				for i := range p.Sparse {
					p.Sparse[i].Error = float64(float32(p.Sparse[i].Error))
				}
			}
			if a, b := text(t, inOut), text(t, outIn); a != b {
				t.Fatalf("%v %v: stored as [in, out]\n%s\nas [out, in]\n%s", d, shape, a, b)
			}
		}
	}
	w := hadamard(16)
	w.Data[5*16+3], w.Data[2*16+9] = float32(math.NaN()), float32(math.Inf(1))
	for _, p := range []opscope.Profile{probe(t, w, opscope.Options{}), probe(t, transpose(w), opscope.Options{OutIn: true})} {
		if p.NonFinite != (opscope.NonFinite{Count: 2, Row: 2, Col: 9}) {
			t.Errorf("%+v", p.NonFinite)
		}
	}
}

// Neither the number of processors, nor how the matrix is read, nor its stride
// changes a bit of the result.
func TestProbeIsReproducible(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, shape := range append(awkwardShapes, [2]int{1500, 720}) {
		w := opscope.Sample(opscope.Outlier, shape[0], shape[1], 8)
		for _, o := range []opscope.Options{everything(shape[0]), everything(shape[1])} {
			o.OutIn = len(o.InputMeanSquares) != shape[0]
			if shape[0] == 1500 { // more than one block
				o.Extra, o.InputMeanSquares = opscope.ExtraLUT, nil
			}
			runtime.GOMAXPROCS(1)
			want := text(t, probe(t, w, o))
			for _, procs := range []int{2, 5} {
				runtime.GOMAXPROCS(procs)
				if got := text(t, probe(t, strided(w, 3), o)); got != want {
					t.Fatalf("%v on %d processors\n%s\non 1\n%s", shape, procs, got, want)
				}
				p, err := opscope.ProbeRows(t.Context(), &rowsOf{w: w}, o)
				if err != nil {
					t.Fatal(err)
				}
				if got := text(t, p); got != want {
					t.Fatalf("%v read by rows\n%s\nin memory\n%s", shape, got, want)
				}
			}
		}
	}
}

// A matrix above the memory allowed is read in blocks within it.
func TestProbeRowsStreams(t *testing.T) {
	w := opscope.Sample(opscope.Gaussian, 2000, 500, 1)
	const memory = 2 << 20
	for _, o := range []opscope.Options{{}, {OutIn: true}, {Role: opscope.Activation}} {
		o.SVDLimit = -1
		want := probe(t, w, o)
		o.Memory = memory
		r := &rowsOf{w: w}
		got, err := opscope.ProbeRows(t.Context(), r, o)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "stable rank", got.StableRank, want.StableRank, 1e-3)
		got.StableRank = want.StableRank
		if a, b := text(t, got), text(t, want); a != b {
			t.Errorf("%+v: streamed\n%s\nin memory\n%s", o, a, b)
		}
		if r.read.Load() < 2*int64(len(w.Data)) {
			t.Errorf("%+v: read %d values of %d", o, r.read.Load(), len(w.Data))
		}
	}
}

func TestProbeRowsErrors(t *testing.T) {
	w := opscope.Sample(opscope.Gaussian, 3000, 500, 1)
	for _, o := range []opscope.Options{{}, {OutIn: true}, {Memory: 3 << 20}} {
		if _, err := opscope.ProbeRows(t.Context(), &rowsOf{w: w, fail: 2999}, o); !errors.Is(err, errRow) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for memory, want := range map[int64]string{
		1000:  "the sums of 3000 rows and 500 columns take more than 1000 bytes of memory: allow 56000",
		60000: "does not fit in 60000 bytes",
	} {
		if _, err := opscope.ProbeRows(t.Context(), &rowsOf{w: w}, opscope.Options{Memory: memory}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes of memory: %v", memory, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, r := range []opscope.RowReader{&rowsOf{w: w}, opscope.MatrixRows(w)} {
		if _, err := opscope.ProbeRows(ctx, r, opscope.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

func TestProbeRefusesOptions(t *testing.T) {
	nan := math.NaN()
	for name, o := range map[string]opscope.Options{
		"unknown role":         {Role: "bias"},
		"has no output":        {Role: opscope.Activation, OutIn: true},
		"error budget":         {Budget: nan},
		"budget -1":            {Budget: -1},
		"memory of -1":         {Memory: -1},
		"sketch of -5":         {Sketch: -5},
		"unknown extra":        {Extra: 1 << 20},
		"1 mean squares for 4": {InputMeanSquares: []float64{1}},
		"of input channel 1":   {InputMeanSquares: []float64{1, -1, 1, 1}},
		"NaN of input channel": {InputMeanSquares: []float64{1, nan, 1, 1}},
	} {
		if _, err := opscope.Probe(t.Context(), hadamard(4), o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Cases whose figures are known exactly.
func TestProbeExact(t *testing.T) {
	p := probe(t, hadamard(64), opscope.Options{Extra: opscope.AllExtras})
	for _, q := range p.Quant {
		// The steps of the other formats are rounded themselves.
		if q.Format == "" || q.Format == "MXFP4" {
			within(t, fmt.Sprintf("Hadamard %+v", q), q.Error, 0, 1e-6)
		}
	}
	within(t, "Hadamard 2:4", p.Sparse[0].Error, math.Sqrt(0.5), 1e-12)
	within(t, "Hadamard 1:4", p.Sparse[1].Error, math.Sqrt(0.75), 1e-12)
	within(t, "Hadamard ternary", p.Ternary, 0, 1e-6)
	if p.Cardinality != (opscope.Cardinality{Distinct: 2}) || p.BestBits != 3 || p.Zeros != 0 || p.Min != -1 || p.Max != 1 {
		t.Errorf("%+v", p)
	}

	// 1 to 8 down one output channel.
	w := build(8, 1, func(i, _ int) float64 { return float64(i + 1) })
	p = probe(t, w, opscope.Options{Extra: opscope.ExtraSparse})
	within(t, "2:4", p.Sparse[0].Error, math.Sqrt((1+4+25+36)/204.), 1e-12)
	within(t, "1:4", p.Sparse[1].Error, math.Sqrt((1+4+9+25+36+49)/204.), 1e-12)
	within(t, "4:8", p.Sparse[2].Error, math.Sqrt((1+4+9+16)/204.), 1e-12)
	within(t, "mean", p.Mean, 4.5, 0)
	within(t, "kurtosis", p.Kurtosis, 2*(3.5*3.5*3.5*3.5+2.5*2.5*2.5*2.5+1.5*1.5*1.5*1.5+.5*.5*.5*.5)/8/(5.25*5.25), 1e-12)
	// Above 0.7·4.5 = 3.15 are 4 to 8, of mean 6.
	within(t, "ternary", p.Ternary, math.Sqrt((1+4+9+4+1+0+1+4)/204.), 1e-12)
	// The step of int4 is 8/7: codes 1, 2, 3, 4 (3.5 to even), 4, 5, 6, 7.
	within(t, "int4", p.QuantError(4, opscope.PerColumn), math.Sqrt((1+4+9+16+9+4+1)/49./204), 1e-9)

	// Its last group of four has one element, its last of 32 one as well.
	tail := build(33, 1, func(i, _ int) float64 { return float64(i%2) + 1 })
	within(t, "2:4 with a short group", opscope.NMError(tail, 2, 4), math.Sqrt(16./(16*4+17)), 1e-12)
	within(t, "int8 with a short group", opscope.GroupQuantError(tail, 8, 32), math.Sqrt(16*.5*.5*(2./127)*(2./127)/(16*4+17)), 1e-9)

	// One channel of 8 is 100 times as large as the others.
	w = build(8, 8, func(i, j int) float64 { return 1 + 99*float64(i/7) })
	for _, o := range opscope.ChannelOutliers(w) {
		want := opscope.Outliers{Axis: opscope.PerRow, Count: 1, Ratio: 100, Smallest: 1}
		if o.Axis == opscope.PerColumn {
			want = opscope.Outliers{Axis: opscope.PerColumn, Count: 0, Ratio: 1, Smallest: 100}
		}
		if o != want {
			t.Errorf("%+v, want %+v", o, want)
		}
	}
}

// Small scales and outliers do not change what counts as one value.
func TestCountDistinct(t *testing.T) {
	for _, tt := range []struct {
		name     string
		w        opscope.Matrix
		low, top int
	}{
		{"empty", opscope.Matrix{}, 0, 0},
		{"zero", build(4, 4, func(i, j int) float64 { return 0 }), 1, 1},
		{"16 codes", build(200, 40, func(i, j int) float64 { return 1e-9 * float64((i*j)%16-8) }), 16, 16},
		{"16 codes, rounded differently", build(200, 40, func(i, j int) float64 { return float64((i*j)%16-8) * (1 + 1e-6*float64(j%3)) }), 16, 16},
		{"outliers", build(200, 40, func(i, j int) float64 {
			if i == 5 && j < 9 {
				return 1e3 * float64(j+1)
			}
			return float64((i*j)%16 - 8)
		}), 25, 25},
		{"a Gaussian of deviation 0.003", scaled(opscope.Sample(opscope.Gaussian, 500, 500, 1), 0.003), 10000, 40000},
		{"more", build(300, 300, func(i, j int) float64 { return math.Pow(10, float64(i)/40) * (float64(j) + 300) }), 20, 1 << 16},
	} {
		for _, gap := range []int{0, 2} {
			if got := opscope.CountDistinct(strided(tt.w, gap)); got.Distinct < tt.low || got.Distinct > tt.top || got.More {
				t.Errorf("%s: %+v, want %d to %d", tt.name, got, tt.low, tt.top)
			}
		}
	}
	// 90,000 values, the root mean square being 5200, beside as many zeros as it takes
	// for a step of the grid to be 1.3.
	w := build(3000, 3000, func(i, j int) float64 {
		if at := i*3000 + j; at < 90000 {
			return 1 + float64(at)
		}
		return 0
	})
	if got := opscope.CountDistinct(w); !got.More || got.Distinct != 1<<16 {
		t.Errorf("%+v of 90,001 values", got)
	}
}

func scaled(w opscope.Matrix, by float64) opscope.Matrix {
	return build(w.Rows, w.Cols, func(i, j int) float64 { return by * float64(w.Data[i*w.Stride+j]) })
}

func TestProbesRefuse(t *testing.T) {
	w, bad := hadamard(4), opscope.Matrix{Rows: 3, Cols: 3}
	for name, f := range map[string]func(){
		"group 0":            func() { opscope.GroupQuantError(w, 4, 0) },
		"1 bit":              func() { opscope.GroupQuantError(w, 1, 32) },
		"groups in general":  func() { opscope.QuantError(w, 4, opscope.PerGroup) },
		"0:4":                func() { opscope.NMError(w, 0, 4) },
		"5:4":                func() { opscope.NMError(w, 5, 4) },
		"table of 0":         func() { opscope.TableError(w, 0) },
		"table of 257":       func() { opscope.TableError(w, 257) },
		"malformed: table":   func() { opscope.TableError(bad, 16) },
		"malformed: N:M":     func() { opscope.NMError(bad, 2, 4) },
		"malformed: ternary": func() { opscope.TernaryError(bad) },
		"malformed: values":  func() { opscope.CountDistinct(bad) },
		"malformed: groups":  func() { opscope.GroupQuantError(bad, 4, 32) },
		"malformed: ratios":  func() { opscope.ChannelOutliers(bad) },
	} {
		if !panics(f) {
			t.Errorf("%s: no panic", name)
		}
	}
	if _, err := opscope.FormatError(w, "Q9"); err == nil || !strings.Contains(err.Error(), `"Q9"`) {
		t.Error(err)
	}
	if _, err := opscope.FormatError(bad, "Q8_0"); err == nil {
		t.Error("malformed: no error")
	}
}

// Less memory than a sketch as large as asked for takes is said.
func TestSketchThatMemoryMakesSmaller(t *testing.T) {
	w := opscope.Sample(opscope.Gaussian, 600, 700, 1)
	for _, tt := range []struct {
		memory int64
		ask    int
		want   int // the dimensions, the quarter of the memory over 2800 bytes for each in whole blocks
		said   string
	}{
		{0, 0, 144, ""},
		{1 << 20, 0, 80, "at most 80 dimensions in place of 144, as more do not fit in a quarter of the memory of 1 MiB"},
		{1 << 20, 80, 80, ""},
		{2 << 20, 1000, 176, "at most 176 dimensions in place of 600"},
	} {
		p, err := opscope.ProbeRows(t.Context(), opscope.MatrixRows(w), opscope.Options{Memory: tt.memory, Sketch: tt.ask})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(p.Notes, "\n")
		if p.Spectral.Sketch != tt.want || !strings.Contains(notes, tt.said) || tt.said == "" && notes != "" {
			t.Errorf("%+v: sketch of %d, notes %q", tt, p.Spectral.Sketch, notes)
		}
	}
}
