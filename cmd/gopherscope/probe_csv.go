package main

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/rlx-go/gopherscope/opscope"
)

// csvColumns are the columns of --csv, in order.
var csvColumns = []string{
	"path", "tensor", "dtype", "status", "reason", "layout", "k", "n", "elements", "bytes", "bits_per_weight",
	"non_finite", "zeros", "norm", "min", "max", "mean", "kurtosis", "int8_tensor", "int8_channel", "int4_channel", "int4_group32", "int4_group128",
	"best_bits", "sparse_2_4", "ternary", "distinct", "distinct_more", "stable_rank", "rank_1pct", "rank_1pct_at_least", "rank_10pct", "rank_10pct_at_least",
	"outlier_inputs", "outlier_outputs", "action", "error", "bytes_after", "has_kernel", "speedup_m1", "speedup_m32",
}

// printCSV writes a row for every line; what is not known is empty.
func (r *probeReport) printCSV(out io.Writer, plan *modelPlan) error {
	w := csv.NewWriter(out)
	if err := w.Write(csvColumns); err != nil {
		return err
	}
	for i := range r.lines {
		line := &r.lines[i]
		values := map[string]string{
			"path": csvText(line.Path), "tensor": csvText(line.Tensor), "dtype": csvText(line.DType),
			"status": line.Status, "reason": csvText(line.Reason), "layout": line.Layout,
			"elements": strconv.FormatInt(line.Elements, 10), "bytes": strconv.FormatInt(line.Bytes, 10),
			"bits_per_weight": csvNumber(bitsPerWeight(line.Bytes, line.Elements)),
		}
		if line.Profile != nil {
			line.profileValues(values)
			choiceValues(values, plan.choice(line))
		}
		var row []string
		for _, name := range csvColumns {
			row = append(row, values[name])
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// csvText is text out of a file for a spreadsheet, which would take some first characters
// for those of a formula, and for a terminal.
func csvText(s string) string {
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		s = "'" + s
	}
	return oneLine(s)
}

func csvNumber(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func (l *probeLine) profileValues(values map[string]string) {
	p := l.Profile
	f := figuresOf(p)
	for name, v := range map[string]int{"k": p.Rows, "n": p.Cols, "non_finite": p.NonFinite.Count} {
		values[name] = strconv.Itoa(v)
	}
	if p.Role == opscope.Activation {
		values["k"], values["n"] = strconv.Itoa(p.Cols), ""
	}
	for name, v := range map[string]float64{
		"norm": p.Norm, "min": p.Min, "max": p.Max, "mean": p.Mean, "kurtosis": p.Kurtosis,
		"int8_tensor": p.QuantError(8, opscope.PerTensor), "int8_channel": f.int8, "int4_channel": p.QuantError(4, opscope.PerColumn),
		"int4_group32": f.int4, "int4_group128": p.GroupQuantError(4, 128), "sparse_2_4": f.sparse, "ternary": p.Ternary, "stable_rank": p.StableRank,
	} {
		values[name] = csvNumber(v)
	}
	if p.NonFinite.Count > 0 {
		return // counts have no NaN
	}
	values["zeros"], values["best_bits"] = strconv.FormatInt(p.Zeros, 10), strconv.Itoa(p.BestBits)
	values["distinct"] = strconv.Itoa(p.Cardinality.Distinct)
	values["distinct_more"] = strconv.FormatBool(p.Cardinality.More)
	if s := p.Spectral; s != nil {
		values["rank_1pct"], values["rank_1pct_at_least"] = strconv.Itoa(s.Rank1.Rank), strconv.FormatBool(s.Rank1.AtLeast)
		values["rank_10pct"], values["rank_10pct_at_least"] = strconv.Itoa(s.Rank10.Rank), strconv.FormatBool(s.Rank10.AtLeast)
	}
	if len(p.Outliers) == 2 && p.Role == opscope.Weight {
		values["outlier_inputs"], values["outlier_outputs"] = strconv.Itoa(p.Outliers[0].Count), strconv.Itoa(p.Outliers[1].Count)
	}
}

func choiceValues(values map[string]string, c opscope.Choice) {
	values["action"] = c.Name()
	values["error"] = csvNumber(c.Error)
	values["has_kernel"] = strconv.FormatBool(c.HasKernel)
	if c.Bytes > 0 {
		values["bytes_after"] = strconv.FormatInt(c.Bytes, 10)
	}
	for _, m := range []int{1, 32} {
		if e, ok := c.ExpectedAt(m); ok {
			values["speedup_m"+strconv.Itoa(m)] = csvNumber(e.Speedup)
		}
	}
}
