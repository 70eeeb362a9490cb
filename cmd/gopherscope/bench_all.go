package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlx-go/gopherscope/internal/atomicfile"
	"github.com/rlx-go/gopherscope/opscope"
)

// add defines the flags of "report" and "bench all".
func (f *reportFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.threads, "threads", 1, "threads of each product, but for what threads add, which is measured with 1 and all")
	flags.Uint64Var(&f.seed, "seed", 0, "the seed of the matrices, but for the matrix unit and the layers")
	flags.Float64Var(&f.maxError, "error", opscope.DefaultError, "the largest relative L2 `ERROR` that a recommendation may have, such as 0.02 for 2%")
	flags.BoolVar(&f.quick, "quick", false, "smaller shapes and shorter rounds: to see what there is, not for figures")
	flags.StringVar(&f.json, "json", "", "also write the results to `FILE` as JSON, as docs/report.schema.json says")
}

// writeJSON writes the results, if that was asked for.
func (f *reportFlags) writeJSON(r *reportResult) error {
	if f.json == "" {
		return nil
	}
	var text bytes.Buffer
	if err := printJSON(&text, r); err != nil {
		return err
	}
	if err := atomicfile.Write(f.json, text.Bytes()); err != nil {
		return fmt.Errorf("--json %s: %w", f.json, err)
	}
	return nil
}

func benchAll(stdout, stderr *os.File) *cobra.Command {
	f := reportFlags{gated: true}
	cmd := &cobra.Command{
		Use:   "all",
		Short: "Print all experiments; of the quantized schemes only those that are recommended",
		Long: `All makes every experiment in turn and prints its tables and its verdict as soon as it
is done:

  structure     what the probes recommend for sparse, low-rank and other matrices,
                and the time of the kernel for it; where nothing is recommended
                nothing is timed
  sparse        from which density of the activations on skipping zeros pays
  low rank      which rank a weight needs, and whether its factors are faster
  quantization  speed and precision of the schemes that are recommended within the
                error allowed; of the others it says why not
  matrix unit   the platform's own libraries, int8 against float32, and threads
  cache         from which size of a model on fewer bytes are more speed, of the
                same schemes
  layers        how the error of a product grows over the layers of a transformer

and at the end what to do on this machine. Every sentence that states a result is
chosen by the figures. It takes about 5 minutes on 2 cores, half a minute with
--quick. Leave the machine alone meanwhile.

Ctrl-C ends the run; what was printed stays, and no file is written.

Exit status: 0 when everything was measured, 2 when the command line is wrong, 1
otherwise.`,
		Example: `  gopherscope bench all
  gopherscope bench all --quick
  gopherscope bench all --error 0.15 --json all.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.printAll(cmd.Context(), stdout, stderr) },
	}
	f.add(cmd)
	return cmd
}

func (f *reportFlags) printAll(ctx context.Context, stdout, stderr *os.File) error {
	if err := f.check(); err != nil {
		return err
	}
	defer secondInterruptKills(ctx)()
	r, err := measureReport(ctx, f, stderr, func(name, text string) error {
		_, err := fmt.Fprintf(stdout, "%s\n%s\n\n%s\n", strings.ToUpper(name), strings.Repeat("=", len(name)), text)
		return writeError(err)
	})
	if err != nil {
		return err
	}
	const title = "WHAT TO DO HERE"
	text := fmt.Sprintf("%s\n%s\n\n", title, strings.Repeat("=", len(title)))
	for _, row := range guide(r) {
		text += fmt.Sprintf("%s: %s. %s\n", row.when, row.do, row.why)
	}
	text += "\nCAVEATS\n=======\n\n"
	for _, caveat := range caveats(r) {
		text += "- " + caveat + "\n"
	}
	if _, err := fmt.Fprint(stdout, text); err != nil {
		return writeError(err)
	}
	return f.writeJSON(r)
}
