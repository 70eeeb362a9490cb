package transformer

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/rlx-go/gopherscope/kernels"
)

// Weights are those of a decoder layer. A product is x W with W[in, out].
type Weights struct {
	AttentionNorm   []float32 // [hidden], the gain before attention
	Query           Matrix    // [hidden, heads*headDim]
	Key, Value      Matrix    // [hidden, kvHeads*headDim]
	QueryNorm       []float32 // [headDim]
	KeyNorm         []float32 // [headDim]
	Output          Matrix    // [heads*headDim, hidden]
	FeedForwardNorm []float32 // [hidden], the gain before the feed-forward block
	Gate, Up        Matrix    // [hidden, feedForward]
	Down            Matrix    // [feedForward, hidden]
}

// A Projection names one of the seven weights of a layer that activations are
// multiplied by.
type Projection int

// The projections in the order in which a layer uses them.
const (
	Query Projection = iota
	Key
	Value
	Output
	Gate
	Up
	Down
	projections
)

func (p Projection) String() string {
	if p < 0 || p >= projections {
		return fmt.Sprintf("Projection(%d)", int(p))
	}
	return [...]string{"query", "key", "value", "output", "gate", "up", "down"}[p]
}

// Projection returns the weight of that name.
func (w Weights) Projection(p Projection) Matrix {
	return [projections]Matrix{w.Query, w.Key, w.Value, w.Output, w.Gate, w.Up, w.Down}[p]
}

// A Layer is a decoder layer whose weights are prepared for multiplication.
type Layer struct {
	config  Config
	weights Weights // for the gains
	by      [projections]kernels.Multiplier
}

// NewLayer prepares the seven projections of a layer, several at a time. prepare must
// be safe for concurrent use, as the constructors of package kernels are. The gains are
// kept and not copied. It returns an error when the weights do not have the shapes that
// c gives, and what prepare returns.
func NewLayer(c Config, w Weights, prepare func(w Matrix) (kernels.Multiplier, error)) (*Layer, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	for _, gain := range []struct {
		name string
		got  []float32
		want int
	}{
		{"AttentionNorm", w.AttentionNorm, c.Hidden}, {"QueryNorm", w.QueryNorm, c.HeadDim},
		{"KeyNorm", w.KeyNorm, c.HeadDim}, {"FeedForwardNorm", w.FeedForwardNorm, c.Hidden},
	} {
		if len(gain.got) != gain.want {
			return nil, fmt.Errorf("transformer: %s has %d values, want %d", gain.name, len(gain.got), gain.want)
		}
	}
	l := &Layer{config: c, weights: w}
	for p := range projections {
		m := w.Projection(p)
		if k, n := c.projectionShape(p); m.Rows != k || m.Cols != n {
			return nil, fmt.Errorf("transformer: the %v weight is [%d,%d], want [%d,%d]", p, m.Rows, m.Cols, k, n)
		}
	}
	var errs [projections]error
	eachProjection(func(p Projection) { l.by[p], errs[p] = prepare(w.Projection(p)) })
	for p, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("transformer: the %v weight: %w", Projection(p), err)
		}
		if l.by[p] == nil {
			return nil, fmt.Errorf("transformer: the %v weight became nothing", Projection(p))
		}
		if k, n := l.by[p].Dims(); k != w.Projection(Projection(p)).Rows || n != w.Projection(Projection(p)).Cols {
			return nil, fmt.Errorf("transformer: the %v weight became one of [%d,%d]", Projection(p), k, n)
		}
	}
	return l, nil
}

// eachProjection calls f for all projections, several at a time.
func eachProjection(f func(p Projection)) {
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for p := range projections {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			f(p)
		})
	}
	wait.Wait()
}

// projectionShape returns the shape [k, n] of a projection.
func (c Config) projectionShape(p Projection) (k, n int) {
	queries, keys := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	switch p {
	case Query:
		return c.Hidden, queries
	case Key, Value:
		return c.Hidden, keys
	case Output:
		return queries, c.Hidden
	case Down:
		return c.FeedForward, c.Hidden
	}
	return c.Hidden, c.FeedForward
}

// Projection returns the prepared weight of that name.
func (l *Layer) Projection(p Projection) kernels.Multiplier { return l.by[p] }

// WeightBytes returns how many bytes of weights, scales and indices a forward pass
// reads.
func (l *Layer) WeightBytes() int64 {
	var sum int64
	for _, m := range l.by {
		sum += m.Info().WeightBytes
	}
	return sum
}

// Forward returns the residual stream after the layer, given the one before it,
// x[tokens, hidden].
func (l *Layer) Forward(x Matrix) Matrix { return l.ForwardObserved(x, nil) }

// ForwardObserved is Forward, and calls observe, if that is not nil, with the input and
// the output of each projection in turn.
func (l *Layer) ForwardObserved(x Matrix, observe func(p Projection, in, out Matrix)) Matrix {
	c, w := l.config, l.weights
	check("Layer.Forward", "x", x, x.Rows, c.Hidden)
	project := func(p Projection, in Matrix) Matrix {
		out := kernels.Mul(l.by[p], in)
		if observe != nil {
			observe(p, in, out)
		}
		return out
	}
	in := RMSNorm(x, w.AttentionNorm, c.Epsilon)
	q := RoPE(HeadRMSNorm(project(Query, in), w.QueryNorm, c.Epsilon), c.HeadDim, c.Theta)
	k := RoPE(HeadRMSNorm(project(Key, in), w.KeyNorm, c.Epsilon), c.HeadDim, c.Theta)
	v := project(Value, in)
	x = Add(x, project(Output, Attention(q, k, v, c.HeadDim)))

	in = RMSNorm(x, w.FeedForwardNorm, c.Epsilon)
	return Add(x, project(Down, SwiGLU(project(Gate, in), project(Up, in))))
}
