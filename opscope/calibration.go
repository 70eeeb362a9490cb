package opscope

import (
	"math"
	"slices"
	"time"

	"github.com/rlx-go/gopherscope/kernels"
)

// Calibration holds how long the kernels take on this machine, over a grid of sizes. It
// is made by Calibrate, and a Budget that has it gives times to the choices.
type Calibration struct {
	// Points are the products that were timed.
	Points []CalibrationPoint `json:"points"`
	// MemoryGBps is the bandwidth of reading memory, in 1e9 bytes a second.
	MemoryGBps float64 `json:"memory_gbps"`
	// LastLevelCache is the size of the last-level cache, in bytes.
	LastLevelCache int64 `json:"last_level_cache"`
	// Threads is how many threads computed a product together.
	Threads int `json:"threads"`
	// Disturbance is by which fraction the median round of a call was slower than the
	// fastest, in the median over the calls: some hundredths where nothing else runs.
	Disturbance float64 `json:"disturbance"`
	// Made is when the kernels were timed last; the times may be those of an earlier,
	// less disturbed run.
	Made time.Time `json:"made"`
}

// Disturbed tells whether other programs took so much of the machine that the times can
// be far off: the median round of a call was slower than the fastest by a quarter.
func (c *Calibration) Disturbed() bool { return c.Disturbance > 0.25 }

// CalibrationPoint is a square weight that was multiplied by again and again.
type CalibrationPoint struct {
	Call
	// Bytes is what a call reads of the weight, as kernels.Info counts it.
	Bytes int64 `json:"bytes"`
	// Time is that of a call in the fastest round.
	Time time.Duration `json:"ns"`
}

// Call is a product x[m,k] W[k,n].
type Call struct {
	// Scheme is one of kernels.Schemes.
	Scheme string `json:"scheme"`
	// M is the number of rows of x, one of CalibratedRows.
	M int `json:"m"`
	// K and N are the shape of W.
	K int `json:"k"`
	N int `json:"n"`
	// Rank is that of the factors, for kernels.SchemeLowRank only.
	Rank int `json:"rank,omitempty"`
	// Group is the number of inputs that share a scale, for kernels.SchemeW4A16 only:
	// 32, or 128 or more, whose times are those of 128.
	Group int `json:"group,omitempty"`
	// Density is the share of nonzeros in x, for kernels.SchemeSkipZeros only.
	Density float64 `json:"density,omitempty"`
}

// CalibratedRows are the numbers of rows of x that a Calibration has times for: one, as
// in decoding a token, and 32, as in a batch or a prompt.
func CalibratedRows() []int { return []int{1, 32} }

// calibratedDensities are those of the activations that SkipZeros is timed with.
var calibratedDensities = []float64{0, 0.1, 0.5, 1}

// Time returns how long a call is expected to take, or 0 if the calibration has no
// times for the scheme, the group size or the number of rows.
//
// The times of the calibration are of weights that stay in a cache, if they fit into
// one. Between two sizes the logarithm of the time is on the straight line over the
// logarithm of the bytes; below the smallest the time is that of the smallest, and above
// the largest it grows in proportion to the bytes. Times with zeros to skip are on
// straight lines over the density. If the weight, or workingSet, the number of bytes
// that are read from one such call to the next, is above half the size of the
// last-level cache, the time is at least what reading the weight from memory takes.
func (c *Calibration) Time(call Call, workingSet int64) time.Duration {
	bytes := float64(max(call.bytes(), 1))
	var ns float64
	if call.Scheme == kernels.SchemeSkipZeros {
		ns = c.skipZeros(call, bytes)
		// The rows of W that meet a nonzero in a row of x, if zeros are anywhere.
		bytes *= 1 - math.Pow(1-call.Density, float64(call.M))
	} else {
		ns = c.interpolate(call, bytes)
	}
	if ns > 0 && max(call.bytes(), workingSet) > c.LastLevelCache/2 && c.MemoryGBps > 0 {
		ns = max(ns, bytes/c.MemoryGBps) // 1e9 bytes a second are bytes a nanosecond
	}
	return time.Duration(math.Round(ns))
}

// skipZeros interpolates between the densities on either side.
func (c *Calibration) skipZeros(call Call, bytes float64) float64 {
	i, exact := slices.BinarySearch(calibratedDensities, call.Density)
	if i == len(calibratedDensities) || math.IsNaN(call.Density) || i == 0 && !exact {
		return 0
	}
	above := call
	above.Density = calibratedDensities[i]
	high := c.interpolate(above, bytes)
	if exact {
		return high
	}
	below := call
	below.Density = calibratedDensities[i-1]
	low := c.interpolate(below, bytes)
	t := (call.Density - below.Density) / (above.Density - below.Density)
	return low + t*(high-low)
}

// interpolate returns the time of a weight of some bytes, in nanoseconds, or 0.
func (c *Calibration) interpolate(call Call, bytes float64) float64 {
	call.Group = min(call.Group, 128)
	var low, high *CalibrationPoint // the nearest ones on either side
	for i := range c.Points {
		p := &c.Points[i]
		switch {
		case p.Scheme != call.Scheme || p.M != call.M || p.Group != call.Group || p.Density != call.Density:
		case float64(p.Bytes) <= bytes:
			if low == nil || p.Bytes > low.Bytes {
				low = p
			}
		case high == nil || p.Bytes < high.Bytes:
			high = p
		}
	}
	switch {
	case low == nil && high == nil:
		return 0
	case low == nil:
		return float64(high.Time)
	case high == nil:
		return float64(low.Time) * bytes / float64(low.Bytes)
	}
	t := math.Log(bytes/float64(low.Bytes)) / math.Log(float64(high.Bytes)/float64(low.Bytes))
	return float64(low.Time) * math.Pow(float64(high.Time)/float64(low.Time), t)
}

// bytes is what the call reads of the weight.
func (c Call) bytes() int64 {
	k, n := int64(c.K), int64(c.N)
	switch c.Scheme {
	case kernels.SchemeF32, kernels.SchemeSkipZeros:
		return 4 * k * n
	case kernels.SchemeBF16:
		return 2 * k * n
	case kernels.SchemeW8A16, kernels.SchemeW8A8:
		return k*n + 4*n
	case kernels.SchemeW4A16:
		return int4Bytes(k, n, max(c.Group, 1))
	case kernels.SchemeLowRank:
		return 4 * int64(c.Rank) * (k + n)
	}
	return 0
}

// expected returns the times of a choice for a budget with a calibration.
func (b Budget) expected(c Choice) []Expected {
	if b.Calibration == nil || !c.HasKernel || c.K == 0 {
		return nil
	}
	call := Call{Scheme: c.scheme(), K: c.K, N: c.N, Rank: c.Rank, Group: c.group()}
	if c.N == 0 { // an activation's profile
		if call.N = b.Outputs; call.N == 0 {
			call.N = c.K
		}
	}
	baseline := Call{Scheme: kernels.SchemeF32, K: call.K, N: call.N}
	if c.N != 0 {
		baseline.Scheme, baseline.Group = baselineScheme(bitsPerWeight(b.BaselineBytes, int64(c.K)*int64(c.N)))
	}
	if c.Action == SkipZeros {
		call.Density = c.Work
	}
	var times []Expected
	for _, m := range CalibratedRows() {
		call.M, baseline.M = m, m
		t, base := b.Calibration.Time(call, b.WorkingSet), b.Calibration.Time(baseline, b.WorkingSet)
		if t == 0 || base == 0 {
			return nil
		}
		times = append(times, Expected{M: m, Time: t, Speedup: float64(base) / float64(t), Baseline: baseline.Scheme})
	}
	return times
}

// baselineScheme returns the scheme that stands for a type of so many bits a weight.
// Scales make types of 8 bits up to 9, and those of 4 up to 5.
func baselineScheme(bits float64) (scheme string, group int) {
	switch {
	case bits > 16:
		return kernels.SchemeF32, 0
	case bits > 9:
		return kernels.SchemeBF16, 0
	case bits > 5:
		return kernels.SchemeW8A16, 0
	}
	return kernels.SchemeW4A16, 32
}
