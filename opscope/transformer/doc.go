// Package transformer holds the parts of a decoder layer as the Qwen3 models have
// them: RMS normalization, rotary positions, causal attention with grouped queries,
// the gated feed-forward block, and a layer made of them whose products with weights
// are multipliers of package kernels, so that a scheme of storing weights can be
// judged by what it does to a whole model.
//
// Activations are x[tokens, width]: row t is the token at position t of one sequence.
// A head is headDim neighbouring columns. The functions return a new matrix and leave
// their operands alone. Sums run in float64 and results are rounded to float32, so
// that the error of a forward pass is that of the products with weights. The functions
// panic with an error when operands do not fit each other.
package transformer
