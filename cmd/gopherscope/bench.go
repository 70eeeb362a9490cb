package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// benchCommand is the verb that measures speed.
func benchCommand(stdout, stderr *os.File) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the speed of the kernels on this machine",
		Long: `Bench measures on this machine, with one of three commands:

  kernels   the time of y = x W by every scheme, beside what the machine allows. The
            place to begin
  amx       our kernels beside the libraries that use the platform's matrix unit
  all       all experiments, and at the end what to do on this machine

A scheme is a way to store the weight W and to multiply by it, such as f32 or w8a16;
"gopherscope bench kernels --help" describes them.`,
		Example: `  gopherscope bench kernels
  gopherscope bench amx
  gopherscope bench all --quick`,
	}
	cmd.AddCommand(benchAll(stdout, stderr), benchKernels(stdout, stderr), benchAMX(stdout, stderr))
	return cmd
}

// minBenchRounds is the least number of rounds whose fastest can be repeated.
const minBenchRounds = 7

// kernelsBench is one invocation of "bench kernels".
type kernelsBench struct {
	stdout, stderr           *os.File
	shapes, schemes          string
	threads, rounds          int
	peers, cold, json, fresh bool
}

func benchKernels(stdout, stderr *os.File) *cobra.Command {
	b := kernelsBench{stdout: stdout, stderr: stderr}
	cmd := &cobra.Command{
		Use:   "kernels",
		Short: "Time every scheme against f32, against the machine's limits, and against other libraries",
		Long: `Kernels times y[m,n] = x[m,k] W[k,n] for each shape and each scheme of package
kernels: W is prepared once and then multiplied by again and again.

Schemes:
  f32        float32; always measured, since the others are compared with it
  bf16       W in bfloat16, and x too where the processor has the instruction
  w8a16      W in int8 with a scale for each output channel, x in float32
  w8a8       W and x in int8; quantizing x is part of the time
  w8a8-q     the same, x having been quantized before
  w4a16      W in 4 bits with a scale for each group of 32 inputs, x in float32
  lowrank    W as two factors of rank 8; W is a weight that has this rank
  skipzeros  float32, skipping the zeros of x; 90% of x are zeros
  ref        the plain loop over float32 that the others are tested against
With --peers also, where the libraries can be opened:
  accelerate-f32  cblas_sgemm of Apple's Accelerate, and for m=1 cblas_sgemv
  bnns-f32        BNNSMatMul of Accelerate
  bnns-i8         BNNSFilterApplyBatch of a quantized fully connected layer
  openblas-f32    cblas_sgemm of OpenBLAS, and for m=1 cblas_sgemv
  onednn-f32      dnnl_sgemm
  onednn-bf16     dnnl_gemm_bf16bf16f32
  onednn-s8s8     dnnl_gemm_s8s8s32, the counterpart of w8a8-q
  onednn-u8s8     dnnl_gemm_u8s8s32, the same with unsigned activations
  gonum-f32       gonum's Sgemm, and for m=1 Sgemv
A row of a library is its call alone, and about half a microsecond to make it
from Go; int8 and bfloat16 activations are made before.

All functions of a shape take turns, the machine's limits among them, in rounds
of calls back to back for at least 20 ms. The time is that of a call in the
fastest round. With --cold, shapes with m=1 whose float32 weight is larger than
the last-level cache are measured again with calls that find the caches full of
other data.

Columns:
  Gop/s      1e9 operations a second, two for each multiply-add that the scheme
             makes: GFLOP/s, or for int8 GOP/s. lowrank and skipzeros make fewer
             than the others.
  GB/s       bytes of the prepared weight that a call reads over the time
  of roof    Gop/s in percent of what the machine allows: the peak of the
             scheme's arithmetic or, if that is lower, the bandwidth of reading
             as many bytes again and again, or for cold calls once. The peak
             of w8a16 is a third of int8's, since an activation at the precision
             of float32 is three bytes, that of w4a16 half of it, with
             activations of 16 bits; or that of f32 if it is higher.
  x f32      how many times faster than f32
  error      relative L2 error against the float64 product of x and the W that
             was given, so that the quantization of W is part of it

The shapes by default are those of transformer layers at one row, as in
decoding, and at 32, as in a prompt, and larger ones. Of these, lowrank and skipzeros
are measured at 64x512x512 alone; of the shapes that --shapes names, at all. For
more about the limits of the machine see "go doc github.com/rlx-go/gopherscope/opscope/bench Limits".

Other programs that run at the same time spoil the figures; more rounds, as
--rounds 31, find undisturbed ones. A note names rows that are far above their roof,
whose limits were disturbed. Ctrl-C ends the run with the shapes measured so far.

Exit status: 0 when everything was measured, 2 when the command line is wrong, 1
otherwise.`,
		Example: `  gopherscope bench kernels
  gopherscope bench kernels --shapes 1x4096x4096,8x4096x4096 --schemes w8a16,w4a16
  gopherscope bench kernels --peers --cold --threads 1 --json > kernels.json
  GOPHERSCOPE_CPU=avx2 gopherscope bench kernels --shapes 32x1024x1024
  gopherscope bench kernels --json | jq -r '.rows[] | [.scheme, .m, .k, .n, .ns, .roof] | @tsv'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&b.shapes, "shapes", "", "the shapes `MxKxN,...` in place of the default ones")
	f.StringVar(&b.schemes, "schemes", "", "the schemes `NAME,...` in place of all")
	f.IntVar(&b.threads, "threads", 1, "threads of each product, of the limits and of the other libraries")
	f.IntVar(&b.rounds, "rounds", 11, fmt.Sprintf("rounds of each function, at least %d", minBenchRounds))
	f.BoolVar(&b.peers, "peers", false, "measure Accelerate, OpenBLAS, oneDNN and gonum too")
	f.BoolVar(&b.cold, "cold", false, "also measure calls whose weight is not in a cache")
	f.BoolVar(&b.json, "json", false, "print one JSON object, {machine, rows}, when all is measured")
	f.BoolVar(&b.fresh, "fresh", false, "measure all limits of the machine anew, in place of those kept from before")
	return cmd
}

func (b *kernelsBench) run(ctx context.Context) error {
	cases, err := b.cases()
	if err != nil {
		return asUsage(err)
	}
	defer secondInterruptKills(ctx)()
	// gonum uses as many threads as Go does.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(b.threads))
	kernels.SetThreads(b.threads)
	defer kernels.SetThreads(0)

	report := benchReport{json: b.json, stdout: b.stdout, stderr: b.stderr}
	peers := openPeers(cases.schemes, b.threads)
	for _, note := range peers.notes {
		report.note(note)
	}
	if report.limits, err = bench.Limits(ctx, bench.LimitOptions{Threads: b.threads, Fresh: b.fresh}); err != nil {
		return interrupted(ctx, err)
	}
	progress := newBenchProgress(b.stderr, len(cases.shapes))
	for _, shape := range cases.shapes {
		progress.start(shape)
		var result shapeResult
		result, err = b.measure(ctx, cases.of(shape), peers, progress)
		progress.stop()
		if err != nil {
			break
		}
		report.add(result)
	}
	return errors.Join(interrupted(ctx, err), report.end())
}
