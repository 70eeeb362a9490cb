package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/internal/bytesize"
)

// printTotals writes the sizes of all that was probed, before and after the actions.
func (r *probeReport) printTotals(b *strings.Builder, plan *modelPlan) {
	var before, after, elements int64
	probed := r.probed()
	for _, line := range probed {
		before += line.Bytes
		after += plan.choice(line).Bytes
		elements += line.Elements
	}
	if len(probed) == 0 {
		return
	}
	fmt.Fprintf(b, "%s, %s values: %s, %.4g bits each; after the actions %s, %.4g bits, %s times smaller\n",
		plural(len(probed), "matrix"), shortCount(elements), bytesize.Decimal(before), bitsPerWeight(before, elements),
		bytesize.Decimal(after), bitsPerWeight(after, elements), times(before, after))
	actions, counts := countActions(probed, plan)
	slices.SortStableFunc(actions, func(x, y string) int { return counts[y] - counts[x] })
	fmt.Fprintf(b, "actions: %s\n", countedActions(actions, counts))
	if plan == nil {
		fmt.Fprintf(b, "budget: an error of %g in each matrix\n", r.run.budget)
	} else {
		b.WriteString(plan.words())
	}
}

// printNotProbed says what share of the values was not looked at, and why.
func (r *probeReport) printNotProbed(b *strings.Builder) {
	type group struct {
		reason   string
		names    []string
		elements int64
		bytes    int64
	}
	var groups []*group
	index := map[string]*group{}
	var all, missing int64
	for _, line := range r.lines {
		all += line.Elements
		if line.Profile != nil {
			continue
		}
		reason := line.Reason
		switch line.Status {
		case statusTied:
			all -= line.Elements // counted with the other
			reason = "the same bytes as another tensor, counted once"
		default:
			missing += line.Elements
		}
		g := index[reason]
		if g == nil {
			g = &group{reason: reason}
			index[reason] = g
			groups = append(groups, g)
		}
		name := line.Tensor
		if line.Status == statusTied {
			name += " = " + line.TiedTo
		}
		g.names = append(g.names, name)
		g.elements += line.Elements
		g.bytes += line.Bytes
	}
	if n := len(r.notReached); n > 0 {
		g := &group{reason: "not reached before the end"}
		for _, it := range r.notReached {
			if it.line.Status == statusTied {
				continue
			}
			g.names = append(g.names, it.line.Tensor)
			g.elements += it.line.Elements
			g.bytes += it.line.Bytes
		}
		groups = append(groups, g)
		all, missing = all+g.elements, missing+g.elements
	}
	all, missing = all+r.excluded.elements, missing+r.excluded.elements
	if part := r.run.shard; part != "" {
		fmt.Fprintf(b, "only part %s of the matrices; the others are not counted here\n", part)
	}
	fmt.Fprintf(b, "not probed: %s of %s values, %s\n", shortCount(missing), shortCount(all), shareText(missing, all))
	for _, g := range groups {
		fmt.Fprintf(b, "  %s, %s: %s: %s\n", plural(len(g.names), "tensor"), bytesize.Decimal(g.bytes), oneLine(g.reason), some(g.names))
	}
	if e := r.excluded; e.tensors > 0 {
		fmt.Fprintf(b, "  %s, %s: left out by --include and --exclude\n", plural(e.tensors, "tensor"), bytesize.Decimal(e.bytes))
	}
}

// shareText is a percentage that is 0 or 100 only where it is exactly so.
func shareText(part, all int64) string {
	if part == 0 || all == 0 {
		return "0%"
	}
	share := 100 * float64(part) / float64(all)
	switch {
	case share < 0.01:
		return "below 0.01%"
	case part < all && share > 99.99:
		return "above 99.99%"
	}
	return fmt.Sprintf("%.3g%%", share)
}

// printLayouts says which axes were taken, and why. Reasons that differ only in the
// names and numbers that they quote are told once.
func (r *probeReport) printLayouts(b *strings.Builder) {
	type group struct {
		axes, why string
		alike     bool // not all of it for the very same reason
		names     []string
	}
	var groups []*group
	index := map[[2]string]*group{}
	for _, line := range r.probed() {
		if line.Layout == "" {
			continue
		}
		key := [2]string{line.Layout, quotedOrNumber.ReplaceAllString(line.LayoutWhy, "*")}
		g := index[key]
		if g == nil {
			g = &group{axes: "[" + strings.ReplaceAll(line.Layout, ",", ", ") + "]", why: cmp.Or(line.LayoutWhy, "by --layout")}
			index[key] = g
			groups = append(groups, g)
		}
		g.alike = g.alike || line.LayoutWhy != g.why
		g.names = append(g.names, line.Tensor)
	}
	for _, g := range groups {
		which := plural(len(g.names), "matrix") + ": " + some(g.names)
		if len(groups) == 1 {
			which = "all matrices"
		}
		why := g.why
		if g.alike && g.why != "by --layout" {
			why += ", and the others alike"
		}
		if !strings.HasPrefix(why, g.axes) {
			why = g.axes + ": " + why
		}
		fmt.Fprintf(b, "layout %s: %s\n", oneLine(why), which)
	}
}

// quotedOrNumber is what one reason has and another like it has not.
var quotedOrNumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[0-9]+`)

// printNotes writes the notes of the profiles, those that many share once, and that of
// the times.
func (r *probeReport) printNotes(b *strings.Builder) {
	names := map[string][]string{}
	var notes []string
	for _, line := range r.probed() {
		for _, note := range line.Profile.Notes {
			if names[note] == nil {
				notes = append(notes, note)
			}
			names[note] = append(names[note], line.Tensor)
		}
	}
	for _, note := range notes {
		fmt.Fprintf(b, "%s: %s\n", some(names[note]), oneLine(note))
	}
	b.WriteString(r.run.timesNote())
}
