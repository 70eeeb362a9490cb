package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/opscope"
)

// probeReport is what a run found, and how it is told.
type probeReport struct {
	run        *probeRun
	lines      []probeLine // in the order of the files
	excluded   excludedTensors
	notReached []probeItem // when the run was interrupted
}

// add takes a line that was just made, and prints it with --json: at once and with
// one call, so that it is there whatever happens next.
func (r *probeReport) add(line probeLine) error {
	r.lines = append(r.lines, line)
	if line.Status == statusFailed {
		fmt.Fprintf(r.run.stderr, "gopherscope: %s\n", oneLine(line.failure()))
	}
	if !r.run.json {
		return nil
	}
	return writeError(printJSON(r.run.stdout, line))
}

// bytes is the size of the models in the report.
func (r *probeReport) bytes() int64 {
	var sum int64
	for _, line := range r.lines {
		sum += line.Bytes
	}
	return sum
}

// failures is an error if matrices could not be read, each of which was reported.
func (r *probeReport) failures() error {
	failed := 0
	for _, line := range r.lines {
		if line.Status == statusFailed {
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	return fmt.Errorf("%s could not be read", plural(failed, "matrix"))
}

// failure says why a matrix could not be read; most reasons name it already.
func (l *probeLine) failure() string {
	if strings.Contains(l.Reason, l.Tensor) {
		return l.Reason
	}
	return fmt.Sprintf("%s: tensor %s: %s", l.File, shortName(l.Tensor), l.Reason)
}

// end prints the report and writes the page. With --json the lines are out already.
func (r *probeReport) end() error {
	if len(r.lines) == 0 {
		return nil // interrupted before the first, or an empty part
	}
	slices.SortStableFunc(r.lines, func(a, b probeLine) int { return cmp.Compare(b.Bytes, a.Bytes) })
	plan, err := r.plan()
	if err != nil {
		// The matrices are probed, whatever the target: their table is worth having.
		return errors.Join(r.tell(nil), err)
	}
	return errors.Join(r.tell(plan), r.writePage(plan))
}

func (r *probeReport) tell(plan *modelPlan) error {
	switch {
	case r.run.json:
		return nil
	case r.run.csv:
		return writeError(r.printCSV(r.run.stdout, plan))
	}
	return writeError(r.print(r.run.stdout, plan))
}

// probed returns the lines that have a profile.
func (r *probeReport) probed() []*probeLine {
	var list []*probeLine
	for i := range r.lines {
		if r.lines[i].Profile != nil {
			list = append(list, &r.lines[i])
		}
	}
	return list
}

// activations tells whether the report is one of activations.
func (r *probeReport) activations() bool {
	probed := r.probed()
	return len(probed) > 0 && probed[0].Profile.Role == opscope.Activation
}

// print writes the tables and the words below them.
func (r *probeReport) print(out io.Writer, plan *modelPlan) error {
	var b strings.Builder
	for _, t := range r.tables(plan) {
		if len(t.table.rows) == 0 {
			continue
		}
		if err := t.table.print(&b); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	if !r.activations() {
		r.printTotals(&b, plan)
	}
	r.printNotProbed(&b)
	r.printLayouts(&b)
	r.printNotes(&b)
	_, err := io.WriteString(out, b.String())
	return err
}
