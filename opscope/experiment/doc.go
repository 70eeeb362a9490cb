// Package experiment holds experiments about kernels and machines as functions:
//
//	Structure         what opscope recommends for a matrix, and what that gains
//	Sparse            from which density of the activations on skipping zeros pays
//	LowRank           whether factors of a weight are near enough to it, and faster
//	Quantization      what fewer bits cost in precision and gain in bytes and time
//	MatrixUnit        how the platform's own libraries compare
//	CacheVsDRAM       from which size of a model on fewer bytes are more speed
//	ErrorCompounding  how the error of a recipe grows over the layers of a model
//
// Each takes options, whose zero value is a sensible experiment, and returns a result
// that can be kept as JSON and has methods for a table, figures, a verdict and all of
// them as Markdown. A verdict is computed from the figures beside it: a sentence that
// states a result is chosen by them. A time is that of the fastest of several rounds, in
// which everything that is compared takes turns, the limits of the machine among it.
package experiment
