package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlx-go/gopherscope/internal/bytesize"
	"github.com/rlx-go/gopherscope/opscope/weights"
)

// lsCommand is the verb that lists the tensors of files without reading their values.
func lsCommand(stdout *os.File) *cobra.Command {
	l := listing{stdout: stdout}
	cmd := &cobra.Command{
		Use:   "ls PATH...",
		Short: "List the tensors of model files",
		Long: `Ls lists the tensors of safetensors, GGUF, NPY and .tensor files. It reads the
headers only, so that it is as fast for 70 GB as for 1 MB. A PATH is a file; the
index of a sharded model (*.safetensors.index.json) or the first part of a split
GGUF, for all of its parts; or a folder that holds one model.

Columns:
  tensor     the name
  dtype      the type of the values in the file
  bits       bytes in the file, in bits per value: 4.5 for 4 bits and a scale of
             16 bits for each 32 values
  bytes      in the file
  shape      the last axis is the contiguous one
  seen as    the matrix that probe makes of it, and its axes: [out, in] has a row
             for each output channel. Or, in parentheses, why probe skips it

Then the sum of the values and bytes of each dtype.

Exit status: 0 when all was listed, 1 when a file is not there or is faulty, 2
when the command line is wrong.`,
		Example: `  gopherscope ls model.safetensors
  gopherscope ls models/llama-70b/ --include '*.layers.0.*'
  gopherscope ls model.gguf --sort bytes | head
  gopherscope ls models/llama-70b/ --json | jq -r 'select(.skipped) | [.tensor, .skipped] | @tsv'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no PATH: name a model file or folder; see gopherscope ls --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return l.run(cmd.Context(), args) },
	}
	l.flags.register(cmd)
	l.flags.registerStack(cmd)
	cmd.Flags().StringVar(&l.sort, "sort", "file", "`ORDER` of the lines: file, name, or bytes (largest first)")
	cmd.Flags().BoolVar(&l.json, "json", false, "print one JSON object a tensor in place of the table")
	return cmd
}

// listing is one invocation of the verb.
type listing struct {
	stdout *os.File
	flags  modelFlags
	sort   string
	json   bool
}

func (l *listing) run(ctx context.Context, paths []string) error {
	if !slices.Contains([]string{"file", "name", "bytes"}, l.sort) {
		return asUsage(fmt.Errorf("--sort: %q is not file, name or bytes", l.sort))
	}
	reader, err := l.flags.reader()
	if err != nil {
		return asUsage(err)
	}
	models, err := reader.open(ctx, paths)
	if err != nil {
		return err
	}
	defer closeModels(models)
	out := bufio.NewWriter(l.stdout)
	for i, m := range models {
		switch l.sort {
		case "name":
			slices.SortStableFunc(m.tensors, func(a, b modelTensor) int { return cmp.Compare(a.Name, b.Name) })
		case "bytes":
			slices.SortStableFunc(m.tensors, func(a, b modelTensor) int { return cmp.Compare(b.Bytes, a.Bytes) })
		}
		if ctx.Err() != nil {
			return interrupted(ctx, ctx.Err())
		}
		if l.json {
			err = printTensorLines(out, m)
		} else {
			if i > 0 {
				fmt.Fprintln(out)
			}
			err = printTensors(out, m)
		}
		if err == nil {
			err = out.Flush()
		}
		if err != nil {
			return writeError(err)
		}
	}
	return nil
}

func printTensors(w io.Writer, m model) error {
	if _, err := fmt.Fprintf(w, "%s: %s\n\n", oneLine(m.path), m.file.Format()); err != nil {
		return err
	}
	table := textTable{columns: []textColumn{{"tensor", false}, {"dtype", false}, {"bits", true}, {"bytes", true}, {"shape", false}, {"seen as", false}}}
	for _, t := range m.tensors {
		table.add(shortName(t.Name), shortName(string(t.DType)), bitsText(t.Bytes, int64(t.Elements())), bytesize.Decimal(t.Bytes),
			shapeText(t.Shape), t.seenAs())
	}
	if err := table.print(w); err != nil {
		return err
	}
	return printTypeSums(w, m)
}

// printTypeSums writes the sums of the listed tensors, by dtype and of all.
func printTypeSums(w io.Writer, m model) error {
	type sum struct{ tensors, elements, bytes int64 }
	sums := map[string]sum{}
	var all sum
	for _, t := range m.tensors {
		s := sums[string(t.DType)]
		for _, s := range []*sum{&s, &all} {
			s.tensors++
			s.elements += int64(t.Elements())
			s.bytes += t.Bytes
		}
		sums[string(t.DType)] = s
	}
	table := textTable{columns: []textColumn{{"dtype", false}, {"tensors", true}, {"values", true}, {"bytes", true}, {"bits", true}}}
	add := func(name string, s sum) {
		table.add(name, strconv.FormatInt(s.tensors, 10), shortCount(s.elements), bytesize.Decimal(s.bytes), bitsText(s.bytes, s.elements))
	}
	types := slices.Collect(maps.Keys(sums))
	slices.SortFunc(types, func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b].bytes, sums[a].bytes), cmp.Compare(a, b))
	})
	for _, name := range types {
		add(shortName(name), sums[name])
	}
	if len(types) > 1 {
		add("all", all)
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	if err := table.print(w); err != nil || m.excluded.tensors == 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "not listed for --include and --exclude: %s, %s\n", plural(m.excluded.tensors, "tensor"), bytesize.Decimal(m.excluded.bytes))
	return err
}

func bitsText(bytes, elements int64) string {
	if elements == 0 {
		return ""
	}
	return fmt.Sprintf("%.4g", bitsPerWeight(bytes, elements))
}

func shapeText(shape []int) string {
	if len(shape) == 0 {
		return "scalar"
	}
	var axes []string
	for _, n := range shape {
		axes = append(axes, strconv.Itoa(n))
	}
	return strings.Join(axes, " x ")
}

// seenAs says what matrix the tensor is, or in parentheses why it is none.
func (t modelTensor) seenAs() string {
	if t.skipped != "" {
		return "(" + oneLine(t.skipped) + ")"
	}
	m := t.matrices[0]
	rows, cols := m.Dims()
	text := fmt.Sprintf("%v = %d x %d", m.Layout, rows, cols)
	if len(t.matrices) > 1 || m.Name() != t.Name {
		text = fmt.Sprintf("%s, each %s", plural(len(t.matrices), "expert"), text)
	}
	if m.Layout != weights.OutIn && t.layoutWhy != "" {
		text += ": " + oneLine(t.layoutWhy)
	}
	return text
}

// tensorLine is what --json says of one tensor.
type tensorLine struct {
	Path     string  `json:"path"`
	File     string  `json:"file"`
	Tensor   string  `json:"tensor"`
	DType    string  `json:"dtype"`
	Shape    []int   `json:"shape"`
	Elements int64   `json:"elements"`
	Offset   int64   `json:"offset"`
	Bytes    int64   `json:"bytes"`
	Bits     float64 `json:"bits_per_weight"`
	Matrices int     `json:"matrices"` // how many the tensor is seen as
	Rows     int     `json:"rows,omitempty"`
	Cols     int     `json:"cols,omitempty"`
	Layout   string  `json:"layout,omitempty"`
	Why      string  `json:"layout_why,omitempty"`
	Skipped  string  `json:"skipped,omitempty"`
}

func printTensorLines(w io.Writer, m model) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, t := range m.tensors {
		line := tensorLine{
			Path: m.path, File: t.File, Tensor: t.Name, DType: string(t.DType), Shape: t.Shape,
			Elements: int64(t.Elements()), Offset: t.Offset, Bytes: t.Bytes, Bits: bitsPerWeight(t.Bytes, int64(t.Elements())),
			Matrices: len(t.matrices), Why: t.layoutWhy, Skipped: t.skipped,
		}
		if line.Shape == nil {
			line.Shape = []int{} // a scalar's
		}
		if len(t.matrices) > 0 {
			line.Rows, line.Cols = t.matrices[0].Dims()
			line.Layout = layoutName(t.matrices[0].Layout)
		}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
