package experiment

import (
	"fmt"
	"math"
	"strings"

	"github.com/rlx-go/gopherscope/opscope"
)

// Verdict says what the figures mean, a line for each answer: how the errors compare with
// theory, what smaller groups and outliers change, what each scheme saves, gains and
// loses, and which schemes are best within the error allowed. A range is that over the
// shapes.
func (r QuantizationResult) Verdict() string {
	if len(r.Cases) == 0 {
		return "Nothing was measured."
	}
	lines := []string{on(r.Cases[0].Machine, caseNames(r.Cases)+", Gaussian x and W.")}
	lines = append(lines, r.theorySentence()...)
	lines = append(lines, r.granularitySentences()...)
	lines = append(lines, r.outlierSentences()...)
	for _, scheme := range r.schemes() {
		if scheme != "f32" {
			lines = append(lines, r.schemeSentence(scheme))
		}
	}
	lines = append(lines, r.bestSentences()...)
	for _, c := range r.Cases {
		if row := c.row("f32"); row != nil {
			if noise := disturbedBy(&row.Product); noise != nil {
				lines = append(lines, noise...)
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}

// theoryDistance is how far the measured errors may be from theory: what the scatter of
// the largest of few elements makes.
const theoryDistance = 0.05

func (r QuantizationResult) theorySentence() []string {
	worst, at := 0.0, QuantizationError{}
	for _, e := range r.Errors {
		if d := abs(e.Err/e.Theory - 1); d > worst {
			worst, at = d, e
		}
	}
	switch {
	case len(r.Errors) == 0:
		return nil
	case worst <= theoryDistance:
		return []string{fmt.Sprintf("Theory holds: the measured errors are within %s of those of uniform rounding of Gaussian elements.", shortPercent(worst))}
	}
	return []string{fmt.Sprintf("Theory does not hold: the error at %d bits, %s, is %s, not %s.", at.Bits, granularityName(at.Granularity, at.Group), shortPercent(at.Err), shortPercent(at.Theory))}
}

func (r QuantizationResult) granularitySentences() []string {
	var lines []string
	for _, bits := range []int{8, 4} {
		tensor, channel, group := r.error(bits, opscope.PerTensor, 0), r.error(bits, opscope.PerColumn, 0), r.error(bits, opscope.PerGroup, 32)
		if math.IsNaN(tensor + channel + group) {
			continue
		}
		text := fmt.Sprintf("At %d bits a step per tensor loses %s, per output channel %s, per group of 32 %s: ", bits, shortPercent(tensor), shortPercent(channel), shortPercent(group))
		if group < channel && channel < tensor {
			text += fmt.Sprintf("the smaller the group the better, %.3g times in all.", tensor/group)
		} else {
			text += "smaller groups do not help here."
		}
		lines = append(lines, text)
	}
	return lines
}

// harm is by how much an outlier must raise an error to be worth a word.
const harm = 1.5

func (r QuantizationResult) outlierSentences() []string {
	var lines []string
	for _, where := range []Outlier{OutputOutlier, InputOutlier} {
		var parts []string
		for _, g := range []opscope.Granularity{opscope.PerTensor, opscope.PerColumn, opscope.PerGroup} {
			before, after := r.outlier(NoOutlier, 8, g), r.outlier(where, 8, g)
			if math.IsNaN(before + after) {
				continue
			}
			name := granularityName(g, 32)
			if after > harm*before {
				parts = append(parts, fmt.Sprintf("raises it from %s to %s with steps %s", shortPercent(before), shortPercent(after), inSteps(name)))
			} else {
				parts = append(parts, fmt.Sprintf("leaves it at %s with steps %s", shortPercent(after), inSteps(name)))
			}
		}
		if parts != nil {
			lines = append(lines, fmt.Sprintf("Error of the other channels at 8 bits: one %s %.3g times as large %s.", where, r.OutlierFactor, strings.Join(parts, ", ")))
		}
	}
	return lines
}

// inSteps puts the name of a granularity after "steps".
func inSteps(name string) string {
	if strings.HasPrefix(name, "groups") {
		return "for " + name
	}
	return name
}

// schemeSentence says what a scheme saves, gains and loses.
func (r QuantizationResult) schemeSentence(scheme string) string {
	var smaller, errors, theory span
	for _, c := range r.Cases {
		row, f32 := c.row(scheme), c.row("f32")
		if row == nil || f32 == nil {
			continue
		}
		smaller.add(float64(f32.Bytes) / float64(row.Bytes))
		errors.add(row.Err)
		theory.add(row.Theory)
	}
	text := fmt.Sprintf("%s: %s times fewer bytes than f32, error %s", scheme, smaller, errors.percent())
	if theory.high > 0 {
		text += fmt.Sprintf(" (theory %s)", theory.percent())
	}
	for _, m := range r.rowCounts() {
		var speed, roof span
		for _, c := range r.Cases {
			if row := c.row(scheme); c.M == m && row != nil {
				speed.add(c.speed(scheme))
				roof.add(row.Roof)
			}
		}
		verdict := "faster on some shapes only"
		switch {
		case speed.n == 0:
			continue
		case speed.low > 1:
			verdict = "faster"
		case speed.high <= 1:
			verdict = "not faster"
		}
		text += fmt.Sprintf("; at m=%d %s, %s times the speed of f32 and %s of the roof", m, verdict, speed, roof.percent())
	}
	return text + "."
}

// bestSentences name the smallest and the fastest scheme within the error allowed, and
// those that are not beaten.
func (r QuantizationResult) bestSentences() []string {
	var lines []string
	for _, m := range r.rowCounts() {
		var small, fast, unbeaten []QuantizationRow
		for _, c := range r.Cases {
			if c.M != m {
				continue
			}
			if quickest, smallest := c.Best(r.MaxError); quickest != nil {
				small, fast = append(small, *smallest), append(fast, *quickest)
			}
			for _, row := range c.Rows {
				if row.Pareto {
					unbeaten = append(unbeaten, row)
				}
			}
		}
		names := func(rows []QuantizationRow, separator string) string {
			return strings.Join(distinct(rows, QuantizationRow.scheme), separator)
		}
		if small == nil {
			lines = append(lines, fmt.Sprintf("At m=%d no scheme is within an error of %s.", m, shortPercent(r.MaxError)))
		} else {
			lines = append(lines, fmt.Sprintf("Within an error of %s, at m=%d the smallest is %s and the fastest %s.", shortPercent(r.MaxError), m, names(small, " or "), names(fast, " or ")))
		}
		lines = append(lines, fmt.Sprintf("Beaten by none in bytes, time and error together at m=%d, on some shape: %s.", m, names(unbeaten, ", ")))
	}
	return lines
}

// A span is the range of some values.
type span struct {
	low, high float64
	n         int
}

func (s *span) add(v float64) {
	if s.n == 0 {
		s.low, s.high = v, v
	}
	s.low, s.high = min(s.low, v), max(s.high, v)
	s.n++
}

func (s span) String() string { return between(s.low, s.high) }

func (s span) percent() string { return between2(s.low, s.high) }
