package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/weights"
)

// lineFormat is the version of the JSON lines. It changes when a program that reads
// them would have to.
const lineFormat = 1

// probeLine is what a JSON line says of one matrix, or of a tensor that is none.
type probeLine struct {
	Format int    `json:"format"`
	Path   string `json:"path"` // as named on the command line
	File   string `json:"file"` // the part of the model
	// Tensor is the name, with [e] for expert e of a stack.
	Tensor string `json:"tensor"`
	DType  string `json:"dtype"`
	// Shape is the tensor's, all of a stack.
	Shape []int `json:"shape"`
	// Elements and Bytes are those of the matrix, a fair share of a stack.
	Elements int64 `json:"elements"`
	Bytes    int64 `json:"bytes"`
	// Layout is "out,in" or "in,out", and LayoutWhy how it is known.
	Layout    string `json:"layout,omitempty"`
	LayoutWhy string `json:"layout_why,omitempty"`
	// Status is one of the constants, and Reason why it is not statusProbed.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// TiedTo is the tensor that has the same bytes.
	TiedTo string `json:"tied_to,omitempty"`
	// Profile is what was measured, Budget the largest error allowed, and Choices
	// the actions within it, the recommended one first.
	Profile *opscope.Profile `json:"profile,omitempty"`
	Budget  float64          `json:"budget,omitempty"`
	Choices []opscope.Choice `json:"choices,omitempty"`
}

const (
	statusProbed  = "probed"
	statusSkipped = "skipped" // not a matrix, or not decoded
	statusTied    = "tied"    // the same bytes as another tensor
	statusFailed  = "failed"  // could not be read
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

// results are the lines of earlier runs.
type results struct {
	all   []probeLine
	index map[string]int
}

// key names a matrix of a model.
func (l *probeLine) key() string { return l.Path + "\x00" + l.Tensor }

// maxLine is the most bytes of one JSON line. A profile with all singular values has
// some ten thousand.
const maxLine = 64 << 20

// readResults reads JSON lines. Of two for one matrix the later one counts, as after
// a run that was repeated.
func readResults(files []string) (results, error) {
	r := results{index: map[string]int{}}
	for _, name := range files {
		if err := r.readFile(name); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (r *results) readFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, maxLine)
	for number := 1; scanner.Scan(); number++ {
		text := bytes.TrimSpace(scanner.Bytes())
		if len(text) == 0 {
			continue
		}
		line, err := parseLine(text)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if i, twice := r.index[line.key()]; twice {
			r.all[i] = line
			continue
		}
		r.index[line.key()] = len(r.all)
		r.all = append(r.all, line)
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func parseLine(text []byte) (probeLine, error) {
	var line probeLine
	if err := json.Unmarshal(text, &line); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) {
			return line, fmt.Errorf("not a JSON line of gopherscope probe, or one that was cut off: %w", err)
		}
		return line, fmt.Errorf("not a JSON line of gopherscope probe: %w", err)
	}
	switch {
	case line.Format == 0 || line.Tensor == "":
		return line, errors.New("not a JSON line of gopherscope probe")
	case line.Format != lineFormat:
		return line, fmt.Errorf("a line of format %d, and this program reads format %d", line.Format, lineFormat)
	case line.Elements < 0 || line.Bytes < 0:
		return line, errors.New("elements and bytes are negative")
	case !slices.Contains([]string{statusProbed, statusSkipped, statusTied, statusFailed}, line.Status):
		return line, fmt.Errorf("unknown status %q", line.Status)
	case line.Status == statusProbed && line.Profile == nil:
		return line, errors.New("a probed matrix without its profile")
	}
	return line, nil
}

// find returns the result for a matrix, if there is one of the same shape, dtype and
// layout that did not fail.
func (r results) find(line probeLine) (probeLine, bool) {
	i, found := r.index[line.key()]
	if !found {
		return probeLine{}, false
	}
	old := r.all[i]
	same := old.DType == line.DType && slices.Equal(old.Shape, line.Shape) && old.Layout == line.Layout && old.Status == line.Status
	return old, same
}

// lines returns all results that the globs select.
func (r results) lines(g globs) []probeLine {
	var lines []probeLine
	for _, line := range r.all {
		if g.match(line.Tensor) {
			lines = append(lines, line)
		}
	}
	return lines
}
