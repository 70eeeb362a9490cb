// Package kernels multiplies activations by a weight that was prepared once:
// y[m,n] = x[m,k] W[k,n], with W stored dense, low-rank or quantized.
package kernels
