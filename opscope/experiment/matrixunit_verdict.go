package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/charts"
)

const (
	// beyondPeak is how far above the peak of our instructions a rate must be for a
	// matrix unit to be what reaches it: more than the clock changes.
	beyondPeak = 1.3
	// fewCores is the gain by threads up to which the speed is not that of more cores.
	fewCores = 1.5
	// freeProcessors is what more threads must add to the peak of the processor for their
	// times to mean something.
	freeProcessors = 1.3
	// steadyPeak is how much the peak of the processor may vary in a quiet run.
	steadyPeak = 1.15
)

// Verdict says what the figures mean, a line for each answer: whether the libraries
// reach a matrix unit that our instructions do not, how they compare with ours, from
// which number of rows int8 pays, what threads add, which product is fastest, and
// whether the run was disturbed. A range is that over the shapes.
func (r MatrixUnitResult) Verdict() string {
	if len(r.Runs) == 0 || len(r.Runs[0].Rows) == 0 {
		return "Nothing was measured."
	}
	first := r.Runs[0]
	lines := []string{fmt.Sprintf("On this machine (%s, our tier %s), threads: %d.", first.CPU, first.Tier, first.Threads)}
	if first.vendorSchemes(classF32, classBF16, classInt8) == nil {
		lines = append(lines, "No library of a vendor can be used here, so nothing is known of a matrix unit. "+howToInstall)
		lines = append(lines, first.compareTiers()...)
	} else {
		lines = append(lines, first.matrixUnit()...)
		lines = append(lines, first.moreThreads()...)
		lines = append(lines, first.compareWithOurs(classF32, "f32")...)
		lines = append(lines, first.compareWithOurs(classInt8, SchemeW8A8Q)...)
	}
	lines = append(lines, r.crossoverSentences(first.Threads)...)
	lines = append(lines, r.threadSentences()...)
	lines = append(lines, first.fastest()...)
	for _, run := range r.Runs {
		lines = append(lines, run.disturbed()...)
	}
	return strings.Join(lines, "\n")
}

const howToInstall = "On Debian: apt-get install libopenblas0-pthread libdnnl2. With conda: conda install openblas onednn. On macOS Accelerate is there already; \"gopherscope cpu --accel\" says why it is not used."

// vendorSchemes returns the schemes of libraries in some classes, their calls alone.
func (r *MatrixUnitRun) vendorSchemes(classes ...string) []string {
	var rows []MatrixUnitRow
	for _, row := range r.Rows {
		if row.Library != "" && slices.Contains(classes, row.Class) && !strings.HasSuffix(row.Scheme, wholeSuffix) {
			rows = append(rows, row)
		}
	}
	return distinct(rows, func(row MatrixUnitRow) string { return row.Scheme })
}

// matrixUnit says whether a library exceeds the peak of our instructions.
func (r *MatrixUnitRun) matrixUnit() []string {
	var lines []string
	for _, class := range []string{classF32, classBF16, classInt8} {
		best, peak := r.overPeak(class)
		switch share := best.Gops / peak; {
		case best.NS == 0:
		case share > beyondPeak:
			lines = append(lines, fmt.Sprintf("%s: %s reaches %.3g Gop/s, %.1f times the peak of our vector instructions (%.3g, the highest in this run): it uses a matrix unit, or instructions, that they do not reach%s.",
				class, best.Scheme, best.Gops, share, peak, r.tiles(best.Library)))
		default:
			lines = append(lines, fmt.Sprintf("%s: the fastest library, %s, reaches %.3g Gop/s, %.0f%% of the peak of our vector instructions (%.3g, the highest in this run): no matrix unit shows itself.",
				class, best.Scheme, best.Gops, 100*share, peak))
		}
	}
	return lines
}

// tiles says so if a library has chosen its code for the tiles of Intel's AMX.
func (r *MatrixUnitRun) tiles(library string) string {
	for _, l := range r.Libraries {
		if l.Name == library && strings.Contains(l.Core, "amx") {
			return ", by its code for " + l.Core
		}
	}
	return ""
}

// peak returns the highest peak of a class that was measured: what other programs
// disturbed is lower.
func (r *MatrixUnitRun) peak(class string) float64 {
	peak := 0.0
	for _, row := range r.Rows {
		if row.Class == class {
			peak = max(peak, row.Peak)
		}
	}
	return peak
}

// usualPeak returns the median over the products of the peak of float32.
func (r *MatrixUnitRun) usualPeak() float64 {
	var peaks []float64
	for _, row := range r.Rows {
		if row.Scheme == "f32" {
			peaks = append(peaks, row.Peak)
		}
	}
	if peaks == nil {
		return 0
	}
	slices.Sort(peaks)
	return peaks[len(peaks)/2]
}

// overPeak returns the fastest product of the libraries in a class, and the peak.
func (r *MatrixUnitRun) overPeak(class string) (best MatrixUnitRow, peak float64) {
	schemes := r.vendorSchemes(class)
	for _, row := range r.Rows {
		if slices.Contains(schemes, row.Scheme) && row.Gops > best.Gops {
			best = row
		}
	}
	return best, r.peak(class)
}

// disturbed says so if the peak of float32, which nothing but the clock should change,
// was not the same for all products.
func (r *MatrixUnitRun) disturbed() []string {
	low, high := math.Inf(1), 0.0
	for _, row := range r.Rows {
		if row.Class == classF32 {
			low, high = min(low, row.Peak), max(high, row.Peak)
		}
	}
	if high <= steadyPeak*low {
		return nil
	}
	return []string{fmt.Sprintf("Other programs, or the clock, disturbed the run with threads: %d: the measured peak of float32 varies by a factor of %.2f. Factors closer to 1 than that mean little.", r.Threads, high/low)}
}

// moreThreads names the schemes that keep more processors busy than they should, whose
// speed is not that of so many threads.
func (r *MatrixUnitRun) moreThreads() []string {
	var lines []string
	for _, scheme := range r.vendorSchemes(classF32, classBF16, classInt8) {
		most := 0.0
		for _, row := range r.Rows {
			if row.Scheme == scheme {
				most = max(most, row.Busy)
			}
		}
		if most > float64(r.Threads)+0.5 {
			lines = append(lines, fmt.Sprintf("%s keeps %.1f processors busy though it was told to use threads: %d.", scheme, most, r.Threads))
		}
	}
	return lines
}

// compareWithOurs gives the speed of each library's schemes of a class over ours.
func (r *MatrixUnitRun) compareWithOurs(class, ours string) []string {
	var lines []string
	for _, scheme := range r.vendorSchemes(class) {
		if text := r.speeds(ours, scheme); text != "" {
			lines = append(lines, fmt.Sprintf("Speed of %s over our %s: %s.", scheme, ours, text))
		}
	}
	return lines
}

// compareTiers gives the speed of our best implementations over the others.
func (r *MatrixUnitRun) compareTiers() []string {
	var lines []string
	for _, scheme := range r.schemes() {
		best, tier, ok := strings.Cut(scheme, "@")
		if !ok {
			continue
		}
		if text := r.speeds(scheme, best); text != "" {
			lines = append(lines, fmt.Sprintf("Speed of our %s over its implementation %s: %s.", best, tier, text))
		}
	}
	return lines
}

// speeds lists the speed of a scheme over that of another for each number of rows.
func (r *MatrixUnitRun) speeds(base, scheme string) string {
	var parts []string
	for _, m := range r.rowCounts() {
		low, high := math.Inf(1), 0.0
		for _, s := range r.shapes() {
			if a, b := r.time(base, s, m), r.time(scheme, s, m); a > 0 && b > 0 {
				low, high = min(low, a/b), max(high, a/b)
			}
		}
		if high > 0 {
			parts = append(parts, fmt.Sprintf("%s at m=%d", between(low, high), m))
		}
	}
	return strings.Join(parts, ", ")
}

// between writes a range of factors.
func between(low, high float64) string {
	a, b := fmt.Sprintf("%.2f", low), fmt.Sprintf("%.2f", high)
	if high >= 10 {
		a, b = fmt.Sprintf("%.1f", low), fmt.Sprintf("%.1f", high)
	}
	if a == b {
		return a
	}
	return a + " to " + b
}

// crossoverSentences says for each pair from which number of rows int8 pays.
func (r MatrixUnitResult) crossoverSentences(threads int) []string {
	type pair struct{ f32, int8 string }
	var pairs []pair
	texts := map[pair][]string{}
	for _, c := range r.Crossovers() {
		if c.Threads != threads || len(c.M) == 0 || strings.Contains(c.F32, "@") || strings.Contains(c.Int8, "@") {
			continue
		}
		p := pair{c.F32, c.Int8}
		if texts[p] == nil {
			pairs = append(pairs, p)
		}
		texts[p] = append(texts[p], fmt.Sprintf("%s at %v", c, c.Shape))
	}
	var lines []string
	for _, p := range pairs {
		text := strings.Join(texts[p], "; ")
		// Say once what is the same everywhere.
		for _, same := range []string{"faster at every m", "faster at no m"} {
			if strings.Count(text, same+" at ") == len(texts[p]) {
				text = same + " and shape"
			}
		}
		lines = append(lines, fmt.Sprintf("%s is, against %s, %s.", p.int8, p.f32, text))
	}
	return lines
}

// threadSentences says what threads add to float32 and int8, and whether it is they
// that make a matrix unit fast.
func (r MatrixUnitResult) threadSentences() []string {
	if len(r.Runs) < 2 {
		return nil
	}
	few, many := r.Runs[0], r.Runs[len(r.Runs)-1]
	ms, shapes := few.rowCounts(), few.shapes()
	var lines []string
	free := many.usualPeak() / few.usualPeak()
	if free < freeProcessors {
		lines = append(lines, fmt.Sprintf("The peak of float32 with %d threads is %.2f times that with %d: the processors were not free, and the times with %d threads say nothing about threads.", many.Threads, free, few.Threads, many.Threads))
	}
	for _, scheme := range append([]string{"f32", "w8a8"}, few.vendorSchemes(classF32, classInt8)...) {
		var parts []string
		for _, m := range slices.Compact([]int{ms[0], ms[len(ms)-1]}) {
			low, high := math.Inf(1), 0.0
			for _, s := range shapes {
				if a, b := few.time(scheme, s, m), many.time(scheme, s, m); a > 0 && b > 0 {
					low, high = min(low, a/b), max(high, a/b)
				}
			}
			if high > 0 {
				parts = append(parts, fmt.Sprintf("%s at m=%d", between(low, high), m))
			}
		}
		if parts != nil {
			lines = append(lines, fmt.Sprintf("%d threads over %d, %s: %s.", many.Threads, few.Threads, scheme, strings.Join(parts, ", ")))
		}
	}
	for _, class := range []string{classF32, classInt8} {
		best, peak := few.overPeak(class)
		if best.Gops <= beyondPeak*peak {
			continue
		}
		gain := 0.0
		for _, s := range shapes {
			for _, m := range ms {
				if a, b := few.time(best.Scheme, s, m), many.time(best.Scheme, s, m); a > 0 && b > 0 {
					gain = max(gain, a/b)
				}
			}
		}
		if gain > 0 && gain <= fewCores && few.moreThreads() == nil && free >= freeProcessors {
			lines = append(lines, fmt.Sprintf("%s gains at most %.2f from threads: its speed is that of the unit, not of more cores.", best.Scheme, gain))
		}
	}
	return lines
}

// fastest names, for each number of rows of the first shape, the fastest product in
// float32 and the fastest one in int8 that begins with float32.
func (r *MatrixUnitRun) fastest() []string {
	s := r.shapes()[0]
	winner := func(of func(MatrixUnitRow) bool) string {
		var parts []string
		start := 0
		ms := r.rowCounts()
		var names []string
		for _, m := range ms {
			var best MatrixUnitRow
			for _, row := range r.Rows {
				if row.M == m && row.K == s.K && row.N == s.N && of(row) && (best.NS == 0 || row.NS < best.NS) {
					best = row
				}
			}
			names = append(names, best.Scheme)
		}
		for i := range ms {
			if i+1 < len(ms) && names[i+1] == names[i] {
				continue
			}
			where := fmt.Sprintf("m=%d", ms[i])
			if start < i {
				where = fmt.Sprintf("m=%d to %d", ms[start], ms[i])
			}
			parts = append(parts, fmt.Sprintf("%s at %s", names[i], where))
			start = i + 1
		}
		return strings.Join(parts, ", ")
	}
	return []string{
		fmt.Sprintf("Fastest for %v in float32: %s.", s, winner(func(row MatrixUnitRow) bool { return row.Class == classF32 })),
		fmt.Sprintf("Fastest for %v from float32 activations, whatever the weight: %s.", s, winner(func(row MatrixUnitRow) bool {
			return row.Class == classF32 || row.Scheme == "w8a8" || strings.HasPrefix(row.Scheme, "w8a8@") || strings.HasSuffix(row.Scheme, wholeSuffix)
		})),
	}
}

// Markdown returns the verdict and the tables.
func (r MatrixUnitResult) Markdown() string {
	var b strings.Builder
	b.WriteString("# The matrix unit as the yardstick\n\n## Verdict\n\n")
	for line := range strings.Lines(r.Verdict()) {
		fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(line))
	}
	b.WriteString("\n## Libraries\n\n")
	for _, run := range r.Runs {
		for _, l := range run.Libraries {
			if l.Unused != "" {
				fmt.Fprintf(&b, "- threads %d: %s was not used: %s\n", run.Threads, l.Name, strings.Join(strings.Fields(l.Unused), " "))
				continue
			}
			fmt.Fprintf(&b, "- threads %d: %s\n", run.Threads, strings.Join(strings.Fields(fmt.Sprintf("%s %s (%s) %s", l.Name, l.Version, l.File, l.Core)), " "))
			for _, refused := range l.Refused {
				fmt.Fprintf(&b, "  - refused: %s\n", strings.Join(strings.Fields(refused), " "))
			}
		}
	}
	for _, t := range []charts.Table{r.Table(), r.Rates(), r.CrossoverTable(), r.ThreadingTable()} {
		if len(t.Rows) > 0 {
			b.WriteString("\n" + markdownTable(t))
		}
	}
	return b.String()
}

// MIMEBundle shows the result in a notebook: Markdown as "text/markdown", the verdict
// as "text/plain".
func (r MatrixUnitResult) MIMEBundle() map[string]any {
	return map[string]any{"text/markdown": r.Markdown(), "text/plain": r.Verdict()}
}

// markdownTable writes a table for GitHub and Jupyter.
func markdownTable(t charts.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", t.Caption)
	fmt.Fprintf(&b, "| %s |\n", strings.Join(t.Columns, " | "))
	b.WriteString("|" + strings.Repeat("---|", len(t.Columns)) + "\n")
	for _, row := range t.Rows {
		b.WriteString("|")
		for j := range t.Columns { // a row may lack the last cells
			text := ""
			if j < len(row) && row[j] != nil {
				text = strings.ReplaceAll(fmt.Sprint(row[j]), "|", `\|`)
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		b.WriteString("\n")
	}
	return b.String()
}
