package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/weights"
)

// probeItem is a line to be, and its matrix unless it is skipped or tied.
type probeItem struct {
	line   probeLine
	matrix weights.Matrix
}

// work is the number of bytes to read.
func (it probeItem) work() int64 {
	if it.line.Status != statusProbed {
		return 0
	}
	return it.line.Bytes
}

// items lists what there is to probe, in the order of the files.
func (p *probeRun) items(ctx context.Context, models []model) ([]probeItem, error) {
	tied, err := tiedTensors(ctx, models)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		// What cannot be read will be met again, and the rest is worth probing.
		fmt.Fprintf(p.stderr, "gopherscope: tensors with the same bytes were not looked for: %s\n", printable(err.Error()))
	}
	var items []probeItem
	for _, m := range models {
		for _, t := range m.tensors {
			line := probeLine{
				Format: lineFormat, Path: m.path, File: t.File, Tensor: t.Name, DType: string(t.DType), Shape: t.Shape,
				Elements: int64(t.Elements()), Bytes: t.Bytes, LayoutWhy: t.layoutWhy, Status: statusProbed,
			}
			if line.Shape == nil {
				line.Shape = []int{} // a scalar's
			}
			if first, same := tied[t.Tensor]; same {
				line.TiedTo = first.Name
				line.Status, line.Reason = statusTied, "the same bytes as "+first.Name
			}
			if len(t.matrices) == 0 {
				if line.Status == statusProbed {
					line.Status, line.Reason = statusSkipped, t.skipped
				}
				items = append(items, probeItem{line: line})
				continue
			}
			line.Elements /= int64(len(t.matrices))
			line.Bytes /= int64(len(t.matrices))
			for _, matrix := range t.matrices {
				one := line
				one.Tensor, one.Layout = matrix.Name(), layoutName(matrix.Layout)
				if p.options.Role == opscope.Activation {
					one.Layout, one.LayoutWhy = "", ""
				}
				items = append(items, probeItem{one, matrix})
			}
		}
	}
	return items, nil
}

// tiedTensors maps every tensor that has the same bytes as one before it to the
// first of them.
func tiedTensors(ctx context.Context, models []model) (map[*weights.Tensor]*weights.Tensor, error) {
	var all []*weights.Tensor
	for _, m := range models {
		for _, t := range m.tensors {
			if len(t.matrices) > 0 {
				all = append(all, t.Tensor)
			}
		}
	}
	groups, err := abandonable(ctx, func() ([][]*weights.Tensor, error) { return weights.Tied(ctx, all) })
	if err != nil {
		return nil, err
	}
	first := map[*weights.Tensor]*weights.Tensor{}
	for _, group := range groups {
		for _, t := range group[1:] {
			first[t] = group[0]
		}
	}
	return first, nil
}

// countedRows is a matrix whose reading moves the progress, once for each byte
// however often it is read.
type countedRows struct {
	weights.Matrix
	bar   *byteProgress
	total int64
	mu    sync.Mutex
	done  int64
}

func (r *countedRows) ReadRows(dst []float32, first int) error {
	err := r.Matrix.ReadRows(dst, first)
	rows, cols := r.Dims()
	r.add(int64(float64(r.total) * float64(len(dst)) / (float64(rows) * float64(cols))))
	return err
}

func (r *countedRows) finish() { r.add(r.total) }

func (r *countedRows) add(n int64) {
	r.mu.Lock()
	n = min(n, r.total-r.done)
	r.done += n
	r.mu.Unlock()
	r.bar.add(n)
}
