package experiment

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/rlx-go/gopherscope/charts"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// SchemeW8A8Q names w8a8 with an x that was quantized before the call, whose time is that of
// the int8 product alone.
const SchemeW8A8Q = "w8a8-q"

// A Product is the time and the error of y[m,n] = x[m,k] W[k,n] by one kernel.
type Product struct {
	Scheme string `json:"scheme"` // as kernels.Info has it, SchemeW8A8Q, or "w4a16-g128" for groups of 128
	Impl   string `json:"impl"`
	NS     int64  `json:"ns"` // a call, in the fastest round
	// MedianNS is a call in the median round: much more than NS where others disturbed.
	MedianNS int64 `json:"median_ns"`
	// Bytes is what a call reads of the weight.
	Bytes int64   `json:"bytes"`
	Gops  float64 `json:"gops"` // 1e9 operations a second, two a multiply-add that is made
	// Roof is the fraction of what the machine allows, measured in the same rounds: the
	// peak of the arithmetic, or what the bandwidth of reading Bytes allows if that is
	// less.
	Roof float64 `json:"roof"`
	Err  float64 `json:"err"` // relative L2 error of y against float64
}

// newProduct makes a product of the times of one that does ops operations a call.
func newProduct(info kernels.Info, t bench.Timing, ops float64, machine bench.Machine) Product {
	p := Product{Scheme: info.Scheme, Impl: info.Impl, NS: max(1, t.Min().Nanoseconds()), MedianNS: max(1, t.Median().Nanoseconds()), Bytes: info.WeightBytes}
	p.Gops = ops / float64(p.NS)
	if roof := machine.Roof(peakOf(info.Scheme, machine), ops, p.Bytes); roof > 0 {
		p.Roof = p.Gops / roof
	}
	return p
}

// peakOf is the limit of the arithmetic of a scheme. The activations of w8a16 are three
// bytes and those of w4a16 two, each of which takes a product of int8 of its own; where
// float32 is faster than that, it is the limit.
func peakOf(scheme string, m bench.Machine) float64 {
	switch scheme {
	case kernels.SchemeBF16:
		return m.BF16Peak
	case kernels.SchemeW8A8:
		return m.Int8Peak
	case kernels.SchemeW8A16:
		return max(m.F32Peak, m.Int8Peak/3)
	case kernels.SchemeW4A16:
		return max(m.F32Peak, m.Int8Peak/2)
	}
	return m.F32Peak
}

// fastest returns the fastest of some products, nil if there are none.
func fastest(products []Product) *Product {
	var best *Product
	for i := range products {
		if best == nil || products[i].NS < best.NS {
			best = &products[i]
		}
	}
	return best
}

// speedOver is how many times faster p is than base; 0 if either was not measured.
func (p Product) speedOver(base *Product) float64 {
	if base == nil || p.NS == 0 {
		return 0
	}
	return float64(base.NS) / float64(p.NS)
}

// Where an experiment does not say how to measure.
const (
	defaultRounds    = 11
	defaultRoundTime = 10 * time.Millisecond
	quickRounds      = 5
	quickRoundTime   = 2 * time.Millisecond
)

// setTimes replaces what is 0.
func setTimes(quick bool, threads, rounds *int, roundTime *time.Duration) {
	if *threads == 0 {
		*threads = kernels.Threads()
	}
	if *rounds == 0 {
		*rounds = defaultRounds
		if quick {
			*rounds = quickRounds
		}
	}
	if *roundTime == 0 {
		*roundTime = defaultRoundTime
		if quick {
			*roundTime = quickRoundTime
		}
	}
}

func checkTimes(threads, rounds int, roundTime time.Duration) error {
	switch {
	case threads < 1:
		return fmt.Errorf("experiment: %d threads, want at least 1", threads)
	case rounds < 1:
		return fmt.Errorf("experiment: %d rounds, want at least 1", rounds)
	case roundTime < 0:
		return fmt.Errorf("experiment: rounds of %v", roundTime)
	}
	return nil
}

func checkMaxError(v float64) error {
	if !(v > 0 && v < 1) {
		return fmt.Errorf("experiment: an error of at most %v, want one between 0 and 1", v)
	}
	return nil
}

// maxElements bounds the operands of an experiment: 4 GiB of float32.
const maxElements = 1 << 30

// checkShape refuses a product whose operands would be empty, or too large to hold.
func checkShape(m, k, n int) error {
	if m < 1 || k < 1 || n < 1 {
		return fmt.Errorf("experiment: a product %dx%dx%d, want at least 1x1x1", m, k, n)
	}
	for _, side := range [][2]int{{m, k}, {k, n}, {m, n}} {
		if side[0] > maxElements/side[1] {
			return fmt.Errorf("experiment: a product %dx%dx%d, want operands of at most %d elements", m, k, n, maxElements)
		}
	}
	return nil
}

var errNoRows = errors.New("experiment: no numbers of rows of x")

// withThreads lets our kernels use so many threads until the function that it returns
// is called.
func withThreads(n int) (restore func()) {
	before := kernels.Threads()
	kernels.SetThreads(n)
	return func() { kernels.SetThreads(before) }
}

// maxReference bounds the multiply-adds of a reference in float64.
const maxReference = 1 << 26

// headReference is the product of the first rows of x with w, as many as take about
// a tenth of a second.
func headReference(x, w kernels.Matrix) reference {
	rows := min(x.Rows, max(1, maxReference/max(1, w.Rows*w.Cols)))
	return newReference(kernels.Matrix{Rows: rows, Cols: x.Cols, Stride: x.Stride, Data: x.Data}, w)
}

// mulCall is a call of MulTo with a result of its own.
func mulCall(w kernels.Multiplier, x kernels.Matrix) (call func(), y kernels.Matrix) {
	_, n := w.Dims()
	y = kernels.New(x.Rows, n)
	return func() { w.MulTo(y, x) }, y
}

// on says what was measured where.
func on(m bench.Machine, what string) string {
	return fmt.Sprintf("On this machine (%s, our tier %s), threads: %d, %s", m.CPU, m.Tier, m.Threads, what)
}

// NoisyMedian is how many times the fastest round the median one takes where a run was
// disturbed.
const NoisyMedian = 1.2

// beyondRoof is the fraction of the roof above which the roof was measured too low.
const beyondRoof = 1.15

// Slowdown is how many times as long as the fastest round the median one took.
func (p *Product) Slowdown() float64 { return float64(p.MedianNS) / float64(p.NS) }

// disturbedBy says so if most rounds of a product were slow, or if it exceeds what was
// measured as its limit.
func disturbedBy(p *Product) []string {
	switch {
	case p == nil:
		return nil
	case p.Roof > beyondRoof:
		return []string{fmt.Sprintf("Other programs, or the clock, disturbed the run: %s reaches %.0f%% of what was measured as its limit.", p.Scheme, 100*p.Roof)}
	case p.Slowdown() > NoisyMedian:
		return []string{fmt.Sprintf("Other programs, or the clock, disturbed the run: half of the rounds of %s took %.3g times as long as the fastest, or longer. The times are those of the fastest rounds.", p.Scheme, p.Slowdown())}
	}
	return nil
}

// shortPercent writes a fraction in percent, of two figures where it is small.
func shortPercent(v float64) string {
	switch v *= 100; {
	case v == 0 || math.Abs(v) >= 9.95:
		return fmt.Sprintf("%.0f%%", v)
	case math.Abs(v) >= 0.01:
		return fmt.Sprintf("%.2g%%", v)
	}
	return fmt.Sprintf("%.1e%%", v)
}

// shortTime writes nanoseconds with three figures.
func shortTime(ns float64) string {
	switch {
	case ns < 999.5:
		return fmt.Sprintf("%.3g ns", ns)
	case ns < 999.5e3:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	case ns < 999.5e6:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	}
	return fmt.Sprintf("%.3g s", ns/1e9)
}

// compared writes a speed over that of base, as what is said of a kernel.
func compared(speed float64, base string) string {
	if speed >= 1 {
		return fmt.Sprintf("is %s times as fast as %s", factor(speed), base)
	}
	return fmt.Sprintf("takes %s times as long as %s", factor(1/speed), base)
}

// factor writes a number with three figures, without an exponent where it is large.
func factor(v float64) string {
	if v >= 999.5 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// asMarkdown puts the parts of a result together.
func asMarkdown(title, verdict string, tables ...charts.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n## Verdict\n\n", title)
	for line := range strings.Lines(verdict) {
		fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(line))
	}
	for _, t := range tables {
		if len(t.Rows) > 0 {
			b.WriteString("\n" + markdownTable(t))
		}
	}
	return b.String()
}
