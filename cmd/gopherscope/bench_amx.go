package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlx-go/gopherscope/internal/atomicfile"
	"github.com/rlx-go/gopherscope/opscope/experiment"
)

// amxBench is one invocation of "bench amx".
type amxBench struct {
	stdout                         *os.File
	stderr                         io.Writer
	threads, shapes, m, chart, out string
	rounds                         int
	json, markdown                 bool
}

func benchAMX(stdout, stderr *os.File) *cobra.Command {
	b := amxBench{stdout: stdout, stderr: stderr}
	cmd := &cobra.Command{
		Use:   "amx",
		Short: "Compare the kernels with the platform's matrix unit, and int8 with float32",
		Long: `Amx asks whether this machine has a matrix unit (Apple's AMX or SME through
Accelerate, Intel's AMX tiles through oneDNN) that beats the kernels of this
program, and from how many rows of x on a product in int8 beats one in float32.

It times y[m,n] = x[m,k] W[k,n] by our f32 and w8a8 and by every library that
"gopherscope cpu --accel" shows, the library's call alone; names that end in
-whole begin with float32 activations. Then it prints the times, the crossovers,
what threads add, and a verdict computed from these figures. Where there is no
library it says how to get one and compares the tiers of this program.

Each number of threads is measured in a process of its own, since a library
reads its number once. A run takes about a minute. Leave the machine alone
meanwhile.

Exit status: 0 when everything was measured, also where there is no library; 2 when
the command line is wrong; 1 otherwise.`,
		Example: `  gopherscope bench amx
  gopherscope bench amx --markdown --out amx.md --chart amx.png
  gopherscope bench amx --threads 1 --shapes 4096x4096 --m 1,8,64
  gopherscope bench amx --json > amx.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&b.threads, "threads", "", "the numbers of threads `N,...`, by default 1 and all")
	f.StringVar(&b.shapes, "shapes", "", "the weights `KxN,...` in place of 1024x1024,1024x3072,3072x1024")
	f.StringVar(&b.m, "m", "", "the numbers of rows of x `M,...` in place of 1,4,16,32,64,128,512")
	f.IntVar(&b.rounds, "rounds", 7, "rounds of each function, at least 3")
	f.BoolVar(&b.json, "json", false, "print the figures as one JSON object, {runs}")
	f.BoolVar(&b.markdown, "markdown", false, "print Markdown")
	f.StringVar(&b.chart, "chart", "", "also write the chart to `FILE`, .png, .svg or .html")
	f.StringVar(&b.out, "out", "", "write what would be printed to `FILE`")
	return cmd
}

func (b *amxBench) run(ctx context.Context) error {
	options, threads, err := b.options()
	if err != nil {
		return asUsage(err)
	}
	if err := errors.Join(canWrite("--out", b.out), canWrite("--chart", b.chart)); err != nil {
		return err
	}
	if ext := strings.ToLower(filepath.Ext(b.chart)); b.chart != "" && !slices.Contains([]string{".png", ".svg", ".html"}, ext) {
		return asUsage(fmt.Errorf("--chart %s: the extension %q is not .png, .svg or .html", b.chart, ext))
	}
	defer secondInterruptKills(ctx)()
	var result experiment.MatrixUnitResult
	for _, n := range threads {
		measure := b.measureInChild
		if len(threads) == 1 {
			measure = b.measure
		}
		one, err := measure(ctx, options, n)
		if err != nil {
			return interrupted(ctx, err)
		}
		if result, err = result.Merge(one); err != nil {
			return err
		}
	}
	return b.report(result)
}

// options reads the flags.
func (b *amxBench) options() (o experiment.MatrixUnitOptions, threads []int, err error) {
	cores := runtime.NumCPU()
	switch {
	case b.rounds < 3:
		return o, nil, fmt.Errorf("--rounds %d: want at least 3", b.rounds)
	case b.json && b.markdown:
		return o, nil, errors.New("--json and --markdown: want one of them")
	}
	o.Rounds = b.rounds
	threads = []int{1}
	if cores > 1 {
		threads = append(threads, cores)
	}
	if b.threads != "" {
		if threads, err = ascending("--threads", b.threads, cores); err != nil {
			return o, nil, err
		}
	}
	if b.m != "" {
		if o.M, err = ascending("--m", b.m, maxDimension); err != nil {
			return o, nil, err
		}
	}
	if b.shapes != "" {
		for text := range strings.SplitSeq(b.shapes, ",") {
			s, err := parseShape("1x" + strings.TrimSpace(text))
			if err != nil {
				return o, nil, fmt.Errorf("--shapes: %q is not KxN with numbers from 1 to %d", text, maxDimension)
			}
			o.Shapes = append(o.Shapes, experiment.WeightShape{K: s.k, N: s.n})
		}
	}
	return o, threads, nil
}

// ascending reads a list of different numbers in ascending order.
func ascending(flag, list string, largest int) ([]int, error) {
	var numbers []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 || n > largest || (numbers != nil && n <= numbers[len(numbers)-1]) {
			return nil, fmt.Errorf("%s %s: want numbers from 1 to %d in ascending order", flag, list, largest)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// measure measures in this process.
func (b *amxBench) measure(ctx context.Context, o experiment.MatrixUnitOptions, threads int) (experiment.MatrixUnitResult, error) {
	chooseByProcessor()
	o.Threads = threads
	o.Progress = func(done, of, m int, s experiment.WeightShape) {
		fmt.Fprintf(b.stderr, "threads %d: measuring m=%d, W %v (%d of %d)\n", threads, m, s, done+1, of)
	}
	return experiment.MatrixUnit(ctx, o)
}

// measureInChild measures in a process of its own.
func (b *amxBench) measureInChild(ctx context.Context, _ experiment.MatrixUnitOptions, threads int) (result experiment.MatrixUnitResult, err error) {
	program, err := os.Executable()
	if err != nil {
		return result, err
	}
	args := []string{"bench", "amx", "--json", "--threads", strconv.Itoa(threads), "--rounds", strconv.Itoa(b.rounds)}
	if b.shapes != "" {
		args = append(args, "--shapes", b.shapes)
	}
	if b.m != "" {
		args = append(args, "--m", b.m)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, b.stderr
	if err := cmd.Run(); err != nil {
		return result, fmt.Errorf("the process for threads: %d: %w", threads, err)
	}
	if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
		return result, fmt.Errorf("the process for threads: %d: %w", threads, err)
	}
	return result, nil
}

// report prints the result or writes it to a file.
func (b *amxBench) report(result experiment.MatrixUnitResult) error {
	if b.chart != "" {
		figure, err := result.Figure()
		if err == nil {
			err = figure.Save(b.chart)
		}
		if err != nil {
			return fmt.Errorf("--chart %s: %w", b.chart, err)
		}
	}
	var text bytes.Buffer
	switch {
	case b.json:
		if err := printJSON(&text, result); err != nil {
			return err
		}
	case b.markdown:
		text.WriteString(result.Markdown())
	default:
		fmt.Fprintln(&text, result.Table())
		fmt.Fprintln(&text, result.Rates())
		fmt.Fprintln(&text, result.CrossoverTable())
		if threading := result.ThreadingTable(); len(threading.Rows) > 0 {
			fmt.Fprintln(&text, threading)
		}
		fmt.Fprintln(&text, result.Verdict())
	}
	if b.out != "" {
		return atomicfile.Write(b.out, text.Bytes())
	}
	_, err := b.stdout.Write(text.Bytes())
	return err
}
