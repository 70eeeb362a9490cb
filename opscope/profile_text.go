package opscope

import (
	"fmt"
	"strings"
)

// String describes the profile in a few lines of text.
func (p Profile) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d x %d", p.Role, p.Rows, p.Cols)
	if p.Name != "" {
		fmt.Fprintf(&b, "  %s", p.Name)
	}
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "\n  %-25s ", label)
		fmt.Fprintf(&b, format, args...)
	}
	line("density", "%.4g", p.Density)
	line("norm", "%.5g", p.Norm)
	line("range, mean", "%.4g to %.4g, %.4g", p.Min, p.Max, p.Mean)
	line("kurtosis", "%.4g", p.Kurtosis)
	more := ""
	if p.Cardinality.More {
		more = "more than "
	}
	line("distinct values", "%s%d", more, p.Cardinality.Distinct)
	for _, o := range p.Outliers {
		line("outliers: "+p.axis(o.Axis)+"s", "%d, the largest %.4g times the median", o.Count, o.Ratio)
	}
	line("stable rank", "%.5g of at most %d", p.StableRank, min(p.Rows, p.Cols))
	if p.Spectral != nil {
		line("rank for 10%, 1% error", "%s, %s; factors pay up to %d",
			rankText(p.Spectral.Rank10), rankText(p.Spectral.Rank1), BreakEvenRank(p.Rows, p.Cols))
	}
	for _, q := range p.Quant {
		line(p.quantLabel(q), "%.4g", q.Error)
	}
	for _, nm := range p.Sparse {
		line(fmt.Sprintf("%d:%d sparse", nm.N, nm.M), "%.4g", nm.Error)
	}
	line("ternary", "%.4g", p.Ternary)
	for _, n := range p.Notes {
		line("note", "%s", n)
	}
	return b.String()
}

func rankText(r RankEstimate) string {
	if r.AtLeast {
		return fmt.Sprintf("at least %d", r.Rank)
	}
	return fmt.Sprint(r.Rank)
}

// quantLabel names a way to quantize.
func (p Profile) quantLabel(q QuantResult) string {
	name := fmt.Sprintf("int%d", q.Bits)
	switch {
	case q.Format != "" && q.Granularity == "":
		return q.Format
	case q.Format != "":
		name = q.Format
	case q.Method == BestTable:
		return fmt.Sprintf("table of %d values", 1<<q.Bits)
	}
	axis := " per " + p.axis(q.Granularity)
	if q.Group > 0 {
		axis = fmt.Sprintf(" group %d", q.Group)
	}
	if q.Method != "" {
		axis += ", " + string(q.Method)
	}
	return name + axis
}

// axis names what shares a quantization step in the words of the role.
func (p Profile) axis(g Granularity) string {
	switch {
	case g == PerRow && p.Role == Weight:
		return "input channel"
	case g == PerColumn && p.Role == Weight:
		return "output channel"
	case g == PerRow:
		return "token"
	case g == PerColumn:
		return "input channel"
	}
	return string(g)
}
