package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

// A Machine is what this processor allows: the peaks of its arithmetic, in
// registers, and the bandwidth of reading memory.
type Machine struct {
	// CPU is the name of the processor.
	CPU string `json:"cpu"`
	// Tier is the last tier of instructions in use. With "ref" the figures are
	// those of loops in Go without vectors, and not the limits of the hardware.
	Tier string `json:"tier"`
	// Threads is how many threads computed, and read, at the same time. The
	// figures are of all of them together.
	Threads int `json:"threads"`
	// F32Peak is the rate of fused multiply-adds of float32, two operations each.
	F32Peak float64 `json:"f32_peak_gflops"`
	// Int8Peak is the rate of multiply-adds of int8 into exact int32 sums, by dot
	// products of bytes where the tier has them and by 16-bit products elsewhere.
	Int8Peak float64 `json:"int8_peak_gops"`
	// BF16Peak is the rate of multiply-adds of bfloat16 into float32 sums, by dot
	// products where the tier has them; elsewhere it is F32Peak.
	BF16Peak float64 `json:"bf16_peak_gflops"`
	// Read is the bandwidth of reading a working set again and again, each thread
	// its part of it, in ascending order of size.
	Read []Bandwidth `json:"read_gbps"`
}

// Bandwidth is the rate of reading a working set of some bytes.
type Bandwidth struct {
	Bytes int64   `json:"bytes"`
	GBps  float64 `json:"gbps"` // 1e9 bytes a second
}

// ReadAt returns the bandwidth of a working set of some bytes, in GB/s: between
// two sizes of Read on the straight line over the logarithm of the bytes, beyond
// the first and the last the same as there. It is 0 if Read is empty.
func (m Machine) ReadAt(bytes int64) float64 {
	i := slices.IndexFunc(m.Read, func(b Bandwidth) bool { return b.Bytes >= bytes })
	switch {
	case len(m.Read) == 0:
		return 0
	case i < 0:
		return m.Read[len(m.Read)-1].GBps
	case i == 0:
		return m.Read[0].GBps
	}
	low, high := m.Read[i-1], m.Read[i]
	t := math.Log(float64(bytes)/float64(low.Bytes)) / math.Log(float64(high.Bytes)/float64(low.Bytes))
	return low.GBps + t*(high.GBps-low.GBps)
}

// Roof returns the rate that no function can exceed which does ops operations on
// bytes read from a working set of that size: the lower of peak, one of the peaks
// of m, and of what ReadAt(bytes) allows. (The roofline model of Williams, Waterman
// and Patterson, Communications of the ACM 52, 2009.)
func (m Machine) Roof(peak, ops float64, bytes int64) float64 {
	return min(peak, m.ReadAt(bytes)*ops/float64(max(1, bytes)))
}

// String is a line for each figure.
func (m Machine) String() string {
	s := fmt.Sprintf("%s, tier %s, threads: %d\nf32 peak %.4g GFLOP/s, int8 peak %.4g GOP/s, bf16 peak %.4g GFLOP/s",
		m.CPU, m.Tier, m.Threads, m.F32Peak, m.Int8Peak, m.BF16Peak)
	for _, b := range m.Read {
		s += fmt.Sprintf("\nread %7d KiB: %.4g GB/s", b.Bytes>>10, b.GBps)
	}
	return s
}

const (
	smallestSet = 16 << 10
	largestSet  = 512 << 20
)

// workingSets returns the sizes at which bandwidth is measured: the powers of two
// from 16 KiB to 512 MiB.
func workingSets() []int64 {
	var sizes []int64
	for size := int64(smallestSet); size <= largestSet; size *= 2 {
		sizes = append(sizes, size)
	}
	return sizes
}

// Roofs measures limits of the machine among other functions: the clock changes by
// some percent from minute to minute, so that a fraction of a limit means
// something only if both were measured at the same time. Give Funcs to Compare
// together with those functions, and the timings of Funcs to Machine.
type Roofs struct {
	threads int
	peaks   []limit // none, or those of f32, int8 and bf16
	reads   []limit
	sizes   []int64
}

// NewRoofs prepares the limits of threads, at least 1, that bound functions which
// read so many bytes: the peaks, and the bandwidths on either side of each of the
// bytes in the table of Limits. It allocates as much memory as the largest.
func NewRoofs(threads int, bytes ...int64) *Roofs {
	return newRoofs(threads, setsAround(bytes))
}

// setsAround returns the working sets between which bandwidths at these bytes are
// interpolated.
func setsAround(bytes []int64) []int64 {
	all := workingSets()
	var sizes []int64
	for _, b := range bytes {
		next, exact := slices.BinarySearch(all, b)
		next = min(next, len(all)-1)
		sizes = append(sizes, all[next])
		if next > 0 && !exact && b < all[next] {
			sizes = append(sizes, all[next-1])
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

func newRoofs(threads int, sizes []int64) *Roofs {
	threads = max(1, threads)
	r := &Roofs{threads: threads, sizes: sizes, peaks: []limit{f32Peak(threads), int8Peak(threads), bf16Peak(threads)}}
	for _, memory := range parts(sizes) {
		r.reads = append(r.reads, readAgain(memory, threads))
	}
	return r
}

// NewColdRoofs prepares the bandwidths of reading so many bytes once, for a Plan
// whose Before is an Evictor. The Machine has no peaks, and as the sizes of Read
// these bytes rounded up to a whole MiB.
func NewColdRoofs(threads int, bytes ...int64) *Roofs {
	r := &Roofs{threads: max(1, threads)}
	for _, b := range bytes {
		r.sizes = append(r.sizes, max(1, (b+1<<20-1)>>20)<<20)
	}
	slices.Sort(r.sizes)
	r.sizes = slices.Compact(r.sizes)
	for _, memory := range parts(r.sizes) {
		r.reads = append(r.reads, readOnce(memory, r.threads))
	}
	return r
}

// parts returns slices of these ascending sizes of one memory.
func parts(sizes []int64) [][]byte {
	if len(sizes) == 0 {
		return nil
	}
	memory := newMemory(int(sizes[len(sizes)-1]))
	var all [][]byte
	for _, size := range sizes {
		all = append(all, memory[:size])
	}
	return all
}

// Funcs returns the functions to give to Compare.
func (r *Roofs) Funcs() []Func {
	var funcs []Func
	for _, l := range slices.Concat(r.peaks, r.reads) {
		funcs = append(funcs, l.Func)
	}
	return funcs
}

// Machine returns the limits, from the fastest round of each of Funcs. It panics
// unless there is one entry for each of them, in their order.
func (r *Roofs) Machine(c Comparison) Machine {
	if want := len(r.peaks) + len(r.reads); len(c) != want {
		panic(fmt.Sprintf("bench: Roofs.Machine of %d timings, want those of its %d functions", len(c), want))
	}
	m := Machine{CPU: cpu.Name(), Tier: cpu.Best().String(), Threads: r.threads}
	for i, peak := range r.peaks {
		*[]*float64{&m.F32Peak, &m.Int8Peak, &m.BF16Peak}[i] = peak.rate(c[i].Min())
	}
	for i, read := range r.reads {
		m.Read = append(m.Read, Bandwidth{r.sizes[i], read.rate(c[len(r.peaks)+i].Min())})
	}
	return m
}

// LimitOptions changes what Limits does.
type LimitOptions struct {
	// Threads is how many threads compute at the same time: 1 for the limits of
	// one core, 0 for runtime.GOMAXPROCS(0), all that Go uses.
	Threads int
	// Fresh measures anew, whatever the cache holds.
	Fresh bool
}

// Limits returns the peaks of this machine and its bandwidth for working sets from
// 16 KiB to 512 MiB, each the best of many short rounds. Measuring takes some
// seconds and 512 MiB of memory, so the result is kept in the user's cache
// directory, os.UserCacheDir, and used again as long as the processor, its tier,
// the number of cores, the Go release and the number of threads are the same. A
// cache that cannot be read or written is no error: the limits are measured then.
//
// The figures are for orientation. To judge a function by a limit, measure both in
// one Comparison, with Roofs.
func Limits(ctx context.Context, o LimitOptions) (Machine, error) {
	if o.Threads < 1 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	cache := Cache{Name: "limits", Format: 2, Threads: o.Threads}
	return cachedLimits(cache, o.Fresh, func() (Machine, error) {
		roofs := newRoofs(o.Threads, workingSets())
		// Short rounds, and many of them: some fall between the turns of other
		// programs.
		c, err := Plan{Rounds: 25, RoundTime: 2 * time.Millisecond}.Compare(ctx, roofs.Funcs()...)
		if err != nil {
			return Machine{}, err
		}
		return roofs.Machine(c), nil
	})
}
