package main

import (
	"fmt"
	"strconv"
	"strings"
)

// benchShape is x[m,k] W[k,n].
type benchShape struct{ m, k, n int }

func (s benchShape) String() string { return fmt.Sprintf("%dx%dx%d", s.m, s.k, s.n) }

// weightBytes is the size of W in float32.
func (s benchShape) weightBytes() int64 { return 4 * int64(s.k) * int64(s.n) }

// defaultShapes are the projections of a small transformer, larger weights, and
// one shape for the schemes that need structure.
var defaultShapes = []benchShape{
	{1, 1024, 1024}, {32, 1024, 1024}, // attention
	{1, 1024, 3072}, {32, 1024, 3072}, // the way up in a feed-forward layer
	{1, 3072, 1024}, {32, 3072, 1024}, // and down
	{128, 1024, 1024}, {512, 1024, 1024},
	{1, 2048, 2048}, {1, 6144, 6144}, {1, 12288, 12288},
	structuredShape,
}

var structuredShape = benchShape{64, 512, 512}

// maxDimension and maxElements keep matrices far from overflow, and a gigabyte each at
// most.
const (
	maxDimension = 1 << 20
	maxElements  = 1 << 28
)

func parseShape(text string) (benchShape, error) {
	var d [3]int
	parts := strings.Split(strings.TrimSpace(text), "x")
	ok := len(parts) == len(d)
	for i := 0; ok && i < len(d); i++ {
		var err error
		d[i], err = strconv.Atoi(parts[i])
		ok = err == nil && d[i] >= 1 && d[i] <= maxDimension
	}
	if !ok {
		return benchShape{}, fmt.Errorf("--shapes: %q is not MxKxN with numbers from 1 to %d", text, maxDimension)
	}
	// No overflow: each is at most 2^20.
	for _, elements := range []int64{int64(d[0]) * int64(d[1]), int64(d[1]) * int64(d[2]), int64(d[0]) * int64(d[2])} {
		if elements > maxElements {
			return benchShape{}, fmt.Errorf("--shapes: %q has a matrix of %d elements, want at most %d", text, elements, maxElements)
		}
	}
	return benchShape{d[0], d[1], d[2]}, nil
}
