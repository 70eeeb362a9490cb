// Package kernels multiplies activations by a weight that was prepared once:
// y[m,n] = x[m,k] W[k,n], with W stored as float32 or bfloat16, as low-rank
// factors, or as codes of 8 or 4 bits.
//
// # Shapes
//
// Every matrix is row-major. A weight is W[k,n] = [in, out]: k, the reduction
// axis, counts inputs and n counts output channels. "Per channel" means per
// output channel, that is per column of W. "Per row" of activations means per
// row of x. Any of m, k and n may be 0; with k = 0 the product is all zeros.
//
// # Schemes
//
//	scheme     type             weight in memory             error
//	dense      [Dense]          f32 [k,n]                    rounding of the sums
//	f32        [F32]            f32 [k,n] in panels          rounding of the sums
//	bf16       [BF16]           bfloat16 [k,n] in panels     16-bit weight
//	skipzeros  [SkipZeros]      f32 [k,n]                    rounding of the sums
//	lowrank    [LowRank]        f32 [k,r] and [r,n]          truncation to rank r
//	int8       [Int8PerChannel] int8 [k,n] and n scales      8-bit weight
//	w8a16      [W8A16]          int8 [k,n] in panels, scales 8-bit weight
//	w8a8       [W8A8]           int8 [k,n] in panels, scales 8-bit weight and activations
//	w4a16      [W4A16]          int4 [k,n] in panels, scales 4-bit weight
//
// A constructor copies what it needs of the weight, so the caller may change
// or drop it afterwards.
//
// # Implementations
//
// Every scheme has a portable reference implementation, plain loops in Go to be
// read and to be compared with. The schemes that are meant to be fast also have
// implementations in assembly, each for a tier of instructions: on amd64 avx2,
// avx512, vnni and bf16, on arm64 neon, dotprod and i8mm. A constructor takes the
// best one for the processor; [Implementations] lists what can run, the option
// [Impl] and the environment variable GOPHERSCOPE_CPU choose another. The layout
// of the prepared weight belongs to the implementation.
//
// MulTo shares its work among goroutines, as many as [SetThreads] says. The result
// does not depend on their number, and MulTo does not allocate once it has seen a
// shape.
//
// # Quantization
//
// Quantization is symmetric absmax with 127 codes a side of zero. A vector v (a column
// of W, or a row of x) becomes codes c and one float32 scale s:
//
//	s    = max(max|v| / 127, 2^-126)
//	c[i] = round(v[i] * (1/s)), halves away from zero, in float32
//
// so that |v[i] - s*c[i]| <= 0.50003 s: half a step, and the float32 rounding of
// the quotient. The floor, the smallest normal float32, keeps 1/s finite: zero
// vectors give exact zeros, and vectors below 1e-36 lose precision but never
// produce an Inf or a NaN.
//
// W4A16 has 7 codes a side and a scale for each group of inputs, as its
// documentation says.
//
// # Non-finite values
//
// Dense, F32 and BF16 follow IEEE arithmetic. Every other scheme refuses a weight
// that holds a NaN or an infinity, with a [*NonFiniteError] that names the first
// one. If a row of x holds a NaN or an infinity, that whole row of y is NaN, and
// the other rows are not affected.
//
// # Errors
//
// Constructors return errors. MulTo and the other methods that compute panic
// with a [*ShapeError] when operands do not fit, as gonum does, before they
// write anything.
package kernels
