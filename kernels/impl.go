package kernels

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

// ImplRef is the Info.Impl of the portable reference implementations.
const ImplRef = "ref"

// An impl is one implementation of a scheme. It is named after the tier of
// instructions that it needs.
type impl[F any] struct {
	needs cpu.Tier
	funcs F
}

func (i impl[F]) name() string { return i.needs.String() }

// A table holds the implementations of a scheme in the order of preference: the
// portable reference first, the one to use where it can run last.
type table[F any] []impl[F]

// runnable returns the names of the implementations that this processor and the
// mask allow.
func (t table[F]) runnable() []string {
	var names []string
	for _, i := range t {
		if cpu.Has(i.needs) {
			names = append(names, i.name())
		}
	}
	return names
}

// choose returns the implementation of that name, the best one for "". It
// returns an error when there is none that can run here.
func (t table[F]) choose(op, name string) (impl[F], error) {
	for _, i := range slices.Backward(t) {
		if cpu.Has(i.needs) && (name == "" || name == i.name()) {
			return i, nil
		}
	}
	return impl[F]{}, fmt.Errorf("kernels: %s: implementation %q cannot run here, want one of: %s",
		op, name, strings.Join(t.runnable(), " "))
}

// refOnly stands in the list of schemes for a table with the reference alone.
var refOnly = table[struct{}]{{cpu.Ref, struct{}{}}}

// schemes lists every scheme with the table of its implementations.
var schemes = []struct {
	name  string
	table interface{ runnable() []string }
}{
	{SchemeDense, refOnly},
	{SchemeF32, f32Table},
	{SchemeBF16, bf16Table},
	{SchemeSkipZeros, skipZerosTable},
	{SchemeLowRank, lowRankTable},
	{SchemeInt8PerChannel, refOnly},
	{SchemeW8A16, w8a16Table},
	{SchemeW8A8, w8a8Table},
	{SchemeW4A16, int4Table},
}

// Schemes returns the names of all schemes, in the order of the package comment.
func Schemes() []string {
	var names []string
	for _, s := range schemes {
		names = append(names, s.name)
	}
	return names
}

// Implementations returns the names of the implementations of a scheme that can
// run here, as the option Impl takes them and Info.Impl gives them. The first is
// ImplRef, the last is the one that constructors choose by themselves. It returns
// nil for an unknown scheme.
func Implementations(scheme string) []string {
	for _, s := range schemes {
		if s.name == scheme {
			return s.table.runnable()
		}
	}
	return nil
}
