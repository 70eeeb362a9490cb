// Package accel multiplies by the matrix code of other vendors, opened at run time
// and without cgo: the yardstick for package kernels. [OpenOpenBLAS] and
// [OpenOneDNN] open a library; its methods prepare a weight as a
// [kernels.Multiplier] whose MulTo is the library's call and nothing else.
//
// # Where a library is looked for
//
// The environment variable GOPHERSCOPE_OPENBLAS or GOPHERSCOPE_ONEDNN, if set, names
// the file. Otherwise it is looked for in lib of $CONDA_PREFIX, by its versioned
// names on the system's path, and where Homebrew puts it. Debian has the
// packages libopenblas0-pthread and libdnnl2. Before first use a library multiplies
// matrices of odd sizes; one whose result is wrong is refused.
//
// # Threads
//
// A library reads its number of threads from the environment when it is loaded,
// once for the life of the process. Opening sets the variables,
// OPENBLAS_NUM_THREADS and OMP_NUM_THREADS, and reads back what the library made of
// them. Calls to one library wait for each other, since its threads are shared.
//
// A call cannot be interrupted, and costs about half a microsecond more than it
// would in C.
//
// With the build tag noaccel, and on systems other than Linux, macOS and Windows,
// every library is missing.
package accel
