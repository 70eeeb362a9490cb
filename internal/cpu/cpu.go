// Package cpu says what the processor can run and what it is.
//
// Instruction sets form tiers, an ordered list for each architecture:
//
//	amd64  ref  avx2  avx512  vnni  bf16
//	arm64  ref  neon  dotprod  i8mm
//
// A tier includes those before it, so a processor has a tier only if it has all
// the earlier ones as well. Elsewhere, and with the build tag noasm, ref is the
// only one. The environment variable GOPHERSCOPE_CPU, read once at start, names
// the last tier that may be used; another value than a tier of the list stops
// the program.
package cpu

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// EnvMask is the environment variable that limits the tiers.
const EnvMask = "GOPHERSCOPE_CPU"

// A Tier is a set of instructions that code may require.
type Tier uint8

const (
	Ref Tier = iota // Go alone

	AVX2   // amd64: AVX2, FMA and F16C
	AVX512 // amd64: AVX-512 F, BW, CD, DQ and VL
	VNNI   // amd64: AVX512_VNNI, dot products of int8
	BF16   // amd64: AVX512_BF16, dot products of bfloat16

	NEON    // arm64: Advanced SIMD
	DotProd // arm64: FEAT_DotProd, dot products of int8
	I8MM    // arm64: FEAT_I8MM, products of int8 matrices
)

var names = [...]string{
	Ref:  "ref",
	AVX2: "avx2", AVX512: "avx512", VNNI: "vnni", BF16: "bf16",
	NEON: "neon", DotProd: "dotprod", I8MM: "i8mm",
}

// String returns the name of the tier, such as "avx512".
func (t Tier) String() string { return names[t] }

// A step is a tier of this architecture and whether the processor has what it adds.
type step struct {
	tier Tier
	has  bool
}

// usable holds the tiers that this program may use, from Ref to the best.
var usable = mustMask(detect(), os.Getenv(EnvMask))

// All returns the tiers of this build's architecture in order, whether or not
// this processor has them.
func All() []Tier {
	var all []Tier
	for _, s := range detect() {
		all = append(all, s.tier)
	}
	return all
}

// Present returns the tiers that the processor has, in order, whatever the mask.
func Present() []Tier { return mustMask(detect(), "") }

// Usable returns the tiers that the processor has and the mask allows, in order.
// The first is Ref.
func Usable() []Tier { return slices.Clone(usable) }

// Has reports whether t is usable.
func Has(t Tier) bool { return slices.Contains(usable, t) }

// Best returns the last usable tier.
func Best() Tier { return usable[len(usable)-1] }

func mustMask(steps []step, mask string) []Tier {
	tiers, err := masked(steps, mask)
	if err != nil {
		panic(err)
	}
	return tiers
}

// masked returns the tiers up to the first that the processor lacks, or up to
// the one that mask names; the empty mask allows all.
func masked(steps []step, mask string) ([]Tier, error) {
	end := len(steps)
	if mask != "" {
		end = 1 + slices.IndexFunc(steps, func(s step) bool { return s.tier.String() == mask })
		if end == 0 {
			var known []string
			for _, s := range steps {
				known = append(known, s.tier.String())
			}
			return nil, fmt.Errorf("%s=%s: want one of the tiers of this build: %s", EnvMask, mask, strings.Join(known, " "))
		}
	}
	var tiers []Tier
	for _, s := range steps[:end] {
		if !s.has {
			break
		}
		tiers = append(tiers, s.tier)
	}
	return tiers, nil
}
