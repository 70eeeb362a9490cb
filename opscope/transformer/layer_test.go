package transformer

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
)

var tiny = Config{Layers: 2, Hidden: 24, Heads: 4, KVHeads: 2, HeadDim: 8, FeedForward: 40, Vocabulary: 50, Epsilon: 1e-6, Theta: 1e4}

func dense(w Matrix) (kernels.Multiplier, error) { return kernels.NewDense(w) }

func newLayer(t *testing.T, w Weights) *Layer {
	t.Helper()
	l, err := NewLayer(tiny, w, dense)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestCausality(t *testing.T) {
	l := newLayer(t, RandomWeights(tiny, 1, 0))
	x := RandomTokens(tiny, 1, 7)
	before := l.Forward(x)
	row(x, 4)[3]++
	after := l.Forward(x)
	for token := range x.Rows {
		same := slices.Equal(row(before, token), row(after, token))
		if same != (token < 4) {
			t.Errorf("a change of token 4: token %d is the same: %v", token, same)
		}
	}
}

func TestZeroWeightsLeaveTheStream(t *testing.T) {
	w := RandomWeights(tiny, 1, 0)
	clear(w.Output.Data)
	clear(w.Down.Data)
	x := RandomTokens(tiny, 1, 3)
	if y := newLayer(t, w).Forward(x); !slices.Equal(y.Data, x.Data) {
		t.Error("blocks that give zero change the residual stream")
	}
}

func TestObserved(t *testing.T) {
	w := RandomWeights(tiny, 1, 0)
	var order []Projection
	newLayer(t, w).ForwardObserved(RandomTokens(tiny, 1, 3), func(p Projection, in, out Matrix) {
		order = append(order, p)
		d, err := kernels.NewDense(w.Projection(p))
		if err != nil {
			t.Fatal(err)
		}
		if in.Rows != 3 || !slices.Equal(kernels.Mul(d, in).Data, out.Data) {
			t.Errorf("%v: the output is not the product", p)
		}
	})
	if !slices.Equal(order, []Projection{Query, Key, Value, Output, Gate, Up, Down}) {
		t.Errorf("order %v", order)
	}
}

// A gain that is 2^5 times as large meets rows that are 2^-5 times as large, so every
// product is the same number.
func TestOutlierChannelsChangeNothing(t *testing.T) {
	w := RandomWeights(tiny, 1, 0)
	unchanged := slices.Clone(w.Query.Data)
	outliers := w.WithOutlierChannels([]int{3, 17}, 32)
	x := RandomTokens(tiny, 1, 5)
	var largest float64
	got := func() Matrix {
		return newLayer(t, outliers).ForwardObserved(x, func(p Projection, in, _ Matrix) {
			if p == Gate {
				for token := range in.Rows {
					largest = math.Max(largest, math.Abs(float64(row(in, token)[17])))
				}
			}
		})
	}()
	if want := newLayer(t, w).Forward(x); !slices.Equal(got.Data, want.Data) {
		t.Error("the function changed")
	}
	if largest < 8 {
		t.Errorf("the largest activation of an outlier channel is %v", largest)
	}
	if !slices.Equal(w.Query.Data, unchanged) || w.AttentionNorm[3] != 1 || outliers.AttentionNorm[3] != 32 || outliers.AttentionNorm[4] != 1 {
		t.Error("the weights that were given changed, or not those that were returned")
	}
	defer func() {
		if err, ok := recover().(error); !ok || err.Error() != "transformer: outlier channel 24 of 24" {
			t.Errorf("a channel too far: %v", err)
		}
	}()
	w.WithOutlierChannels([]int{24}, 2)
}

func TestRandomWeights(t *testing.T) {
	c := tiny
	c.Hidden, c.FeedForward = 256, 512
	w := RandomWeights(c, 5, 3)
	if again := RandomWeights(c, 5, 3); !slices.Equal(w.Gate.Data, again.Gate.Data) {
		t.Error("the same arguments give other weights")
	}
	var streams [][]float32
	for p := range projections {
		m := w.Projection(p)
		var sum, sum2 float64
		for _, v := range m.Data {
			sum += float64(v)
			sum2 += float64(v) * float64(v)
		}
		n := float64(len(m.Data))
		// The mean of n squares of standard normal variates scatters by sqrt(2/n).
		if variance := sum2 / n * float64(m.Rows); math.Abs(variance-1) > 5*math.Sqrt(2/n) || math.Abs(sum/math.Sqrt(n/float64(m.Rows))) > 5 {
			t.Errorf("%v: mean %v, variance times k %v", p, sum/n, variance)
		}
		streams = append(streams, m.Data)
	}
	streams = append(streams, RandomWeights(c, 5, 4).Query.Data, RandomWeights(c, 6, 3).Query.Data, RandomTokens(c, 5, 64).Data, RandomHead(c, 5).Data)
	const length = 4096
	for i, a := range streams {
		for _, b := range streams[:i] {
			correlation := dot(a[:length], b[:length]) / math.Sqrt(dot(a[:length], a[:length])*dot(b[:length], b[:length]))
			if math.Abs(correlation) > 5/math.Sqrt(length) {
				t.Errorf("streams %d and another are correlated: %v", i, correlation)
			}
		}
	}
}

func TestNewLayerErrors(t *testing.T) {
	good := RandomWeights(tiny, 1, 0)
	refused := errors.New("refused")
	for want, make := range map[string]func() (*Layer, error){
		"the value weight is [24,17], want [24,16]": func() (*Layer, error) {
			w := good
			w.Value = kernels.New(24, 17)
			return NewLayer(tiny, w, dense)
		},
		"QueryNorm has 7 values, want 8": func() (*Layer, error) {
			w := good
			w.QueryNorm = ones(7)
			return NewLayer(tiny, w, dense)
		},
		"the query weight: refused": func() (*Layer, error) {
			return NewLayer(tiny, good, func(Matrix) (kernels.Multiplier, error) { return nil, refused })
		},
		"the query weight became one of [3,3]": func() (*Layer, error) {
			return NewLayer(tiny, good, func(Matrix) (kernels.Multiplier, error) { return kernels.NewDense(kernels.New(3, 3)) })
		},
		"the query weight became nothing": func() (*Layer, error) {
			return NewLayer(tiny, good, func(Matrix) (kernels.Multiplier, error) { return nil, nil })
		},
		"heads is 4, want a multiple of kv_heads, 3": func() (*Layer, error) {
			c := tiny
			c.KVHeads = 3
			return NewLayer(c, good, dense)
		},
	} {
		if _, err := make(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	if err := Qwen3Shape().Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(c *Config){
		"layers is 0":                    func(c *Config) { c.Layers = 0 },
		"hidden is 1048577":              func(c *Config) { c.Hidden = 1<<20 + 1 },
		"head_dim is 7, want an even":    func(c *Config) { c.HeadDim = 7 },
		"heads times head_dim is":        func(c *Config) { c.Heads, c.HeadDim = 1<<20, 4 },
		"epsilon and theta must be":      func(c *Config) { c.Epsilon = math.NaN() },
		"epsilon and theta must be ":     func(c *Config) { c.Theta = math.Inf(1) },
		"vocabulary is -1, want 1 to 10": func(c *Config) { c.Vocabulary = -1 },
	} {
		c := tiny
		change(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
