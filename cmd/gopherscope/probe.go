package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlx-go/gopherscope/opscope"
)

// probeCommand is the verb that probes the matrices of model files.
func probeCommand(stdout, stderr *os.File) *cobra.Command {
	p := probeRun{stdout: stdout, stderr: stderr}
	cmd := &cobra.Command{
		Use:   "probe [PATH...]",
		Short: "Find out which weights are sparse, low-rank or quantizable, and what that saves here",
		Long: `Probe reads the matrices of models, measures their structure and recommends for
each the cheapest way to store and multiply by it within an error budget. It needs
a PATH, or the results of an earlier run with --from. A PATH is a safetensors, GGUF,
NPY or .tensor file; the index of a sharded model (*.safetensors.index.json) or the
first part of a split GGUF, for all of its parts; or a folder that holds one model.
A matrix larger than --mem is streamed.

A weight is W[k,n] = [in, out] of y = x W, whatever the order in the file. The error
is the relative L2 error |W' - W| / |W| of the weight, not of the model.

Columns, largest tensor first:
  tensor    the name, with [e] for expert e of a stack
  dtype     in the file; all savings are counted from it
  k x n     input and output channels. A convolution [o, i, kh, kw] is
            k = i*kh*kw, n = o
  bytes     in the file
  int8      error of 8 bits with a scale for each output channel
  int4 g32  error of 4 bits with a scale for each 32 inputs of an output channel.
            Gaussian weights have 0.097
  2:4       error of keeping the 2 largest of each 4 inputs. Gaussian: 0.364
  zeros     values that are exactly zero
  rank 10%  the rank that a low-rank product needs for an error of 10%, in percent
            of the break-even rank kn/(k+n): it pays below 100%. > says that the
            sketch of the singular values tells only that it is more
  outl.     outlier channels, input + output: those whose largest magnitude is more
            than 6 times that of the median channel
  action    the recommended one
  error     its error
  after     its bytes, with scales and indices
  smaller   bytes over after
  x m=1     how many times faster it is than the weight as stored is here, for one
  x m=32    row of x and for 32. "none": there is no kernel for it. "-": not known

Actions:
  keep dense                 as it is
  bf16                       rounded to bfloat16
  int8 per channel           8 bits, a scale for each output channel (W8A16)
  int4 group 32, group 128   4 bits, a scale for so many inputs (W4A16)
  low-rank factored          two factors; only if the truncation error, not the
                             stable rank, says so
  2:4 sparse                 2 of each 4 consecutive inputs
  ternary                    -1, 0 or 1 and one scale
  lookup table               an index for each weight, if it has few values
  skip zeros                 for activations with many zeros

Then come the same by kind, which is the name with its numbers replaced by *; the
totals; what was not probed, its share and why; tensors with the same bytes, which
are counted once; the layouts taken, and why; and what else to know of a tensor.

Times are from a calibration of the kernels of this machine, which takes about 20
seconds the first time and is kept; one that other programs disturbed is made again
after an hour, and the report says so. --no-time leaves it and the times out.

--target-size and --target-bpw choose an action for each matrix so that the model
has that size: first where a byte saves the most squared error, weighted by the
number of values; for up to 256 matrices a better plan is then searched for. "Error"
is the root of the mean of it, and the most that any better plan could gain is printed.

For models of any size: --shard i/n probes one of n parts of about the same work,
so that the tasks of a job array or GNU parallel share a model. Each prints its
JSON lines; put together, in any order, they are those of one run. --from reads
such lines: alone it prints the report of them, with another budget if you like,
without reading a weight; with PATHs it is what need not be probed again, so that
a run that was stopped goes on.

Ctrl-C, and SIGTERM, stop within a second and print the report of what was probed.
docs/probe.md has more, and docs/probe.schema.json describes the JSON lines.

Exit status: 0 when everything was probed or skipped for a reason, 2 when the command
line is wrong, 1 otherwise.`,
		Example: `  gopherscope probe model.safetensors
  gopherscope probe models/llama-8b/ --budget 0.1 --html llama.html
  gopherscope probe models/llama-8b/ --target-bpw 4.5
  gopherscope probe gpt2.safetensors --layout in,out --include '*.attn.*,*.mlp.*'
  gopherscope probe activations.npy --role activation

  # a job array: 32 tasks, then the report of all
  sbatch --array=0-31 --wrap 'gopherscope probe llama-70b/ --json --no-time \
      --shard $SLURM_ARRAY_TASK_ID/32 > part-$SLURM_ARRAY_TASK_ID.jsonl'
  cat part-*.jsonl > all.jsonl
  gopherscope probe --from all.jsonl --target-size 40GB --html llama-70b.html

  # go on after an interruption
  gopherscope probe llama-8b/ --json --from done.jsonl >> done.jsonl

  gopherscope probe model.gguf --json | jq -r 'select(.status == "probed") |
      [.tensor, .choices[0].action, .choices[0].error] | @tsv'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			p.sizeGiven, p.bpwGiven = cmd.Flags().Changed("target-size"), cmd.Flags().Changed("target-bpw")
			return p.run(cmd.Context(), args)
		},
	}
	p.flags.register(cmd)
	p.flags.registerStack(cmd)
	f := cmd.Flags()
	f.Float64Var(&p.budget, "budget", opscope.DefaultError, "the largest `ERROR` that a recommended action may have, such as 0.02 for 2%")
	f.StringVar(&p.targetSize, "target-size", "", "plan for a model of this `SIZE`, such as 3.5GB")
	f.Float64Var(&p.targetBPW, "target-bpw", 0, "plan for this many `BITS` a weight")
	f.StringVar(&p.role, "role", string(opscope.Weight), "what the matrices are: `weight|activation`; an activation is [tokens, channels]")
	f.StringVar(&p.extra, "extra", "", "more probes: `NAME,...` of "+strings.Join(extraNames(), ", ")+", or all")
	f.IntVar(&p.sketch, "sketch", 0, fmt.Sprintf("look for `N` singular values in a matrix with more than %d on its smaller side (default %d)", opscope.ExactSide, opscope.DefaultSketch))
	f.StringVar(&p.memory, "mem", "256MiB", "the most memory for values, as a `SIZE`")
	f.StringVar(&p.shard, "shard", "", "probe only part `I/N` of the matrices, I from 0 to N-1")
	f.StringArrayVar(&p.from, "from", nil, "take what the JSON lines of this `FILE` have, and do not probe it again; can be repeated")
	f.BoolVar(&p.noTime, "no-time", false, "do not calibrate, and give no times")
	f.BoolVar(&p.json, "json", false, "print one JSON object a matrix as soon as it is probed, in place of the report")
	f.BoolVar(&p.csv, "csv", false, "print comma-separated values in place of the report")
	f.StringVar(&p.html, "html", "", "write a page with charts to `FILE` besides")
	f.StringSliceVar(&p.spectra, "spectra", nil, "the matrices whose singular values the page shows: `GLOB,...` (default: the largest of each kind)")
	return cmd
}

// probeRun is one invocation of the verb.
type probeRun struct {
	stdout, stderr          *os.File
	flags                   modelFlags
	budget, targetBPW       float64
	sizeGiven, bpwGiven     bool // whether there is a target
	targetSize, role, extra string
	memory, shard, html     string
	from, spectra           []string
	sketch                  int
	noTime, json, csv       bool

	options     opscope.Options // for every matrix, but for its name and layout
	target      opscope.SizeBudget
	showSpectra []*regexp.Regexp     // of the tensors that --spectra names
	calibration *opscope.Calibration // nil if there are no times
	workingSet  int64                // bytes of the models
}

// check reads the flags.
func (p *probeRun) check(paths []string) error {
	var err error
	switch {
	case len(paths) == 0 && len(p.from) == 0:
		return errors.New("no PATH: name a model file or folder, or results with --from; see gopherscope probe --help")
	case !(p.budget > 0 && p.budget < 1):
		return fmt.Errorf("--budget %v: want an error above 0 and below 1, such as 0.02 for 2%%", p.budget)
	case p.bpwGiven && !(p.targetBPW > 0 && p.targetBPW <= 64):
		return fmt.Errorf("--target-bpw %v: want bits above 0 and at most 64", p.targetBPW)
	case p.bpwGiven && p.sizeGiven:
		return errors.New("--target-size and --target-bpw: give one of them")
	case p.json && p.csv:
		return errors.New("--json and --csv: give one of them")
	case p.sketch < 0:
		return fmt.Errorf("--sketch %d: want a number of at least 0", p.sketch)
	}
	planned := p.bpwGiven || p.sizeGiven
	switch {
	case planned && p.shard != "":
		return errors.New("--target-size and --target-bpw need all matrices: probe the shards with --json, and plan with --from")
	case planned && p.json:
		return errors.New("--target-size and --target-bpw have no JSON lines, which are printed before all is probed: plan with --from")
	case planned && p.role == string(opscope.Activation):
		return errors.New("--target-size and --target-bpw are for weights, not for activations")
	}
	p.options = opscope.Options{Role: opscope.Role(p.role), Budget: p.budget, Sketch: p.sketch}
	if p.options.Role != opscope.Weight && p.options.Role != opscope.Activation {
		return fmt.Errorf("--role: %q is not weight or activation", p.role)
	}
	p.target.BitsPerWeight = p.targetBPW
	if p.sizeGiven {
		if p.target.Bytes, err = parseSize(p.targetSize); err != nil {
			return fmt.Errorf("--target-size: %w", err)
		}
	}
	if p.options.Memory, err = parseSize(p.memory); err != nil {
		return fmt.Errorf("--mem: %w", err)
	}
	if p.options.Extra, err = parseExtras(p.extra); err != nil {
		return err
	}
	if p.showSpectra, err = compileGlobs("--spectra", p.spectra); err != nil {
		return err
	}
	if len(p.spectra) > 0 && p.html == "" {
		return errors.New("--spectra chooses what --html shows: give both")
	}
	return nil
}
