// Package kerneltest is the conformance suite of kernels.Multiplier. Every
// implementation, whatever its scheme and whoever wrote it, passes [Run]:
//
//	func TestW8A16(t *testing.T) {
//		kerneltest.Run(t, func(w kernels.Matrix) (kernels.Multiplier, error) {
//			return kernels.NewW8A16(w)
//		}, kerneltest.Int8WeightBound)
//	}
//
// Results are compared element by element with a float64 product of the weight
// as it was given, within the bound that the scheme states.
package kerneltest
