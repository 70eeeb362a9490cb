package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/rlx-go/gopherscope/opscope/bench"
)

// benchReport prints what is measured: a table for each shape as it comes, or one
// JSON object at the end.
type benchReport struct {
	json           bool
	stdout, stderr *os.File
	limits         bench.Machine // kept from before, for what this run did not measure
	machines       []bench.Machine
	rows           []benchRow
}

// note prints a remark: beside the tables, or apart from the JSON.
func (r *benchReport) note(text string) {
	w := r.stdout
	if r.json {
		w = r.stderr
	}
	fmt.Fprintln(w, text)
}

func (r *benchReport) add(result shapeResult) {
	if !r.json {
		if len(r.rows) == 0 {
			m := result.machine
			fmt.Fprintf(r.stdout, "%s, tier %s, threads: %d\n", m.CPU, m.Tier, m.Threads)
			if m.Tier == "ref" {
				fmt.Fprintln(r.stdout, "The limits are those of loops in Go without vectors, not of the hardware.")
			}
		}
		printShape(r.stdout, result)
	}
	for _, note := range result.notes {
		r.note(note)
	}
	r.machines = append(r.machines, result.machine)
	r.rows = append(r.rows, result.rows...)
}

func (r *benchReport) end() error {
	if !r.json || len(r.rows) == 0 {
		return nil
	}
	return printJSON(r.stdout, struct {
		Machine bench.Machine `json:"machine"`
		Rows    []benchRow    `json:"rows"`
	}{typical(r.limits, r.machines), r.rows})
}

// typical returns the median of each limit over the shapes, in whose rounds they
// were measured, and of the bandwidths that none of them needed those of before.
func typical(before bench.Machine, measured []bench.Machine) bench.Machine {
	of := func(value func(bench.Machine) float64) float64 {
		var values []float64
		for _, m := range measured {
			values = append(values, value(m))
		}
		return rounded(middle(values), 2)
	}
	m := measured[0]
	m.F32Peak, m.Int8Peak, m.BF16Peak = of(f32Peak), of(int8Peak), of(bf16Peak)
	reads := map[int64][]float64{}
	for _, one := range measured {
		for _, b := range one.Read {
			reads[b.Bytes] = append(reads[b.Bytes], b.GBps)
		}
	}
	m.Read = nil
	for _, b := range before.Read {
		if values := reads[b.Bytes]; values != nil {
			b.GBps = middle(values)
		}
		m.Read = append(m.Read, bench.Bandwidth{Bytes: b.Bytes, GBps: rounded(b.GBps, 2)})
	}
	return m
}

// middle returns the median of at least one value.
func middle(values []float64) float64 {
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

func printShape(w io.Writer, result shapeResult) {
	m := result.machine
	fmt.Fprintf(w, "\nm=%d k=%d n=%d   peaks: f32 %.4g GFLOP/s, int8 %.4g GOP/s, bf16 %.4g GFLOP/s\n",
		result.shape.m, result.shape.k, result.shape.n, m.F32Peak, m.Int8Peak, m.BF16Peak)
	names := []string{"scheme"}
	impls := []string{"code"}
	for _, row := range result.rows {
		names, impls = append(names, row.name()), append(impls, row.Impl)
	}
	names, impls = padded(names), padded(impls)
	fmt.Fprintf(w, "%s  %s  %9s  %6s  %6s  %7s  %6s  %7s\n", names[0], impls[0], "time", "Gop/s", "GB/s", "of roof", "x f32", "error")
	for i, row := range result.rows {
		fmt.Fprintf(w, "%s  %s  %9s  %6.4g  %6.4g  %6.0f%%  %6.2f  %7.1e\n",
			names[i+1], impls[i+1], shortTime(row.NS), row.Gops, row.GBps, 100*row.Roof, row.TimesF32, row.Err)
	}
}

// padded returns the texts with blanks to the length of the longest.
func padded(texts []string) []string {
	width := 0
	for _, t := range texts {
		width = max(width, len(t))
	}
	var all []string
	for _, t := range texts {
		all = append(all, fmt.Sprintf("%-*s", width, t))
	}
	return all
}

// shortTime writes nanoseconds to four figures.
func shortTime(ns int64) string {
	d := time.Duration(ns)
	for unit := time.Duration(1); ; unit *= 10 {
		if r := d.Round(unit); r < 10000*unit {
			return r.String()
		}
	}
}
