package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// matrixPair is a matrix that two checkpoints have under one name.
type matrixPair struct{ a, b weights.Matrix }

// tensorPairs is what two checkpoints have in common, and what not.
type tensorPairs struct {
	both         []matrixPair  // in the order of A
	encoded      []encodedPair // whose bytes can be compared, not their values
	incomparable []tensorDiff  // in both, and why not compared
	onlyA, onlyB []string
	equalEncoded int // when they are compared
}

// pairTensors matches the tensors of two models by name.
func pairTensors(a, b model) tensorPairs {
	var p tensorPairs
	other := map[string]modelTensor{}
	for _, t := range b.tensors {
		other[t.Name] = t
	}
	for _, t := range a.tensors {
		u, found := other[t.Name]
		delete(other, t.Name)
		if !found {
			p.onlyA = append(p.onlyA, t.Name)
			continue
		}
		pairs, reason := pairMatrices(t, u)
		switch {
		case reason == "":
			p.both = append(p.both, pairs...)
		case t.DType == u.DType && slices.Equal(t.Shape, u.Shape):
			p.encoded = append(p.encoded, encodedPair{t, u, reason})
		default:
			p.incomparable = append(p.incomparable, incomparable(t, u, reason))
		}
	}
	for _, t := range b.tensors {
		if _, left := other[t.Name]; left {
			p.onlyB = append(p.onlyB, t.Name)
		}
	}
	return p
}

// pairMatrices returns the matrices of a tensor that two models have, one for all of a
// tensor that is none, or why their values cannot be compared.
func pairMatrices(t, u modelTensor) (pairs []matrixPair, reason string) {
	if len(t.matrices) == 0 && len(u.matrices) == 0 {
		if !slices.Equal(t.Shape, u.Shape) {
			return nil, differentShapes(t, u)
		}
		a, errA := t.Column()
		b, errB := u.Column()
		switch {
		case errA != nil:
			return nil, t.skipped
		case errB != nil:
			return nil, u.skipped
		}
		return []matrixPair{{a, b}}, ""
	}
	switch {
	case len(t.matrices) == 0:
		return nil, t.skipped
	case len(u.matrices) == 0:
		return nil, u.skipped
	}
	ar, ac := t.matrices[0].Dims()
	br, bc := u.matrices[0].Dims()
	if ar != br || ac != bc || len(t.matrices) != len(u.matrices) {
		return nil, differentShapes(t, u)
	}
	for i := range t.matrices {
		pairs = append(pairs, matrixPair{t.matrices[i], u.matrices[i]})
	}
	return pairs, ""
}

func differentShapes(t, u modelTensor) string {
	return fmt.Sprintf("shape %s in A, %s in B", shapeText(t.Shape), shapeText(u.Shape))
}

func incomparable(t, u modelTensor, reason string) tensorDiff {
	return tensorDiff{Tensor: t.Name, DTypeA: string(t.DType), DTypeB: string(u.DType), NotCompared: reason}
}

// encodedPair is a tensor that both have with the same dtype and shape, and whose values
// cannot be read, for a reason.
type encodedPair struct {
	a, b   modelTensor
	reason string
}

// compare tells whether the bytes are equal. Of those that are not it says so, and why
// there is no more to say.
func (p encodedPair) compare(ctx context.Context) (tensorDiff, error) {
	d := incomparable(p.a, p.b, "")
	if p.a.Bytes == 0 && p.b.Bytes == 0 {
		return d, nil // Tied leaves them out
	}
	equal, err := weights.Tied(ctx, []*weights.Tensor{p.a.Tensor, p.b.Tensor})
	if err == nil && len(equal) == 0 {
		d.NotCompared = "the bytes differ, and the values are not compared: " + p.reason
	}
	return d, err
}

// bytes is what comparing reads of both files.
func (p tensorPairs) bytes() int64 {
	var sum int64
	for _, pair := range p.both {
		sum += pair.bytes()
	}
	return sum
}

// bytes of a stack are shared evenly.
func (p matrixPair) bytes() int64 { return matrixBytes(p.a) + matrixBytes(p.b) }

func matrixBytes(m weights.Matrix) int64 {
	rows, cols := m.Dims()
	return int64(float64(m.Tensor.Bytes) * (float64(rows) * float64(cols) / float64(m.Tensor.Elements())))
}

// tensorDiff is what comparing one matrix found, a line of --json.
type tensorDiff struct {
	Tensor  string `json:"tensor"`
	DTypeA  string `json:"dtype_a,omitempty"`
	DTypeB  string `json:"dtype_b,omitempty"`
	Rows    int    `json:"rows,omitempty"` // as stored
	Cols    int    `json:"cols,omitempty"`
	Changed int64  `json:"changed"` // values that differ
	// Max is the largest |b - a|, at MaxRow and MaxCol.
	Max    jsonFloat `json:"max_abs"`
	MaxRow int       `json:"max_row"`
	MaxCol int       `json:"max_col"`
	RMS    jsonFloat `json:"rms"`
	Error  jsonFloat `json:"error"` // |B - A| / |A|
	SQNR   jsonFloat `json:"sqnr_db"`
	// NonFinite counts the places where one of both is infinite or no number and
	// the other is not the same. The first is at NonFiniteRow and NonFiniteCol.
	NonFinite    int64  `json:"non_finite"`
	NonFiniteRow int    `json:"non_finite_row,omitempty"`
	NonFiniteCol int    `json:"non_finite_col,omitempty"`
	NotCompared  string `json:"not_compared,omitempty"`
}

// MarshalJSON leaves out the figures of a tensor that was not compared, which are none.
func (d tensorDiff) MarshalJSON() ([]byte, error) {
	if d.NotCompared == "" {
		type plain tensorDiff
		return json.Marshal(plain(d))
	}
	return json.Marshal(struct {
		Tensor      string `json:"tensor"`
		DTypeA      string `json:"dtype_a,omitempty"`
		DTypeB      string `json:"dtype_b,omitempty"`
		NotCompared string `json:"not_compared"`
	}{d.Tensor, d.DTypeA, d.DTypeB, d.NotCompared})
}

// equal tells whether all values are equal.
func (d tensorDiff) equal() bool { return d.NotCompared == "" && d.Changed == 0 }

// diffSums are the sums over a block of rows.
type diffSums struct {
	changed, nonFinite    int64
	squareDiff, squareA   float64
	max                   float64
	maxAt, nonFiniteFirst int64 // elements from the start of the block
}

// diffBlock is the number of values that one step compares.
const diffBlock = 1 << 20

// compare reads both matrices. Blocks are read by as many goroutines as there are
// processors and added in their order, so that the result does not depend on them.
func (p matrixPair) compare(ctx context.Context, bar *byteProgress) (tensorDiff, error) {
	rows, cols := p.a.Dims()
	step := max(1, diffBlock/cols)
	blocks := (rows + step - 1) / step
	sums := make([]diffSums, blocks)
	var group sync.WaitGroup
	var mu sync.Mutex
	var failure error
	next := 0
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if failure == nil {
			failure = ctx.Err()
		}
		if failure != nil || next == blocks {
			return -1
		}
		next++
		return next - 1
	}
	// Rows that are very long are compared by fewer goroutines.
	workers := min(runtime.GOMAXPROCS(0), blocks, max(1, 32*diffBlock/(step*cols)))
	for range workers {
		group.Go(func() {
			a, b := make([]float32, step*cols), make([]float32, step*cols)
			for i := take(); i >= 0; i = take() {
				first := i * step
				n := (min(rows, first+step) - first) * cols
				err := p.a.ReadRows(a[:n], first)
				if err == nil {
					err = p.b.ReadRows(b[:n], first)
				}
				if err != nil {
					mu.Lock()
					failure = err
					mu.Unlock()
					return
				}
				sums[i] = sumDiff(a[:n], b[:n])
				bar.add(int64(float64(p.bytes()) * float64(n) / (float64(rows) * float64(cols))))
			}
		})
	}
	group.Wait()
	if failure != nil {
		return tensorDiff{}, failure
	}
	return p.result(sums, step), nil
}

// sumDiff compares two blocks.
func sumDiff(a, b []float32) diffSums {
	s := diffSums{maxAt: -1, nonFiniteFirst: -1}
	for i, x := range a {
		y := b[i]
		u := float64(x)
		if x == y {
			if finite(x) {
				s.squareA += u * u
			}
			continue
		}
		if x != x && y != y {
			continue
		}
		s.changed++
		if !finite(x) || !finite(y) {
			if s.nonFinite == 0 {
				s.nonFiniteFirst = int64(i)
			}
			s.nonFinite++
			continue
		}
		d := math.Abs(float64(y) - u)
		s.squareA += u * u
		s.squareDiff += d * d
		if d > s.max {
			s.max, s.maxAt = d, int64(i)
		}
	}
	return s
}

func finite(x float32) bool { return x-x == 0 }

// result adds up blocks of step rows.
func (p matrixPair) result(sums []diffSums, step int) tensorDiff {
	rows, cols := p.a.Dims()
	d := tensorDiff{Tensor: p.a.Name(), DTypeA: string(p.a.Tensor.DType), DTypeB: string(p.b.Tensor.DType), Rows: rows, Cols: cols}
	var squareDiff, squareA float64
	for i, s := range sums {
		place := func(at int64) (row, col int) { return i*step + int(at)/cols, int(at) % cols }
		d.Changed += s.changed
		if s.nonFinite > 0 && d.NonFinite == 0 {
			d.NonFiniteRow, d.NonFiniteCol = place(s.nonFiniteFirst)
		}
		d.NonFinite += s.nonFinite
		squareDiff += s.squareDiff
		squareA += s.squareA
		if s.max > float64(d.Max) {
			d.Max = jsonFloat(s.max)
			d.MaxRow, d.MaxCol = place(s.maxAt)
		}
	}
	if d.NonFinite > 0 {
		d.RMS, d.Error, d.SQNR = jsonFloat(math.NaN()), jsonFloat(math.NaN()), jsonFloat(math.NaN())
		return d
	}
	d.RMS = jsonFloat(math.Sqrt(squareDiff / (float64(rows) * float64(cols))))
	relative := 0.0 // of two that are equal, zeros too
	if squareDiff > 0 {
		relative = math.Sqrt(squareDiff / squareA) // infinite if A is zero
	}
	d.Error = jsonFloat(relative)
	d.SQNR = jsonFloat(-20 * math.Log10(relative))
	return d
}
