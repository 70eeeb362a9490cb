package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/internal/bytesize"
	"github.com/rlx-go/gopherscope/opscope/experiment"
)

// A guideRow says what to do in some case on this machine, and the figures that say so.
type guideRow struct{ when, do, why string }

// guide is chosen by the figures of a report that has all experiments, as check says.
func guide(r *reportResult) []guideRow {
	return slices.Concat(
		[]guideRow{sparseGuide(r.Sparse), lowRankGuide(r.LowRank[len(r.LowRank)-1])},
		quantizationGuide(r.Quantization),
		cacheGuide(r.CacheVsDRAM, r.Quantization),
		libraryGuide(r.MatrixUnit.Runs[0]),
		threadGuide(r.MatrixUnit),
	)
}

func sparseGuide(r *experiment.SparseResult) guideRow {
	g := guideRow{when: "Activations with many zeros"}
	best, at := r.Best(), r.Crossovers()
	first := r.Rows[0]
	switch paid := first.NS < best.NS; {
	case len(at) == 0 && paid:
		g.do, g.why = "skip the zeros, whatever the density", fmt.Sprintf("skipzeros was faster than %s at every density measured", best.Scheme)
	case len(at) == 0:
		g.do, g.why = "multiply by the zeros too", fmt.Sprintf("skipzeros was not faster than %s even at a density of %.3g%%", best.Scheme, 100*first.Density)
	case paid && len(at) == 1:
		g.do = fmt.Sprintf("skip the zeros if more than %.0f%% are", 100*(1-at[0]))
		g.why = fmt.Sprintf("skipzeros was faster than %s below a density of %.3g%%", best.Scheme, 100*at[0])
	default:
		g.do, g.why = "measure again", "the time of skipzeros did not grow with the density, so the run was disturbed"
	}
	return g
}

func lowRankGuide(r experiment.LowRankResult) guideRow {
	g := guideRow{when: "A weight of low rank"}
	best, at := r.Best(), r.Crossovers()
	first, last := r.Rows[0], r.Rows[len(r.Rows)-1]
	shape := fmt.Sprintf("%dx%d with %s of x", r.K, r.N, plural(r.M, "row"))
	switch paid := first.NS < best.NS; {
	case len(at) == 0 && paid:
		g.do, g.why = "factor it", fmt.Sprintf("factors were faster than %s up to rank %d, the highest measured, of %s", best.Scheme, last.Rank, shape)
	case len(at) == 0:
		g.do, g.why = "keep it dense", fmt.Sprintf("factors were not faster than %s even at rank %d of %s", best.Scheme, first.Rank, shape)
	case paid && len(at) == 1:
		g.do = fmt.Sprintf("factor it if the rank that its error allows is below %.0f%% of its smaller side", 100*at[0]/float64(min(r.K, r.N)))
		g.why = fmt.Sprintf("factors were faster than %s below rank %.3g of %s; the stable rank does not tell", best.Scheme, at[0], shape)
	default:
		g.do, g.why = "measure again", "the time of the factors did not grow with the rank, so the run was disturbed"
	}
	return g
}

// quantizationGuide names, for each number of rows of x, what is fastest within the error
// allowed, and what is smallest.
func quantizationGuide(r *experiment.QuantizationResult) []guideRow {
	var rows []guideRow
	var smallest []string
	ms := []int{}
	for _, c := range r.Cases {
		if !slices.Contains(ms, c.M) {
			ms = append(ms, c.M)
		}
	}
	for _, m := range ms {
		var names, speeds []string
		for _, c := range r.Cases {
			if c.M != m {
				continue
			}
			fast, small := c.Best(r.MaxError)
			if fast == nil {
				continue
			}
			if !slices.Contains(names, fast.Scheme) {
				names = append(names, fast.Scheme)
			}
			if !slices.Contains(smallest, small.Scheme) {
				smallest = append(smallest, small.Scheme)
			}
			speeds = append(speeds, fmt.Sprintf("%s %.2f times f32 at %dx%d", fast.Scheme, float64(c.Rows[0].NS)/float64(fast.NS), c.K, c.N))
		}
		when := fmt.Sprintf("%d rows of x (a prompt or a batch)", m)
		if m == 1 {
			when = "One row of x (decoding), weights in a cache"
		}
		if names == nil {
			rows = append(rows, guideRow{when, "nothing is precise enough", fmt.Sprintf("no scheme had an error of at most %.3g%%", 100*r.MaxError)})
			continue
		}
		rows = append(rows, guideRow{when, "use " + strings.Join(names, " or "), fmt.Sprintf("the fastest with an error of at most %.3g%%: %s", 100*r.MaxError, strings.Join(speeds, ", "))})
	}
	if smallest != nil {
		rows = append(rows, guideRow{"Memory is short", "use " + strings.Join(smallest, " or "), fmt.Sprintf("the fewest bytes with an error of at most %.3g%%", 100*r.MaxError)})
	}
	return rows
}

// cacheGuide says what pays for the largest model, of the schemes that are precise enough.
func cacheGuide(r *experiment.CacheVsDRAMResult, q *experiment.QuantizationResult) []guideRow {
	precise := map[string]bool{}
	for _, c := range q.Cases {
		for _, row := range c.Rows {
			ok, known := precise[row.Scheme]
			precise[row.Scheme] = (ok || !known) && row.Err <= q.MaxError
		}
	}
	last := r.Rows[len(r.Rows)-1].Weights
	var best *experiment.CacheRow
	var f32 experiment.CacheRow
	for i, row := range r.Rows {
		if row.Weights != last {
			continue
		}
		if row.Scheme == "f32" {
			f32 = row
		}
		if precise[row.Scheme] && (best == nil || row.NS < best.NS) {
			best = &r.Rows[i]
		}
	}
	if best == nil || f32.NS == 0 {
		return nil
	}
	where := r.Place(f32.Bytes)
	when := fmt.Sprintf("One row of x, %s of weights in float32 (%s)", bytesize.Binary(f32.Bytes), where)
	if best.Scheme == "f32" {
		return []guideRow{{when, "use f32", fmt.Sprintf("no scheme with an error of at most %.3g%% was faster", 100*q.MaxError)}}
	}
	return []guideRow{{when, "use " + best.Scheme, fmt.Sprintf("%.2f times the speed of f32, with %.2f times fewer bytes", r.Speed(*best), float64(f32.Bytes)/float64(best.Bytes))}}
}

// libraryGuide says where a library's float32 is faster than ours on every shape.
func libraryGuide(run experiment.MatrixUnitRun) []guideRow {
	type at struct {
		m int
		s experiment.WeightShape
	}
	ours := map[at]float64{}
	var ms []int
	for _, row := range run.Rows {
		if row.Scheme == "f32" {
			ours[at{row.M, experiment.WeightShape{K: row.K, N: row.N}}] = float64(row.NS)
			if !slices.Contains(ms, row.M) {
				ms = append(ms, row.M)
			}
		}
	}
	// The least speed over ours of each library's scheme at each m.
	least := map[string]map[int]float64{}
	var names []string
	for _, row := range run.Rows {
		if row.Library == "" || row.Class != "f32" {
			continue
		}
		if least[row.Scheme] == nil {
			least[row.Scheme] = map[int]float64{}
			names = append(names, row.Scheme)
		}
		speed := ours[at{row.M, experiment.WeightShape{K: row.K, N: row.N}}] / float64(row.NS)
		if before, ok := least[row.Scheme][row.M]; ok {
			speed = min(speed, before)
		}
		least[row.Scheme][row.M] = speed
	}
	if names == nil {
		return []guideRow{{"Float32 products", "use ours", "no library of a vendor could be used here"}}
	}
	var parts []string
	for _, name := range names {
		var where []string
		for _, m := range ms {
			if speed := least[name][m]; speed > 1 {
				where = append(where, fmt.Sprintf("m=%d (%.2f times)", m, speed))
			}
		}
		if where != nil {
			parts = append(parts, name+" at "+strings.Join(where, ", "))
		}
	}
	if parts == nil {
		return []guideRow{{"Float32 products", "use ours", fmt.Sprintf("%s was faster on every shape at no number of rows measured", strings.Join(names, " or "))}}
	}
	return []guideRow{{"Float32 products", "use " + strings.Join(parts, "; "), "faster than our f32 on every shape measured, by at least as much"}}
}

// worthwhileGain is the gain by threads from which they are worth using.
const worthwhileGain = 1.2

// freePeakGain is what more threads must add to the peak of the processor for their times to
// mean something.
const freePeakGain = 1.3

// usualPeak is the median over the products of the peak of float32.
func usualPeak(run experiment.MatrixUnitRun) float64 {
	var peaks []float64
	for _, row := range run.Rows {
		if row.Scheme == "f32" {
			peaks = append(peaks, row.Peak)
		}
	}
	if peaks == nil {
		return 0
	}
	return middle(peaks)
}

// threadGuide says what all threads gain over one, of our f32 and w8a8.
func threadGuide(r *experiment.MatrixUnitResult) []guideRow {
	if len(r.Runs) < 2 {
		return nil
	}
	few, many := r.Runs[0], r.Runs[len(r.Runs)-1]
	if free := usualPeak(many) / usualPeak(few); free < freePeakGain {
		return []guideRow{{fmt.Sprintf("%d threads", many.Threads), "measure again",
			fmt.Sprintf("the peak of float32 was only %.2f times that of %d: the processors were not free", free, few.Threads)}}
	}
	var rows []guideRow
	for _, scheme := range []string{"f32", "w8a8"} {
		least, most := math.Inf(1), 0.0
		mMost := 0
		for _, a := range few.Rows {
			for _, b := range many.Rows {
				if a.Scheme == scheme && b.Scheme == scheme && a.M == b.M && a.K == b.K && a.N == b.N {
					gain := float64(a.NS) / float64(b.NS)
					least = min(least, gain)
					if gain > most {
						most, mMost = gain, a.M
					}
				}
			}
		}
		if most == 0 {
			continue
		}
		g := guideRow{when: fmt.Sprintf("%d threads for %s", many.Threads, scheme), why: fmt.Sprintf("they gained %.2f to %.2f over %d, the most at m=%d", least, most, few.Threads, mMost)}
		switch {
		case least >= worthwhileGain:
			g.do = "use them"
		case most >= worthwhileGain:
			g.do = "use them for many rows of x"
		default:
			g.do = "leave them to others"
		}
		rows = append(rows, g)
	}
	return rows
}

// growth is by how much an error must grow over the layers to be worth a word.
const growth = 1.2

// caveats say what the figures of a report that has all experiments do not.
func caveats(r *reportResult) []string {
	var lines []string
	if r.Provenance.Quick {
		lines = append(lines, "This was a quick run, of small shapes and short rounds: its times are no figures to quote.")
	}
	lines = append(lines, compoundingCaveats(r.ErrorCompounding)...)
	lines = append(lines, cacheCaveats(r.CacheVsDRAM)...)
	used := func(l experiment.MatrixUnitLibrary) bool { return l.Unused == "" }
	if !slices.ContainsFunc(r.MatrixUnit.Runs[0].Libraries, used) {
		lines = append(lines, "No library of a vendor was measured, so nothing is known of a matrix unit that only such a library reaches.")
	}
	if p := r.Sparse.Best(); p.Slowdown() > experiment.NoisyMedian {
		lines = append(lines, fmt.Sprintf("The machine was not quiet: half of the rounds of %s took %.3g times as long as the fastest, or longer. Times are those of the fastest rounds, but differences of some percent mean nothing.", p.Scheme, p.Slowdown()))
	}
	if mask := r.Provenance.Mask; mask != "" {
		lines = append(lines, fmt.Sprintf("The processor may have more instructions: tiers were masked to %s.", mask))
	}
	lines = append(lines,
		"Weights and activations are Gaussian unless it says otherwise. Real ones have outliers, which is worse for large groups: probe them (\"gopherscope probe\").",
		"A time is of one shape, in a loop that does nothing else; in a model other data passes through the caches between two products.")
	return lines
}

func compoundingCaveats(r *experiment.ErrorCompoundingResult) []string {
	var parts []string
	grows := false
	layers := 0
	for _, run := range r.Runs {
		n := len(run.Stream)
		if run.Outliers || n == 0 || len(run.Product) == 0 || run.Seed != r.Runs[0].Seed {
			continue
		}
		layers = n
		product, stream := run.Product[0], run.Stream[n-1]
		grows = grows || stream > growth*product
		parts = append(parts, fmt.Sprintf("%s %.3g%% to %.3g%%", run.Recipe, 100*product, 100*stream))
	}
	if parts == nil {
		return nil
	}
	text := fmt.Sprintf("The error of a product is not that of a model. From one product of the first layer to the stream after %d layers it went from %s: ", layers, strings.Join(parts, ", "))
	if grows {
		text += "it compounds."
	} else {
		text += "it does not grow here."
	}
	return []string{text, "The weights of these layers are random, so that agreement on the next token here says nothing about a trained model."}
}

func cacheCaveats(r *experiment.CacheVsDRAMResult) []string {
	var all, reached []string
	for _, row := range r.Rows {
		if !slices.Contains(all, row.Scheme) {
			all = append(all, row.Scheme)
		}
		if r.Place(row.Bytes) == "DRAM" && !slices.Contains(reached, row.Scheme) {
			reached = append(reached, row.Scheme)
		}
	}
	var lines []string
	if reached == nil {
		lines = append(lines, "No working set was larger than 4 times the last-level cache, so nothing is said of DRAM.")
	} else if len(reached) < len(all) {
		lines = append(lines, fmt.Sprintf("Only the working sets of %s were larger than 4 times the last-level cache: of other schemes nothing is said of DRAM.", strings.Join(reached, ", ")))
	}
	if len(r.Caches) == 0 {
		lines = append(lines, fmt.Sprintf("The system does not tell the sizes of its caches: %s are assumed for the last one.", bytesize.Binary(r.LastLevelCache)))
	}
	return lines
}
