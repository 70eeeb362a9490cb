package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

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
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			err = jsonTypeError(wrong)
		}
		return line, fmt.Errorf("not a JSON line of gopherscope probe: %w", err)
	}
	switch {
	case line.Format == 0 || line.Tensor == "":
		return line, errors.New("not a JSON line of gopherscope probe")
	case line.Format != lineFormat:
		return line, fmt.Errorf("a line of format %d, and this program reads format %d", line.Format, lineFormat)
	}
	return line, probeSchema().validate(text)
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
