package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// print writes the table of what differs and the words about all else.
func (d *checkpointDiff) print(done []tensorDiff, pairs tensorPairs) error {
	var differ []tensorDiff
	for _, one := range done {
		if !one.equal() {
			differ = append(differ, one)
		}
	}
	slices.SortStableFunc(differ, func(a, b tensorDiff) int { return cmp.Compare(b.rank(), a.rank()) })
	var b strings.Builder
	if len(differ) > 0 {
		table := textTable{columns: []textColumn{{"tensor", false}, {"dtype", false}, {"changed", true}, {"max", true}, {"at", false},
			{"rms", true}, {"error", true}, {"SQNR", true}}}
		for _, one := range differ {
			table.add(one.cells()...)
		}
		if err := table.print(&b); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s compared: %d differ, %d equal\n", plural(len(done), "tensor"), len(differ), len(done)-len(differ))
	if pairs.equalEncoded > 0 {
		fmt.Fprintf(&b, "not decoded, with equal bytes: %d\n", pairs.equalEncoded)
	}
	for _, one := range differ {
		if one.NonFinite > 0 {
			fmt.Fprintf(&b, "%s: %s only one of A and B is infinite or no number, or they are in different ways; the first is at row %d, column %d\n",
				shortName(one.Tensor), placesWhere(one.NonFinite), one.NonFiniteRow, one.NonFiniteCol)
		}
	}
	if left := len(pairs.both) - len(done); left > 0 {
		fmt.Fprintf(&b, "not reached: %s\n", plural(left, "tensor"))
	}
	var reasons []string
	names := map[string][]string{}
	for _, one := range pairs.incomparable {
		if names[one.NotCompared] == nil {
			reasons = append(reasons, one.NotCompared)
		}
		names[one.NotCompared] = append(names[one.NotCompared], one.Tensor)
	}
	for _, reason := range reasons {
		fmt.Fprintf(&b, "not compared, %s: %s: %s\n", oneLine(reason), plural(len(names[reason]), "tensor"), some(names[reason]))
	}
	if n := len(pairs.onlyA); n > 0 {
		fmt.Fprintf(&b, "only in A: %s: %s\n", plural(n, "tensor"), some(pairs.onlyA))
	}
	if n := len(pairs.onlyB); n > 0 {
		fmt.Fprintf(&b, "only in B: %s: %s\n", plural(n, "tensor"), some(pairs.onlyB))
	}
	_, err := io.WriteString(d.stdout, b.String())
	return err
}

func placesWhere(n int64) string {
	if n == 1 {
		return "1 place where"
	}
	return fmt.Sprintf("%d places where", n)
}

// rank orders by error; tensors without one come first.
func (d tensorDiff) rank() float64 {
	if math.IsNaN(float64(d.Error)) {
		return math.Inf(1)
	}
	return float64(d.Error)
}

func (d tensorDiff) cells() []string {
	dtype := d.DTypeA
	if d.DTypeB != d.DTypeA {
		dtype += " -> " + d.DTypeB
	}
	all := float64(d.Rows) * float64(d.Cols)
	at := fmt.Sprintf("[%d, %d]", d.MaxRow, d.MaxCol)
	if d.Max == 0 {
		at = ""
	}
	return []string{shortName(d.Tensor), shortName(dtype), fmt.Sprintf("%.3g%%", 100*float64(d.Changed)/all),
		number("%.3g", float64(d.Max)), at, number("%.3g", float64(d.RMS)), number("%.3g", float64(d.Error)), number("%.1f dB", float64(d.SQNR))}
}

// notCompared lists the tensors without figures, for --json.
func (p tensorPairs) notCompared() []tensorDiff {
	all := slices.Clone(p.incomparable)
	for _, name := range p.onlyA {
		all = append(all, tensorDiff{Tensor: name, NotCompared: "only in A"})
	}
	for _, name := range p.onlyB {
		all = append(all, tensorDiff{Tensor: name, NotCompared: "only in B"})
	}
	return all
}

// verdict is the error of a check that was asked for and failed.
func (d *checkpointDiff) verdict(done []tensorDiff, pairs tensorPairs) error {
	if len(pairs.both)+len(pairs.encoded)+len(pairs.incomparable) == 0 {
		return errors.New("no tensor has the same name in both; see gopherscope ls")
	}
	if math.IsInf(d.maxError, 1) {
		return nil
	}
	above := 0
	for _, one := range done {
		if !(float64(one.Error) <= d.maxError) {
			above++
		}
	}
	var parts []string
	if above > 0 {
		parts = append(parts, fmt.Sprintf("%d above the error of %g", above, d.maxError))
	}
	if n := len(pairs.onlyA) + len(pairs.onlyB); n > 0 {
		parts = append(parts, fmt.Sprintf("%d in one of the two only", n))
	}
	if n := len(pairs.incomparable); n > 0 {
		parts = append(parts, fmt.Sprintf("%d not compared", n))
	}
	if parts == nil {
		return nil
	}
	return fmt.Errorf("tensors: %s", strings.Join(parts, ", "))
}
