package opscope

import (
	"errors"
	"fmt"
	"time"

	"github.com/rlx-go/gopherscope/internal/bytesize"
	"github.com/rlx-go/gopherscope/kernels"
)

// Action is one way to store a weight and multiply by it.
type Action string

const (
	// KeepDense leaves the weight in the type it is stored in.
	KeepDense Action = "keep dense"
	// BFloat16 rounds it to bfloat16.
	BFloat16 Action = "bf16"
	// Int8PerChannel holds it as int8 with one float32 scale an output channel; the
	// activations stay floating-point (W8A16).
	Int8PerChannel Action = "int8 per channel"
	// W8A8 holds it so too and rounds the activations to int8, with one scale a row
	// of x.
	W8A8 Action = "int8 with int8 activations"
	// Int4Group32 holds it as int4 with a binary16 scale for each 32 inputs of an output
	// channel; the activations stay floating-point (W4A16).
	Int4Group32 Action = "int4 group 32"
	// Int4Group128 is the same for each 128 inputs.
	Int4Group128 Action = "int4 group 128"
	// Int4PerChannel is the same for all inputs of an output channel; the kernel takes
	// up to 4096.
	Int4PerChannel Action = "int4 per channel"
	// Factored multiplies by U[k,r] and then V[r,n] in float32, W ≈ UV.
	Factored Action = "low-rank factored"
	// Sparse2of4 keeps the two largest of each four consecutive inputs of an output
	// channel, in the type of the weight, with two bits of index each.
	Sparse2of4 Action = "2:4 sparse"
	// Ternary holds -1, 0 or 1 in two bits, with one float32 scale for all.
	Ternary Action = "ternary"
	// LookupTable holds, for each weight, the index of its value in a table of float32.
	LookupTable Action = "lookup table"
	// SkipZeros leaves out the products with zeros of the activation; exact.
	SkipZeros Action = "skip zeros"
)

// ErrNoKernel is what Choice.Build returns for an action that package kernels
// cannot run.
var ErrNoKernel = errors.New("no kernel")

// Choice is one action and what it costs.
type Choice struct {
	Action Action `json:"action"`
	// DType is the type that KeepDense keeps, such as "BF16"; empty for other
	// actions and in a choice from an activation's profile.
	DType string `json:"dtype,omitempty"`
	// Rank is the rank of the factors, for Factored only.
	Rank int `json:"rank,omitempty"`
	// Error is the relative L2 error of the weight, ‖Ŵ-W‖/‖W‖, that the probe
	// measured: 0 for an exact action. For W8A8 it is the expected error of the
	// product, the root of the sum of the squares of that and of the error of the
	// activations. For Factored it is the truncation error, or what the sketch
	// of the singular values bounds it by; the factors that Build makes come within
	// 1% of it. For LookupTable it is a bound.
	Error float64 `json:"error"`
	// Bytes is what the weight takes, scales, tables and indices included. Where
	// there is a kernel it is what one call reads, every byte once: Info().WeightBytes
	// of what Build makes. 0 if the profile is an activation's, which has no weight.
	Bytes int64 `json:"bytes,omitempty"`
	// BitsPerWeight is 8·Bytes over the number of elements.
	BitsPerWeight float64 `json:"bits_per_weight,omitempty"`
	// Work is the number of multiply-adds over that of the dense product.
	Work float64 `json:"work"`
	// HasKernel tells whether Build can make it.
	HasKernel bool `json:"has_kernel"`
	// Expected holds the time of a call for each of CalibratedRows; nil where
	// there is no kernel or the Budget has no calibration.
	Expected []Expected `json:"expected,omitempty"`
	// Why gives the reason, with the figures it rests on.
	Why string `json:"why"`
	// K and N are the shape [k,n] of the weights that the choice is for; N is 0
	// if the profile is an activation's, which leaves n open.
	K int `json:"k"`
	N int `json:"n,omitempty"`
}

// Expected is the time of one call, from a calibration.
type Expected struct {
	// M is the number of rows of x.
	M int `json:"m"`
	// Time is that of a call, in nanoseconds in JSON.
	Time time.Duration `json:"ns"`
	// Speedup is the time of the baseline over Time: below 1 the action is slower.
	Speedup float64 `json:"speedup"`
	// Baseline is the scheme of the kernel that the weight as it is stored is
	// multiplied by, or, if there is none for its type, of one that reads about as
	// many bits a weight.
	Baseline string `json:"baseline"`
}

// ExpectedAt returns the time of a call with m rows, and whether there is one.
func (c Choice) ExpectedAt(m int) (Expected, bool) {
	for _, e := range c.Expected {
		if e.M == m {
			return e, true
		}
	}
	return Expected{}, false
}

// Name is the action with its type or rank.
func (c Choice) Name() string {
	switch {
	case c.Action == KeepDense && c.DType != "":
		return fmt.Sprintf("%s, %s", c.Action, c.DType)
	case c.Action == Factored:
		return fmt.Sprintf("%s, rank %d", c.Action, c.Rank)
	}
	return string(c.Action)
}

// String describes the choice in two lines: what it costs, and why.
func (c Choice) String() string {
	s := fmt.Sprintf("%s: error %.2g", c.Name(), c.Error)
	if c.Bytes > 0 {
		s += ", " + bytesize.Decimal(c.Bytes)
	}
	if c.BitsPerWeight > 0 {
		s += fmt.Sprintf(" (%.4g bits a weight)", c.BitsPerWeight)
	}
	if c.Work != 1 {
		s += fmt.Sprintf(", %.3g of the multiply-adds", c.Work)
	}
	for _, e := range c.Expected {
		s += fmt.Sprintf(", %.2f times as fast as %s at m = %d", e.Speedup, e.Baseline, e.M)
	}
	if !c.HasKernel {
		s += ", no kernel"
	}
	return s + "\n  " + c.Why
}

// group is the group size of an int4 action, 0 for others.
func (c Choice) group() int {
	switch c.Action {
	case Int4Group32:
		return 32
	case Int4Group128:
		return 128
	case Int4PerChannel:
		return int(ceilDiv(int64(max(1, c.K)), 32)) * 32 // a kernel's are multiples of 32
	}
	return 0
}

// scheme is that of the kernel that runs the choice, "" if there is none.
func (c Choice) scheme() string {
	switch c.Action {
	case KeepDense:
		switch c.DType {
		case "", "F32": // an activation's choice has no type of the weight
			return kernels.SchemeF32
		case "BF16":
			return kernels.SchemeBF16
		}
	case BFloat16:
		return kernels.SchemeBF16
	case Int8PerChannel:
		return kernels.SchemeW8A16
	case W8A8:
		return kernels.SchemeW8A8
	case Int4Group32, Int4Group128, Int4PerChannel:
		return kernels.SchemeW4A16
	case Factored:
		return kernels.SchemeLowRank
	case SkipZeros:
		return kernels.SchemeSkipZeros
	}
	return ""
}
