package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"
)

// diffCommand is the verb that compares two checkpoints.
func diffCommand(stdout, stderr *os.File) *cobra.Command {
	d := checkpointDiff{stdout: stdout, stderr: stderr}
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two checkpoints tensor by tensor",
		Long: `Diff reads the tensors that A and B both have, by name, and says how far B is
from A: a model and its quantized copy, two steps of a training, a conversion and
what it was made from. The formats and dtypes may differ; values are compared as
float32. A and B are files, indices of sharded models or folders, as for ls.

Columns, largest error first:
  tensor     the name, with [e] for expert e of a stack
  dtype      the types of the values in A and B
  changed    values that differ, in percent
  max        the largest |b - a|, and its row and column as the matrix is stored; of a
             vector the index, and 0
  rms        the root of the mean of (b - a)², in the unit of the values
  error      relative L2 error |B - A| / |A|
  SQNR       signal to quantization noise, -20 log10(error), in decibels; a
             tensor in int8 with a scale for each channel has about 42, in 4 bits
             with a scale for each 32 values about 20

Where a value is infinite or no number in one of them and not the same in the
other, there is no error, and their number and the first place are given; where
both have the same, the value counts as equal, and not in |A|.

Then it tells which tensors are equal, which only one of the two has, and which
could not be compared, and why. A stack of experts is compared one by one, a tensor
that ls does not see as a matrix as one column; of a tensor whose dtype is not
decoded only the bytes are. With --max-error it is a check for a script.
Ctrl-C prints what was compared until then.

Exit status: 0 when all that both have was compared, and with --max-error also
none was above it and neither has a tensor that the other lacks; 2 when the
command line is wrong; 1 otherwise.`,
		Example: `  gopherscope diff base/ finetuned/
  gopherscope diff model.safetensors model-q8.gguf --include '*.attn_*'
  gopherscope diff old.safetensors new.safetensors --max-error 1e-6 && echo same
  gopherscope diff base/ tuned/ --json | jq -r 'select(.error > 0.01) | .tensor'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("want two files or folders, A and B, got %d; see gopherscope diff --help", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd.Context(), args[0], args[1]) },
	}
	d.flags.registerGlobs(cmd)
	d.flags.registerStack(cmd)
	cmd.Flags().Float64Var(&d.maxError, "max-error", math.Inf(1), "fail if the relative `ERROR` of a tensor is above this (default: whatever it is)")
	cmd.Flags().Lookup("max-error").DefValue = "0" // for the help to say no other default
	cmd.Flags().BoolVar(&d.json, "json", false, "print one JSON object a tensor, as they are compared, in place of the table")
	return cmd
}

// checkpointDiff is one invocation of the verb.
type checkpointDiff struct {
	stdout, stderr *os.File
	flags          modelFlags
	maxError       float64
	json           bool
}

func (d *checkpointDiff) run(ctx context.Context, a, b string) error {
	if !(d.maxError >= 0) {
		return asUsage(fmt.Errorf("--max-error %v: want a number of at least 0", d.maxError))
	}
	reader, err := d.flags.reader()
	if err != nil {
		return asUsage(err)
	}
	models, err := reader.open(ctx, []string{a, b})
	if err != nil {
		return err
	}
	defer closeModels(models)
	if len(models) != 2 {
		return asUsage(fmt.Errorf("%d models are named, want two", len(models)))
	}
	pairs := pairTensors(models[0], models[1])
	defer secondInterruptKills(ctx)()

	var done []tensorDiff
	bar := newByteProgress(d.stderr, "comparing", pairs.bytes())
	for _, pair := range pairs.both {
		var result tensorDiff
		result, err = abandonable(ctx, func() (tensorDiff, error) { return pair.compare(ctx, bar) })
		if err != nil {
			break
		}
		done = append(done, result)
		if d.json {
			if err = writeError(printJSON(d.stdout, result)); err != nil {
				break
			}
		}
	}
	for i := 0; err == nil && i < len(pairs.encoded); i++ {
		var result tensorDiff
		result, err = abandonable(ctx, func() (tensorDiff, error) { return pairs.encoded[i].compare(ctx) })
		switch {
		case err != nil:
		case result.NotCompared != "":
			pairs.incomparable = append(pairs.incomparable, result)
		default:
			pairs.equalEncoded++
		}
	}
	bar.clear()
	failure := interrupted(ctx, err)
	if d.json {
		for _, one := range pairs.notCompared() {
			if err := printJSON(d.stdout, one); err != nil {
				return errors.Join(failure, writeError(err))
			}
		}
	} else {
		failure = errors.Join(failure, writeError(d.print(done, pairs)))
	}
	return errors.Join(failure, d.verdict(done, pairs))
}
