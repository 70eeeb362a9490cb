// Package opscope measures the structure of one matrix and says which cheaper
// way of multiplying by it that structure allows.
//
// A probe is a function on a [Matrix]: [Density], [QuantError], [GroupQuantError],
// [FormatError], [NMError], [TernaryError], [TableError], [CountDistinct],
// [ChannelOutliers], [StableRank], [SingularValues]. [Probe] runs them together and
// returns a [Profile]; [ProbeRows] does so for a matrix larger than memory.
//
// [Recommend] turns a profile into a list of [Choice] values within an error, cheapest
// first, each with its measured error and its bytes; [Choice.Build] makes the kernel.
// [Menu] lists the choices whatever their errors, and [Solve] takes one from the menu of
// each layer so that a whole model fits into a size. [Calibrate] times the kernels on
// this machine, once, from which the choices get the time that a call is expected to
// take.
//
// A weight is W[k,n] = [in, out]: a row belongs to an input channel, a column
// to an output channel, and k is the reduction axis of y[m,n] = x[m,k] W[k,n].
// An activation is x[m,k]: a row is a token, a column an input channel.
//
// Errors are relative L2 (Frobenius) norms, ‖Ŵ-W‖/‖W‖, unless named otherwise.
// Sums are taken in float64. A probe on a matrix with a NaN or an infinity
// answers NaN; [CountNonFinite] says how many there are and where the first is.
// The probes of a zero or an empty matrix are 0.
package opscope
