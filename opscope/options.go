package opscope

import "math"

// Role says what a matrix is used for, and so what its rows and columns are
// and which actions it allows.
type Role string

// DefaultSVDLimit sets no limit: the time that singular values take grows no
// faster than that of reading the matrix.
const DefaultSVDLimit = math.MaxInt64

// DefaultMemory is what ProbeRows holds of a matrix, in bytes, if Options names
// no other bound.
const DefaultMemory = 256 << 20

// Extras are the probes that Probe runs on request, joined by |.
type Extras uint

const (
	// ExtraBits adds symmetric quantization to 7, 6, 5 and 3 bits to that to
	// 8 and 4.
	ExtraBits Extras = 1 << iota
	// ExtraAsymmetric adds Asymmetric quantization to 8 and 4 bits in groups of 32
	// and 128.
	ExtraAsymmetric
	// ExtraScaleSearch adds ScaleSearch to 4 bits in groups of 32 and 128.
	ExtraScaleSearch
	// ExtraFormats adds the formats of Formats beyond BF16 and F16, FP8 with a step per
	// tensor and per output channel.
	ExtraFormats
	// ExtraSparse adds 1:4 and 4:8 sparsity.
	ExtraSparse
	// ExtraLUT adds the best table of 16 values; see TableError.
	ExtraLUT

	// AllExtras is all of them.
	AllExtras = 1<<iota - 1
)

// Options changes what Probe does. The zero value probes an unnamed weight.
type Options struct {
	// Name is copied to the profile.
	Name string
	// Role is Weight if empty.
	Role Role
	// OutIn says that the rows of the matrix given are output channels, as in
	// files of PyTorch: the matrix is the transpose of W[k,n]. Not for an
	// activation.
	OutIn bool
	// Budget is the relative L2 error that Profile.BestBits must keep; 0 stands
	// for DefaultError.
	Budget float64
	// Memory bounds what ProbeRows holds, in bytes; 0 stands for DefaultMemory.
	Memory int64
	// Sketch is SpectralOptions.Sketch.
	Sketch int
	// SVDLimit is the largest rows·cols·min(rows, cols) for which a weight's
	// singular values are looked at. 0 stands for DefaultSVDLimit; a negative
	// number turns them off.
	SVDLimit int64
	// Extra asks for more probes.
	Extra Extras
	// InputMeanSquares, one value an input channel, asks for
	// QuantResult.WeightedError. Each is the mean of the squares that the channel
	// has in the activations of a calibration set.
	InputMeanSquares []float64
}
