// Package accel multiplies by the matrix code of the platform's vendors, opened at
// run time and without cgo: the yardstick for package kernels.
//
//	library     scheme          what is called
//	accelerate  accelerate-f32  cblas_sgemm, and cblas_sgemv with one row of x
//	            bnns-f32        BNNSMatMul
//	            bnns-i8         BNNSFilterApplyBatch of a fully connected layer
//	openblas    openblas-f32    cblas_sgemm, and cblas_sgemv with one row of x
//	onednn      onednn-f32      dnnl_sgemm
//	            onednn-bf16     dnnl_gemm_bf16bf16f32
//	            onednn-s8s8     dnnl_gemm_s8s8s32
//	            onednn-u8s8     dnnl_gemm_u8s8s32
//
// [Open] opens a library, whose method New prepares a weight for one of its schemes;
// [Available] says what there is on this machine and why the rest is missing. A
// [Multiplier] is a kernels.Multiplier whose MulTo ends in the library's call; its
// method Call is that call and nothing else.
//
// # Where a library is looked for
//
// The environment variable GOPHERSCOPE_ACCELERATE, GOPHERSCOPE_OPENBLAS or
// GOPHERSCOPE_ONEDNN, if set, names the file. Otherwise the library is looked for in
// lib of $CONDA_PREFIX, by its versioned names on the system's path, and where
// Homebrew puts it. Debian has the packages libopenblas0-pthread and libdnnl2;
// Accelerate is part of macOS. Nothing is loaded until a program asks for it, and
// nothing is ever unloaded.
//
// A file is refused, with the reason, when it cannot be loaded, lacks a function, is
// built for 64-bit integers, or gives wrong products: before first use every scheme
// multiplies matrices of odd sizes, with and without gaps between the rows. A library
// that ends the process cannot be refused in it, so a program may try each file in
// another process first: see [TryFirst]. This package starts none.
//
// # Threads
//
// A library reads its number of threads from the environment when it is loaded, once
// for the life of the process. Opening sets the variables (OPENBLAS_NUM_THREADS,
// OMP_NUM_THREADS, VECLIB_MAXIMUM_THREADS) to what [SetThreads] says, and
// Library.Threads is what the library made of them. It also sets
// OPENBLAS_THREAD_TIMEOUT to 20, unless that is set: by default the threads of OpenBLAS
// keep processors busy for tens of milliseconds after a call. A library with several threads
// has one caller at a time, the others wait; one with a single thread has as many as
// GOMAXPROCS was when it was opened.
//
// # Cost
//
// A call cannot be interrupted, and from Go costs about half a microsecond more than
// from C. The activations of the schemes in int8 and bfloat16 are converted by loops
// in Go, inside MulTo, as a caller with float32 activations would have to.
//
// # Non-finite values
//
// The schemes in float32 and bfloat16 follow IEEE arithmetic as far as the library
// does: a NaN in a row of x makes that row of y NaN, an infinity makes it infinite or
// NaN. Those in int8 refuse a weight that is not finite, and give a row of NaN for a
// row of x that is not.
//
// With the build tag noaccel, and on systems other than Linux, macOS and Windows,
// every library is missing.
package accel
