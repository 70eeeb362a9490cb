package transformer

import (
	"errors"
	"fmt"
	"math"
)

// A Config is the shape of a model.
type Config struct {
	Layers      int     `json:"layers"`
	Hidden      int     `json:"hidden"`       // width of the residual stream
	Heads       int     `json:"heads"`        // of the queries
	KVHeads     int     `json:"kv_heads"`     // of the keys and values; it divides Heads
	HeadDim     int     `json:"head_dim"`     // even
	FeedForward int     `json:"feed_forward"` // width inside the feed-forward block
	Vocabulary  int     `json:"vocabulary"`
	Epsilon     float64 `json:"epsilon"` // of the normalizations
	Theta       float64 `json:"theta"`   // base of the angles of RoPE
}

// Qwen3Shape returns the shape of Qwen3-0.6B, as the config.json of the published model
// gives it.
func Qwen3Shape() Config {
	return Config{
		Layers: 28, Hidden: 1024, Heads: 16, KVHeads: 8, HeadDim: 128, FeedForward: 3072,
		Vocabulary: 151936, Epsilon: 1e-6, Theta: 1e6,
	}
}

// maxSide bounds each dimension, so that no product of two overflows.
const maxSide = 1 << 20

// Check returns an error unless a model can have this shape.
func (c Config) Check() error {
	for _, d := range []struct {
		name  string
		value int
	}{
		{"layers", c.Layers}, {"hidden", c.Hidden}, {"heads", c.Heads}, {"kv_heads", c.KVHeads},
		{"head_dim", c.HeadDim}, {"feed_forward", c.FeedForward}, {"vocabulary", c.Vocabulary},
	} {
		if d.value < 1 || d.value > maxSide {
			return fmt.Errorf("transformer: %s is %d, want 1 to %d", d.name, d.value, maxSide)
		}
	}
	switch {
	case c.Heads%c.KVHeads != 0:
		return fmt.Errorf("transformer: heads is %d, want a multiple of kv_heads, %d", c.Heads, c.KVHeads)
	case c.HeadDim%2 != 0:
		return fmt.Errorf("transformer: head_dim is %d, want an even number", c.HeadDim)
	case c.HeadDim*c.Heads > maxSide:
		return fmt.Errorf("transformer: heads times head_dim is %d, want at most %d", c.HeadDim*c.Heads, maxSide)
	case !(c.Epsilon > 0) || math.IsInf(c.Epsilon, 0) || !(c.Theta > 0) || math.IsInf(c.Theta, 0):
		return errors.New("transformer: epsilon and theta must be positive and finite")
	}
	return nil
}
