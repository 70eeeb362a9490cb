package transformer

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rlx-go/gopherscope/kernels"
)

// The streams of random numbers of a seed, beside those of the layers.
const (
	streamTokens = -1 - iota
	streamHead
)

// RandomWeights returns the weights of a layer, counted from 0, of a model that was not
// trained: independent normal variates of variance 1/k in W[k,n], so that a product
// keeps the size of its input, and gains of 1. The same arguments give the same
// weights, and each layer can be made by itself. It panics on a shape that c.Check
// refuses.
func RandomWeights(c Config, seed uint64, layer int) Weights {
	if err := c.Check(); err != nil {
		panic(err)
	}
	var by [projections]Matrix
	eachProjection(func(p Projection) {
		k, n := c.projectionShape(p)
		by[p] = normal(k, n, 1/math.Sqrt(float64(k)), seed, layer, int(p))
	})
	return Weights{
		AttentionNorm: ones(c.Hidden), QueryNorm: ones(c.HeadDim), KeyNorm: ones(c.HeadDim), FeedForwardNorm: ones(c.Hidden),
		Query: by[Query], Key: by[Key], Value: by[Value], Output: by[Output],
		Gate: by[Gate], Up: by[Up], Down: by[Down],
	}
}

// RandomTokens returns the residual stream [tokens, hidden] before the first layer of a
// model that was not trained: independent standard normal variates.
func RandomTokens(c Config, seed uint64, tokens int) Matrix {
	return normal(tokens, c.Hidden, 1, seed, streamTokens, 0)
}

// RandomHead returns the weight [hidden, vocabulary] that gives the logits of a model
// that was not trained: independent normal variates of variance 1/hidden.
func RandomHead(c Config, seed uint64) Matrix {
	return normal(c.Hidden, c.Vocabulary, 1/math.Sqrt(float64(c.Hidden)), seed, streamHead, 0)
}

func normal(rows, cols int, deviation float64, seed uint64, stream, matrix int) Matrix {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(stream))
	binary.LittleEndian.PutUint64(key[16:], uint64(matrix))
	random := rand.New(rand.NewChaCha8(key))
	a := kernels.New(rows, cols)
	for i := range a.Data {
		a.Data[i] = float32(deviation * random.NormFloat64())
	}
	return a
}

func ones(n int) []float32 { return slices.Repeat([]float32{1}, n) }

// WithOutlierChannels returns weights of the same layer, computing the same function,
// whose normalized activations have outliers: the gains of these hidden channels are
// factor times as large, and the rows of the five weights that they meet divided by it.
// With a factor that is a power of two the products in float32 are the same to the last
// bit, unless one overflows or underflows; what changes is how well activations and
// weights can be rounded. (SmoothQuant, Xiao et al. 2023, is the way back.) Weights that
// do not change are shared with w. It panics when a channel is not one of w.
func (w Weights) WithOutlierChannels(channels []int, factor float32) Weights {
	for _, channel := range channels {
		if channel < 0 || channel >= len(w.AttentionNorm) {
			panic(fmt.Errorf("transformer: outlier channel %d of %d", channel, len(w.AttentionNorm)))
		}
	}
	for _, gain := range []*[]float32{&w.AttentionNorm, &w.FeedForwardNorm} {
		*gain = slices.Clone(*gain)
		for _, channel := range channels {
			(*gain)[channel] *= factor
		}
	}
	for _, m := range []*Matrix{&w.Query, &w.Key, &w.Value, &w.Gate, &w.Up} {
		m.Data = slices.Clone(m.Data)
		for _, channel := range channels {
			for i := range row(*m, channel) {
				m.Data[channel*m.Stride+i] /= factor
			}
		}
	}
	return w
}
