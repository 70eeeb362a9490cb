package transformer

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
)

// matrix makes a matrix of its rows, with a gap between them.
func matrix(rows ...[]float32) Matrix {
	const gap = 1
	m := Matrix{Rows: len(rows), Cols: len(rows[0]), Stride: len(rows[0]) + gap}
	for _, r := range rows {
		m.Data = append(append(m.Data, r...), float32(math.NaN()))
	}
	return m
}

// near fails the test unless got has these rows within a few roundings of float32.
func near(t *testing.T, got Matrix, want ...[]float64) {
	t.Helper()
	if got.Rows != len(want) || got.Cols != len(want[0]) {
		t.Fatalf("shape [%d,%d], want [%d,%d]", got.Rows, got.Cols, len(want), len(want[0]))
	}
	for i, w := range want {
		for j, v := range w {
			if g := float64(row(got, i)[j]); !(math.Abs(g-v) <= 1e-6*math.Max(1, math.Abs(v))) {
				t.Errorf("[%d,%d] is %v, want %v", i, j, g, v)
			}
		}
	}
}

func random(seed uint64, rows, cols int) Matrix {
	r := rand.New(rand.NewPCG(seed, 1))
	m := kernels.New(rows, cols)
	for i := range m.Data {
		m.Data[i] = float32(r.NormFloat64())
	}
	return m
}

func TestRMSNorm(t *testing.T) {
	// The mean square of 3 and 4 is 12.5, and sqrt(12.5 + 3.5) is 4.
	near(t, RMSNorm(matrix([]float32{3, 4}, []float32{0, 0}), []float32{2, -1}, 3.5), []float64{1.5, -1}, []float64{0, 0})
	// Each head by itself: root mean squares 5 and 2.
	near(t, HeadRMSNorm(matrix([]float32{1, 7, -2, 2}), []float32{1, 10}, 0), []float64{0.2, 14, -1, 10})
	// The size of the input does not matter beside epsilon.
	x := random(1, 3, 64)
	y := RMSNorm(x, ones(64), 1e-12)
	for i := range x.Data {
		x.Data[i] *= 1024
	}
	if kernels.RelErr(RMSNorm(x, ones(64), 1e-12), y) > 1e-7 {
		t.Error("1024 x is normalized to something else than x")
	}
}

func TestRoPE(t *testing.T) {
	sin, cos := math.Sin(1), math.Cos(1)
	// Two heads of two elements: position 0 stays, position 1 turns by one radian.
	near(t, RoPE(matrix([]float32{5, 6, 7, 8}, []float32{1, 0, 0, 1}), 2, 1e6),
		[]float64{5, 6, 7, 8}, []float64{cos, sin, -sin, cos})
	// Pairs (0,2) and (1,3); with base 100 the second turns a tenth as fast.
	near(t, RoPE(matrix([]float32{0, 0, 0, 0}, []float32{1, 2, 3, 4}), 4, 100),
		[]float64{0, 0, 0, 0}, []float64{-1.984110649, 1.590674664, 2.462377903, 4.179683494})
	// The same query and key at every position: their products depend on the distance.
	const dim = 16
	q, k := random(2, 1, dim), random(3, 1, dim)
	qs, ks := kernels.New(9, dim), kernels.New(9, dim)
	for s := range 9 {
		copy(row(qs, s), q.Data)
		copy(row(ks, s), k.Data)
	}
	qs, ks = RoPE(qs, dim, 50), RoPE(ks, dim, 50)
	for s := range 8 {
		a, b := dot(row(qs, s), row(ks, 0)), dot(row(qs, s+1), row(ks, 1))
		if math.Abs(a-b) > 1e-5 {
			t.Errorf("at distance %d: %v and %v", s, a, b)
		}
	}
}

func TestAttention(t *testing.T) {
	// The scores of the second token are 0 and ln 3, so it takes a quarter of the first
	// value and three quarters of the second; the first token sees itself alone.
	ln3 := float32(math.Sqrt2 * math.Log(3))
	near(t, Attention(matrix([]float32{9, 9}, []float32{ln3, 0}), matrix([]float32{0, 0}, []float32{1, 0}), matrix([]float32{4, 0}, []float32{0, 8}), 2),
		[]float64{4, 0}, []float64{1, 6})
	// In 4 dimensions the scores are halved: 2 ln 2 gives weights 1/3 and 2/3.
	ln2 := float32(2 * math.Log(2))
	near(t, Attention(matrix([]float32{0, 0, 0, 0}, []float32{0, 0, 0, ln2}), matrix([]float32{0, 0, 0, 0}, []float32{0, 0, 0, 1}), matrix([]float32{3, 6, 9, 0}, []float32{0, 0, 0, 3}), 4),
		[]float64{3, 6, 9, 0}, []float64{1, 2, 3, 2})
	// Scores far beyond what exp can take.
	near(t, Attention(matrix([]float32{0}, []float32{1e4}), matrix([]float32{0}, []float32{1e4}), matrix([]float32{1}, []float32{2}), 1), []float64{1}, []float64{2})
}

func TestGroupedQueries(t *testing.T) {
	// One token attends to itself, so each head gives the value of its group: heads 0
	// and 1 of the four use the first, heads 2 and 3 the second.
	near(t, Attention(random(4, 1, 8), random(5, 1, 4), matrix([]float32{1, 2, 3, 4}), 2), []float64{1, 2, 1, 2, 3, 4, 3, 4})
	// Keys are grouped too: repeating each is the same as attention without groups.
	const tokens, dim = 6, 4
	q, k, v := random(6, tokens, 4*dim), random(7, tokens, 2*dim), random(8, tokens, 2*dim)
	repeat := func(m Matrix) Matrix {
		r := kernels.New(tokens, 4*dim)
		for s := range tokens {
			for h := range 4 {
				copy(row(r, s)[h*dim:][:dim], row(m, s)[h/2*dim:])
			}
		}
		return r
	}
	if e := kernels.RelErr(Attention(q, k, v, dim), Attention(q, repeat(k), repeat(v), dim)); e != 0 {
		t.Errorf("grouped keys differ from repeated ones by %v", e)
	}
}

func TestSwiGLU(t *testing.T) {
	ln3 := math.Log(3)
	near(t, SwiGLU(matrix([]float32{0, float32(ln3), float32(-ln3), -1000, 1000}), matrix([]float32{5, 2, 4, 1, 2})),
		[]float64{0, 1.5 * ln3, -ln3, 0, 2000})
	near(t, Add(matrix([]float32{1, 2}), matrix([]float32{0.5, -2})), []float64{1.5, 0})
}

func TestLogits(t *testing.T) {
	ln3 := float32(math.Log(3))
	close := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	want := matrix([]float32{0, ln3})
	// p = (1/4, 3/4) and q = (1/2, 1/2).
	close("KL", KL(matrix([]float32{7, 7}), want), 0.25*math.Log(0.5)+0.75*math.Log(1.5))
	close("KL of itself", KL(want, want), 0)
	close("KL of shifted logits", KL(matrix([]float32{1000, 1000 + ln3}), want), 0)
	close("KL of huge logits", KL(matrix([]float32{0, 1e30}), matrix([]float32{0, 2e30})), 0)
	// The mean over the tokens.
	close("mean KL", KL(matrix([]float32{0, ln3}, []float32{7, 7}), matrix([]float32{0, ln3}, []float32{0, ln3})), 0.130812036/2)

	close("cosine", Cosine(matrix([]float32{3, 4}, []float32{2, 0}), matrix([]float32{4, 3}, []float32{1, 0})), (0.96+1)/2)
	close("opposite cosine", Cosine(matrix([]float32{3, 4}), matrix([]float32{-3, -4})), -1)

	close("top 1", Top1(matrix([]float32{1, 3, 2}, []float32{1, 2, 3}), matrix([]float32{0, 9, 1}, []float32{5, 1, 1})), 0.5)
	close("top 1 of ties", Top1(matrix([]float32{1, 1}), matrix([]float32{2, 2})), 1)
	if r := random(9, 4, 100); KL(r, r) != 0 || math.Abs(Cosine(r, r)-1) > 1e-12 || Top1(r, r) != 1 {
		t.Error("logits differ from themselves")
	}
}

func TestOperandsThatDoNotFit(t *testing.T) {
	m := kernels.New
	for want, call := range map[string]func(){
		"RMSNorm: gain has 3 values, want 4":                            func() { RMSNorm(m(2, 4), ones(3), 1) },
		"RMSNorm: x is [2,4] with stride 4 and 7 values of data":        func() { RMSNorm(Matrix{Rows: 2, Cols: 4, Stride: 4, Data: make([]float32, 7)}, ones(4), 1) },
		"HeadRMSNorm: x has 4 columns, want a multiple of the head's 3": func() { HeadRMSNorm(m(2, 4), ones(3), 1) },
		"HeadRMSNorm: x has 4 columns, want a multiple of the head's 0": func() { HeadRMSNorm(m(2, 4), nil, 1) },
		"RoPE: a head of 3 elements, want an even number":               func() { RoPE(m(2, 6), 3, 10) },
		"Attention: k is [3,4], want [2,4]":                             func() { Attention(m(2, 4), m(3, 4), m(3, 4), 4) },
		"Attention: v is [2,8], want [2,4]":                             func() { Attention(m(2, 4), m(2, 4), m(2, 8), 4) },
		"Attention: 3 heads of queries, want a multiple of the 2":       func() { Attention(m(2, 12), m(2, 8), m(2, 8), 4) },
		"SwiGLU: up is [2,3], want [2,4]":                               func() { SwiGLU(m(2, 4), m(2, 3)) },
		"Add: y is [1,4], want [2,4]":                                   func() { Add(m(2, 4), m(1, 4)) },
		"KL: got is [2,3], want [2,4]":                                  func() { KL(m(2, 3), m(2, 4)) },
	} {
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			}()
			call()
		}()
	}
}
