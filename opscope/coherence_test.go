package opscope_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

func TestAdjacentRowCoherence(t *testing.T) {
	// The random walk of Coherent starts at variance 1 and gains 0.15² a row.
	const rows, gain = 200, 0.15 * 0.15
	var products, energy float64
	for i := 1; i < rows; i++ {
		above := 1 + gain*float64(i-1)
		products += above
		energy += 2*above + gain
	}
	alternating := func(i, j int) float64 { return float64(1-2*(i%2)) * float64(j+1) }
	for _, tt := range []struct {
		name      string
		x         opscope.Matrix
		want, tol float64
	}{
		{"equal rows", build(30, 7, func(i, j int) float64 { return float64(j) - 2 }), 1, 1e-15},
		{"alternating sign", build(9, 4, alternating), -1, 1e-15},
		{"orthogonal rows", hadamard(16), 0, 0},
		{"doubling rows", build(2, 3, func(i, j int) float64 { return float64(i + 1) }), 0.8, 1e-15},
		{"one row", build(1, 5, alternating), 0, 0},
		{"no rows", build(0, 5, nil), 0, 0},
		{"no columns", build(5, 0, nil), 0, 0},
		{"zero", build(5, 5, func(i, j int) float64 { return 0 }), 0, 0},
		{"huge", build(4, 3, func(i, j int) float64 { return 3e38 }), 1, 1e-15},
		{"independent rows", opscope.Sample(opscope.Gaussian, 500, 400, 1), 0, 4 / math.Sqrt(500*400)},
		{"random walk", opscope.Sample(opscope.Coherent, rows, 3000, 1), 2 * products / energy, 3e-4},
		// More than one block of rows.
		{"long", build(70000, 20, func(i, j int) float64 { return float64(1 - 2*(i/2%2)) }), 0, 2e-5},
	} {
		for _, r := range []opscope.RowReader{opscope.MatrixRows(strided(tt.x, 2)), reader{RowReader: opscope.MatrixRows(tt.x)}} {
			got, err := opscope.AdjacentRowCoherence(t.Context(), r)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			within(t, tt.name, got, tt.want, tt.tol)
		}
	}
	bad := build(3, 3, func(i, j int) float64 { return 1 })
	bad.Data[8] = float32(math.NaN())
	if got, err := opscope.AdjacentRowCoherence(t.Context(), opscope.MatrixRows(bad)); err != nil || !math.IsNaN(got) {
		t.Errorf("with a NaN: %v, %v", got, err)
	}
}

func TestBlockIdentityGap(t *testing.T) {
	ramp := func(i, j int) float64 { return float64(1 + i + 2*j) }
	times := func(f float64) opscope.Matrix {
		return build(6, 5, func(i, j int) float64 { return f * ramp(i, j) })
	}
	zero := times(0)
	nan := times(1)
	nan.Data[7] = float32(math.NaN())
	inf := times(1)
	inf.Data[7] = float32(math.Inf(1))
	for _, tt := range []struct {
		name    string
		in, out opscope.Matrix
		want    float64
	}{
		{"identity", times(1), times(1), 0},
		{"doubled", times(1), times(2), 1},
		{"halved", times(2), times(1), 0.5},
		{"negated", times(1), times(-1), 2},
		{"erased", times(1), zero, 1},
		{"zero", zero, zero, 0},
		{"from nothing", zero, times(1), math.Inf(1)},
		{"empty", build(0, 3, nil), build(0, 3, nil), 0},
	} {
		got, err := opscope.BlockIdentityGap(t.Context(), strided(tt.in, 1), strided(tt.out, 4))
		if err != nil || got != tt.want {
			t.Errorf("%s: %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
	for _, pair := range [][2]opscope.Matrix{{nan, times(1)}, {times(1), nan}, {inf, inf}} {
		if got, err := opscope.BlockIdentityGap(t.Context(), pair[0], pair[1]); err != nil || !math.IsNaN(got) {
			t.Errorf("with non-finite elements: %v, %v", got, err)
		}
	}
	if _, err := opscope.BlockIdentityGap(t.Context(), times(1), build(5, 6, ramp)); err == nil {
		t.Error("no error for shapes that differ")
	}
	if _, err := opscope.BlockIdentityGap(t.Context(), times(1), opscope.Matrix{Rows: 6, Cols: 5, Stride: 5}); err == nil {
		t.Error("no error for a malformed matrix")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := opscope.BlockIdentityGap(ctx, times(1), times(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
