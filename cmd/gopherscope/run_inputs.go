package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rlx-go/gopherscope/internal/nb"
)

// input is a notebook to run.
type input struct {
	path     string // as given
	absolute string
	name     string // base name without suffix
	notebook *nb.Notebook
	read     os.FileInfo // the file when it was read
}

// inputs reads the notebooks and refuses what cannot be run or written, all of
// it at once.
func (r *notebookRun) inputs(args []string) ([]input, error) {
	paths, err := notebookPaths(args)
	if err != nil {
		return nil, err
	}
	var inputs []input
	var problems []error
	owner := map[string]string{} // page to notebook; letter case does not make names differ everywhere
	for _, path := range paths {
		in, err := readInput(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		key := strings.ToLower(in.name)
		switch other, twice := owner[key]; {
		case twice:
			problems = append(problems, fmt.Errorf("%s: has the same name as %s, so both would be %s",
				path, other, filepath.Join(r.out, in.name+".html")))
		case key == "index":
			problems = append(problems, fmt.Errorf("%s: its page would be index.html, which lists the notebooks; rename it", path))
		}
		owner[key] = path
		inputs = append(inputs, in)
	}
	outputs := []string{"index.html"}
	for _, in := range inputs {
		outputs = append(outputs, in.name+".ipynb", in.name+".html")
	}
	for _, output := range outputs {
		target := filepath.Join(r.out, output)
		if overwritten := overwrittenInput(target, inputs); overwritten != "" {
			problems = append(problems, fmt.Errorf("%s: would be overwritten by %s; choose another folder with --out", overwritten, target))
		}
	}
	return inputs, errors.Join(problems...)
}

// notebookPaths returns the files to run: those given, patterns expanded for
// shells that do not, or all of the folder notebooks.
func notebookPaths(args []string) ([]string, error) {
	if len(args) == 0 {
		paths, err := filepath.Glob(filepath.Join("notebooks", "*.ipynb"))
		if err == nil && len(paths) == 0 {
			err = errors.New("there is no notebooks/*.ipynb here; run it in the project's folder or name the notebooks")
		}
		return paths, err
	}
	var paths []string
	for _, arg := range args {
		matches, _ := filepath.Glob(arg)
		if _, err := os.Lstat(arg); err == nil || len(matches) == 0 {
			matches = []string{arg} // a name; when there is no such file, reading it says so
		}
		paths = append(paths, matches...)
	}
	return paths, nil
}

func readInput(path string) (input, error) {
	info, statErr := os.Stat(path)
	notebook, err := nb.ReadFile(path)
	if err != nil {
		return input{}, err
	}
	if statErr != nil {
		return input{}, statErr
	}
	if language := notebook.Language(); language != "" && language != "go" {
		return input{}, fmt.Errorf("%s: is a notebook in %.40q, not in Go", path, language)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return input{}, err
	}
	base := filepath.Base(absolute)
	return input{path: path, absolute: absolute, name: strings.TrimSuffix(base, filepath.Ext(base)), notebook: notebook, read: info}, nil
}

// overwrittenInput returns the input that writing to path would overwrite, or "".
func overwrittenInput(path string, inputs []input) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	for _, in := range inputs {
		if i, err := os.Stat(in.absolute); err == nil && os.SameFile(info, i) {
			return in.path
		}
	}
	return ""
}
