// Package experiment holds experiments about kernels and machines as functions. Each
// returns a result that can be kept as JSON and has methods for a table, a figure, a
// verdict and all of them as Markdown. A verdict is computed from the figures beside
// it.
package experiment
