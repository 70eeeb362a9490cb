package kernels

import (
	"fmt"
	"slices"
)

// An Option changes how a constructor prepares a weight. A constructor refuses
// an option that does not apply to its scheme.
type Option struct {
	name string
	set  func(*options)
}

type options struct {
	rank int
}

// Rank sets the rank at which NewLowRank truncates the weight.
func Rank(r int) Option {
	return Option{name: "Rank", set: func(o *options) { o.rank = r }}
}

// applyOptions returns the options that opts set, or an error when one of them
// is not among those that op accepts.
func applyOptions(op string, opts []Option, accepted ...string) (options, error) {
	var o options
	for _, opt := range opts {
		if !slices.Contains(accepted, opt.name) {
			return o, fmt.Errorf("kernels: %s: option %q does not apply", op, opt.name)
		}
		opt.set(&o)
	}
	return o, nil
}
