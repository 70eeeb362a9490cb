package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// What --layout takes, and what reports call a layout.
const (
	autoLayout = "auto"
	outIn      = "out,in" // a row for each output channel
	inOut      = "in,out"
)

// modelFlags say which tensors of the files are looked at, and how.
type modelFlags struct {
	include, exclude, stack []string
	layout                  string
}

func (f *modelFlags) register(cmd *cobra.Command) {
	f.registerGlobs(cmd)
	cmd.Flags().StringVar(&f.layout, "layout", autoLayout, "`AXES` of a stored matrix: out,in or in,out, or auto for what the file tells")
}

func (f *modelFlags) registerGlobs(cmd *cobra.Command) {
	f.layout = autoLayout
	flags := cmd.Flags()
	flags.StringSliceVar(&f.include, "include", nil, "only tensors whose whole name matches one of the `GLOB,...`, such as '*.mlp.*'")
	flags.StringSliceVar(&f.exclude, "exclude", nil, "no tensor whose name matches one of the `GLOB,...`")
}

// registerStack adds the flag of the verbs that look at single matrices.
func (f *modelFlags) registerStack(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.stack, "stack", nil, "3-D tensors whose name matches one of the `GLOB,...` are stacks of matrices, besides those known as experts by name")
}

// modelReader opens models and lists their tensors as the flags say.
type modelReader struct {
	globs  globs
	stack  []*regexp.Regexp
	layout string
}

func (f *modelFlags) reader() (modelReader, error) {
	switch f.layout {
	case autoLayout, inOut, outIn:
	default:
		return modelReader{}, fmt.Errorf("--layout: %q is not %s, %s or %s", f.layout, autoLayout, inOut, outIn)
	}
	globs, err := newGlobs(f.include, f.exclude)
	if err != nil {
		return modelReader{}, err
	}
	stack, err := compileGlobs("--stack", f.stack)
	return modelReader{globs: globs, stack: stack, layout: f.layout}, err
}

// model is one path of the command line: a file, or all files of a sharded one.
type model struct {
	path     string
	file     *weights.File
	tensors  []modelTensor // in the order of the file, those that the globs select
	excluded excludedTensors
}

// excludedTensors are those that the globs leave out.
type excludedTensors struct {
	tensors  int
	elements int64
	bytes    int64
}

func (e *excludedTensors) add(other excludedTensors) {
	e.tensors += other.tensors
	e.elements += other.elements
	e.bytes += other.bytes
}

// modelTensor is a tensor and what it is seen as.
type modelTensor struct {
	*weights.Tensor
	matrices  []weights.Matrix // one, or one an expert; none if skipped
	layoutWhy string           // "" if the flag gave the layout
	skipped   string           // why there is no matrix
}

// open opens every path, or none. The caller closes them.
func (r modelReader) open(ctx context.Context, paths []string) ([]model, error) {
	models, err := abandonable(ctx, func() ([]model, error) { return r.openAll(paths) })
	return models, interrupted(ctx, err)
}

func (r modelReader) openAll(paths []string) ([]model, error) {
	var models []model
	var problems []error
	selected := 0
	for _, path := range expandPaths(paths) {
		m, err := r.openOne(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		models = append(models, m)
		selected += len(m.tensors)
	}
	err := errors.Join(problems...)
	if err == nil && selected == 0 {
		err = r.noTensor(models)
	}
	if err != nil {
		closeModels(models)
		return nil, err
	}
	return models, nil
}

func (r modelReader) noTensor(models []model) error {
	for _, m := range models {
		if m.excluded.tensors > 0 {
			return errors.New("--include and --exclude leave none of the tensors; a pattern matches a whole name, such as '*.mlp.*'")
		}
	}
	return fmt.Errorf("%s: has no tensors", models[0].path)
}

func (r modelReader) openOne(path string) (model, error) {
	file, err := weights.Open(path)
	if err != nil {
		return model{}, err
	}
	if err := r.setStacks(file); err != nil {
		file.Close()
		return model{}, err
	}
	m := model{path: path, file: file, tensors: make([]modelTensor, 0, len(file.Tensors()))}
	// Both are in the order of the tensors.
	matrices, skipped := file.Matrices(), file.Skipped()
	for _, t := range file.Tensors() {
		n := 0
		for n < len(matrices) && matrices[n].Tensor == t {
			n++
		}
		of, reason := matrices[:n:n], ""
		matrices = matrices[n:]
		if len(skipped) > 0 && skipped[0].Tensor == t {
			reason, skipped = skipped[0].Reason, skipped[1:]
		}
		if !r.globs.match(t.Name) {
			m.excluded.tensors++
			m.excluded.elements += int64(t.Elements())
			m.excluded.bytes += t.Bytes
			continue
		}
		m.tensors = append(m.tensors, r.tensor(t, of, reason))
	}
	return m, nil
}

// setStacks names the stacks to the file one by one, since its patterns are not those
// of compileGlob.
func (r modelReader) setStacks(file *weights.File) error {
	var stacks []string
	for _, t := range file.Tensors() {
		if len(t.Shape) == 3 && matchAny(r.stack, t.Name) {
			stacks = append(stacks, quoteGlob.Replace(t.Name))
		}
	}
	if len(r.stack) > 0 && stacks == nil {
		return fmt.Errorf("%s: --stack matches no tensor with three axes", file.Name())
	}
	if stacks == nil {
		return nil
	}
	return file.SetStacks(stacks...)
}

var quoteGlob = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

func (r modelReader) tensor(t *weights.Tensor, matrices []weights.Matrix, skipped string) modelTensor {
	mt := modelTensor{Tensor: t, matrices: matrices, skipped: skipped}
	for i := range matrices {
		switch r.layout {
		case inOut:
			matrices[i].Layout = weights.InOut
		case outIn:
			matrices[i].Layout = weights.OutIn
		default:
			matrices[i].Layout, mt.layoutWhy = matrices[i].GuessLayout()
		}
	}
	return mt
}

func closeModels(models []model) {
	for _, m := range models {
		m.file.Close()
	}
}

// bitsPerWeight is what a value takes in the file, scales included.
func bitsPerWeight(bytes, elements int64) float64 {
	if elements == 0 {
		return 0
	}
	return 8 * float64(bytes) / float64(elements)
}

// layoutName is a layout as --layout takes it and as reports call it.
func layoutName(l weights.Layout) string {
	if l == weights.InOut {
		return inOut
	}
	return outIn
}

// expandPaths expands patterns for shells that do not.
func expandPaths(args []string) []string {
	var paths []string
	for _, arg := range args {
		matches, _ := filepath.Glob(arg)
		if _, err := os.Lstat(arg); err == nil || len(matches) == 0 {
			matches = []string{arg} // a name; when there is no such file, opening it says so
		}
		paths = append(paths, matches...)
	}
	return paths
}
