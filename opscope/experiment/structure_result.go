package experiment

import (
	"fmt"
	"strings"

	"github.com/rlx-go/gopherscope/charts"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// A StructureResult holds what Structure found and measured.
type StructureResult struct {
	// Machine holds the limits that were measured with the last product.
	Machine  bench.Machine  `json:"machine"`
	M        int            `json:"m"`
	K        int            `json:"k"`
	N        int            `json:"n"`
	MaxError float64        `json:"max_error"` // that a recommendation may have
	Rows     []StructureRow `json:"rows"`
}

// A StructureRow is what is known of one input.
type StructureRow struct {
	Input string       `json:"input"` // its distribution
	Role  opscope.Role `json:"role"`
	// Density, StableRank, RankNeeded and Int8 are what the probe finds: the last two are
	// the rank for MaxError, "" of an activation, and the error at 8 bits with a step per
	// output channel, or per row of an activation.
	Density    float64 `json:"density"`
	StableRank float64 `json:"stable_rank"`
	RankNeeded string  `json:"rank_needed"`
	Int8       float64 `json:"int8"`
	// Recommended is what opscope.Recommend lists first, and Why the reason.
	Recommended string `json:"recommended"`
	Why         string `json:"why"`
	// Timed is the first recommendation that has a kernel, "" if that is to keep the
	// matrix dense: then nothing was timed. Predicted is the error that the probe found
	// for it.
	Timed     string    `json:"timed"`
	Predicted float64   `json:"predicted"`
	Dense     []Product `json:"dense"`
	Kernel    *Product  `json:"kernel"` // nil if nothing was timed
}

// dense returns the product of a dense kernel, nil if it was not measured.
func (r StructureRow) dense(scheme string) *Product {
	for i := range r.Dense {
		if r.Dense[i].Scheme == scheme {
			return &r.Dense[i]
		}
	}
	return nil
}

// found says what the probe found.
func (r StructureRow) found() string {
	switch {
	case r.Role == opscope.Activation:
		return "density " + shortPercent(r.Density)
	case r.RankNeeded != "":
		return fmt.Sprintf("stable rank %.3g, rank needed %s, int8 %s", r.StableRank, r.RankNeeded, shortPercent(r.Int8))
	}
	return "int8 " + shortPercent(r.Int8)
}

// Verdict says for each input what was recommended and whether it paid.
func (r StructureResult) Verdict() string {
	if len(r.Rows) == 0 {
		return "Nothing was measured."
	}
	lines := []string{fmt.Sprintf("x[%d,%d] W[%d,%d], each kernel timed only where the probe recommends it, with an error of at most %s.", r.M, r.K, r.K, r.N, shortPercent(r.MaxError))}
	for _, row := range r.Rows {
		lines = append(lines, row.sentence())
	}
	return strings.Join(lines, "\n")
}

func (r StructureRow) sentence() string {
	text := fmt.Sprintf("%s %s (%s): %s is recommended", r.Role, r.Input, r.found(), r.Recommended)
	if r.Kernel == nil {
		return text + ", so nothing is timed."
	}
	if r.Timed != r.Recommended {
		text += fmt.Sprintf(", for which there is no kernel; the next is %s", r.Timed)
	}
	f32 := r.dense(kernels.SchemeF32)
	speed := r.Kernel.speedOver(f32)
	text += fmt.Sprintf(". Its kernel %s", compared(speed, "f32"))
	if loop := r.dense(kernels.SchemeDense); loop != nil {
		text += fmt.Sprintf(" and has %s times the speed of the plain loop", factor(r.Kernel.speedOver(loop)))
	}
	if f32 != nil && r.Role == opscope.Weight {
		text += fmt.Sprintf(", with %.3g times fewer bytes", float64(f32.Bytes)/float64(r.Kernel.Bytes))
	}
	text += fmt.Sprintf(" and an error of %.1e: ", r.Kernel.Err)
	switch {
	case speed > 1:
		return text + "it pays in time."
	case r.Role == opscope.Weight && f32 != nil && r.Kernel.Bytes < f32.Bytes:
		return text + "it pays in memory, not in time."
	}
	return text + "it does not pay here."
}

// Table returns a row for each input.
func (r StructureResult) Table() charts.Table {
	t := charts.Table{
		Caption: fmt.Sprintf("What the probe recommends for x[%d,%d] W[%d,%d], and what that gains", r.M, r.K, r.K, r.N),
		Columns: []string{"role", "input", "probe", "recommended", "timed", "plain loop µs", "f32 µs", "kernel µs", "over f32", "of roof", "error"},
	}
	for _, row := range r.Rows {
		cells := []any{string(row.Role), row.Input, row.found(), row.Recommended}
		if row.Kernel == nil {
			t.Add(append(cells, "nothing")...)
			continue
		}
		cells = append(cells, row.Timed)
		for _, scheme := range []string{kernels.SchemeDense, kernels.SchemeF32} {
			if p := row.dense(scheme); p != nil {
				cells = append(cells, significant(float64(p.NS)/1000))
			} else {
				cells = append(cells, nil)
			}
		}
		t.Add(append(cells, significant(float64(row.Kernel.NS)/1000), times(row.Kernel.speedOver(row.dense(kernels.SchemeF32))), shortPercent(row.Kernel.Roof), fmt.Sprintf("%.1e", row.Kernel.Err))...)
	}
	return t
}

// Figure shows the speed over f32 of what was timed.
func (r StructureResult) Figure() (*charts.Figure, error) {
	bar := charts.Bar{
		Title: fmt.Sprintf("Speed over f32 of what the probe recommends, %dx%dx%d", r.M, r.K, r.N),
		X:     charts.Axis{Label: "input"},
		Y:     charts.Axis{Label: "speed over f32", Unit: "×"},
	}
	speeds := charts.Series{Name: "recommended kernel", Scheme: kernels.SchemeF32}
	for _, row := range r.Rows {
		if row.Kernel != nil {
			bar.Categories = append(bar.Categories, row.Input+": "+row.Timed)
			speeds.Y = append(speeds.Y, row.Kernel.speedOver(row.dense(kernels.SchemeF32)))
		}
	}
	bar.Series = []charts.Series{speeds}
	return bar.Figure()
}

// Markdown returns the verdict and the table.
func (r StructureResult) Markdown() string {
	return asMarkdown("What the probes recommend", r.Verdict(), r.Table())
}

// MIMEBundle shows the result in a notebook: Markdown as "text/markdown", the verdict as
// "text/plain".
func (r StructureResult) MIMEBundle() map[string]any {
	return map[string]any{"text/markdown": r.Markdown(), "text/plain": r.Verdict()}
}
