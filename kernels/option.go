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
	rank   int
	maxErr *float64
	group  int
	impl   string
}

// Rank sets the rank at which NewLowRank truncates the weight, or with MaxError the
// highest one that it may use.
func Rank(r int) Option {
	return Option{name: "Rank", set: func(o *options) { o.rank = r }}
}

// MaxError makes NewLowRank look for the rank, the least for which |W - UV| / |W| in
// the Frobenius norm is at most e.
func MaxError(e float64) Option {
	return Option{name: "MaxError", set: func(o *options) { o.maxErr = &e }}
}

// Impl makes a constructor use the implementation of that name, one of
// Implementations(scheme), in place of the best one: to compare and to test.
// Every constructor accepts it, and returns an error when that implementation
// cannot run here.
func Impl(name string) Option {
	return Option{name: "Impl", set: func(o *options) { o.impl = name }}
}

// applyOptions returns the options that opts set, or an error when one of them
// is neither Impl nor among those that op accepts.
func applyOptions(op string, opts []Option, accepted ...string) (options, error) {
	var o options
	for _, opt := range opts {
		if opt.name != "Impl" && !slices.Contains(accepted, opt.name) {
			return o, fmt.Errorf("kernels: %s: option %q does not apply", op, opt.name)
		}
		opt.set(&o)
	}
	return o, nil
}
