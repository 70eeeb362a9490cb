package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/experiment"
)

// reportFormat is the version of docs/report.schema.json.
const reportFormat = 1

// A reportResult is what "report" and "bench all" measure. An experiment that was not
// made is nil.
type reportResult struct {
	Format           int                                `json:"format"`
	Provenance       provenance                         `json:"provenance"`
	Features         []schemeImpls                      `json:"features"`
	Structure        *experiment.StructureResult        `json:"structure,omitempty"`
	Sparse           *experiment.SparseResult           `json:"sparse,omitempty"`
	LowRank          []experiment.LowRankResult         `json:"low_rank,omitempty"`
	Quantization     *experiment.QuantizationResult     `json:"quantization,omitempty"`
	NotTimed         []notTimed                         `json:"not_timed,omitempty"`
	MatrixUnit       *experiment.MatrixUnitResult       `json:"matrix_unit,omitempty"`
	CacheVsDRAM      *experiment.CacheVsDRAMResult      `json:"cache_vs_dram,omitempty"`
	ErrorCompounding *experiment.ErrorCompoundingResult `json:"error_compounding,omitempty"`
}

// notTimed is a scheme that is not recommended.
type notTimed struct {
	Scheme string `json:"scheme"`
	Reason string `json:"reason"`
}

// reportFlags are those of "report" and "bench all" alike.
type reportFlags struct {
	threads  int
	seed     uint64
	maxError float64
	quick    bool
	json     string
	// gated times only the schemes that are recommended.
	gated bool
}

func (f *reportFlags) check() error {
	if cores := runtime.NumCPU(); f.threads < 1 || f.threads > cores {
		return asUsage(fmt.Errorf("--threads %d: want 1 to %d, the number of cores", f.threads, cores))
	}
	if !(f.maxError > 0 && f.maxError < 1) {
		return asUsage(fmt.Errorf("--error %v: want a number between 0 and 1", f.maxError))
	}
	return canWrite("--json", f.json)
}

// A reportStep is one experiment of a report.
type reportStep struct {
	name    string
	seconds float64 // about what it takes of all
	run     func(ctx context.Context, r *reportResult, progress func(done, of int)) error
	// show returns the tables and the verdict.
	show func(r *reportResult) string
}

// steps lists the experiments in the order of the report, with what they need
// before those that need it.
func (f *reportFlags) steps() []reportStep {
	var calibration *opscope.Calibration
	return []reportStep{
		{"calibration of the recommendations", 25, func(ctx context.Context, _ *reportResult, progress func(done, of int)) (err error) {
			if f.quick {
				return nil // recommendations do without
			}
			defer withThreads(f.threads)()
			calibration, err = opscope.Calibrate(ctx, opscope.CalibrateOptions{Progress: progress})
			return err
		}, func(*reportResult) string { return "" }},
		{"structure: what the probes recommend", 12, func(ctx context.Context, r *reportResult, progress func(done, of int)) error {
			result, err := experiment.Structure(ctx, experiment.StructureOptions{
				Threads: f.threads, Seed: f.seed, MaxError: f.maxError, Quick: f.quick, Calibration: calibration, Progress: progress,
			})
			r.Structure = &result
			return err
		}, func(r *reportResult) string { return tablesAndVerdict(r.Structure.Verdict(), r.Structure.Table()) }},
		{"sparse activations", 8, func(ctx context.Context, r *reportResult, progress func(done, of int)) error {
			result, err := experiment.Sparse(ctx, experiment.SparseOptions{
				Threads: f.threads, Seed: f.seed, Quick: f.quick, Calibration: calibration, Progress: progress,
			})
			r.Sparse = &result
			return err
		}, func(r *reportResult) string { return tablesAndVerdict(r.Sparse.Verdict(), r.Sparse.Table()) }},
		{"low-rank weights", 20, func(ctx context.Context, r *reportResult, progress func(done, of int)) error {
			dists := []opscope.Dist{opscope.LowRank, opscope.Gaussian}
			for i, dist := range dists {
				result, err := experiment.LowRank(ctx, experiment.LowRankOptions{
					Threads: f.threads, Seed: f.seed, Dist: dist, MaxError: f.maxError, Quick: f.quick,
					Progress: func(done, of int) { progress(i*of+done, len(dists)*of) },
				})
				if err != nil {
					return err
				}
				r.LowRank = append(r.LowRank, result)
			}
			return nil
		}, func(r *reportResult) string {
			var parts []string
			for _, one := range r.LowRank {
				parts = append(parts, tablesAndVerdict(one.Verdict(), one.Table()))
			}
			return strings.Join(parts, "\n")
		}},
		{"quantization: speed and precision", 40, f.quantization, func(r *reportResult) string {
			text := tablesAndVerdict(r.Quantization.Verdict(), r.Quantization.Table(), r.Quantization.ErrorTable(), r.Quantization.OutlierTable())
			for _, n := range r.NotTimed {
				text += fmt.Sprintf("%s is not timed: %s.\n", n.Scheme, n.Reason)
			}
			return text
		}},
		{"matrix unit and threads", 80, f.matrixUnit, func(r *reportResult) string {
			m := r.MatrixUnit
			return tablesAndVerdict(m.Verdict(), m.Table(), m.Rates(), m.CrossoverTable(), m.ThreadingTable())
		}},
		{"cache against DRAM", 60, func(ctx context.Context, r *reportResult, progress func(done, of int)) error {
			options := experiment.CacheVsDRAMOptions{Threads: f.threads, Seed: f.seed, Quick: f.quick, Progress: progress}
			if f.gated {
				recommended, _, err := recommendedSchemes(ctx, f.maxError, f.quick, f.seed)
				if err != nil {
					return err
				}
				options.Schemes = slices.DeleteFunc(experiment.CacheSchemes(), func(s string) bool { return !slices.Contains(recommended, s) })
			}
			result, err := experiment.CacheVsDRAM(ctx, options)
			r.CacheVsDRAM = &result
			return err
		}, func(r *reportResult) string { return tablesAndVerdict(r.CacheVsDRAM.Verdict(), r.CacheVsDRAM.Table()) }},
		{"error over the layers", 30, func(ctx context.Context, r *reportResult, progress func(done, of int)) error {
			options := experiment.ErrorCompoundingOptions{}
			if f.quick {
				options = experiment.QuickErrorCompounding()
			}
			options.Progress = progress
			result, err := experiment.ErrorCompounding(ctx, options)
			r.ErrorCompounding = &result
			return err
		}, func(r *reportResult) string {
			return tablesAndVerdict(r.ErrorCompounding.Verdict(), r.ErrorCompounding.Table())
		}},
	}
}

// withThreads lets our kernels use so many threads until the function that it returns is
// called.
func withThreads(n int) (restore func()) {
	kernels.SetThreads(n)
	return func() { kernels.SetThreads(0) }
}

// quantization times every scheme, or those that are recommended within the error
// allowed.
func (f *reportFlags) quantization(ctx context.Context, r *reportResult, progress func(done, of int)) error {
	options := experiment.QuantizationOptions{Threads: f.threads, Seed: f.seed, MaxError: f.maxError, Quick: f.quick, Progress: progress}
	if f.gated {
		var err error
		if options.Schemes, r.NotTimed, err = recommendedSchemes(ctx, f.maxError, f.quick, f.seed); err != nil {
			return err
		}
	}
	result, err := experiment.Quantization(ctx, options)
	r.Quantization = &result
	return err
}

// schemeOf is the scheme of experiment.Quantization that runs an action.
var schemeOf = map[opscope.Action]string{
	opscope.BFloat16: "bf16", opscope.Int8PerChannel: "w8a16", opscope.W8A8: "w8a8",
	opscope.Int4Group32: "w4a16", opscope.Int4Group128: "w4a16-g128",
}

// recommendedSchemes asks what is recommended for a Gaussian weight, and says of the
// others why they are not.
func recommendedSchemes(ctx context.Context, maxError float64, quick bool, seed uint64) (schemes []string, others []notTimed, err error) {
	side := 1024
	if quick {
		side = 256
	}
	w, x := opscope.Sample(opscope.Gaussian, side, side, seed+7), opscope.Sample(opscope.Gaussian, 32, side, seed+8)
	profile, err := opscope.Probe(ctx, w, opscope.Options{SVDLimit: -1})
	if err != nil {
		return nil, nil, err
	}
	budget := opscope.Budget{Error: maxError, ActivationError: opscope.QuantError(x, 8, opscope.PerRow)}
	menu, err := opscope.Menu(profile, budget)
	if err != nil {
		return nil, nil, err
	}
	schemes = []string{}
	for _, choice := range menu {
		scheme, known := schemeOf[choice.Action]
		switch {
		case !known:
		case choice.Error <= maxError:
			schemes = append(schemes, scheme)
			if scheme == "w8a8" {
				schemes = append(schemes, experiment.SchemeW8A8Q)
			}
		default:
			others = append(others, notTimed{scheme, fmt.Sprintf("its error of %.3g%% is above the %.3g%% allowed, so it is not recommended", 100*choice.Error, 100*maxError)})
		}
	}
	return schemes, others, nil
}

// matrixUnit measures each number of threads in a process of its own, as "bench amx"
// does, since a library reads its number once.
func (f *reportFlags) matrixUnit(ctx context.Context, r *reportResult, progress func(done, of int)) error {
	threads := []int{1}
	if cores := runtime.NumCPU(); cores > 1 {
		threads = append(threads, cores)
	}
	var stderr bytes.Buffer
	child := amxBench{rounds: 7, stderr: &stderr}
	if f.quick {
		child.rounds, child.shapes, child.m = 3, "128x128", "1,32"
	}
	var all experiment.MatrixUnitResult
	for i, n := range threads {
		one, err := child.measureInChild(ctx, experiment.MatrixUnitOptions{}, n)
		if err != nil {
			return fmt.Errorf("%w: %s", err, lastLine(stderr.String()))
		}
		for _, run := range one.Runs {
			withoutFolders(run.Libraries)
		}
		if all, err = all.Merge(one); err != nil {
			return err
		}
		progress(i+1, len(threads))
	}
	r.MatrixUnit = &all
	return nil
}

// withoutFolders keeps the names of a user's folders out of what is shared.
func withoutFolders(libraries []experiment.MatrixUnitLibrary) {
	home, _ := os.UserHomeDir() // "" if it is not known
	for i := range libraries {
		l := &libraries[i]
		l.File = filepath.Base(l.File)
		if len(home) > 1 {
			l.Unused = strings.ReplaceAll(l.Unused, home, "~")
		}
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// tablesAndVerdict puts the parts of a section together.
func tablesAndVerdict[T fmt.Stringer](verdict string, tables ...T) string {
	var b strings.Builder
	for _, t := range tables {
		if text := t.String(); strings.TrimSpace(text) != "" {
			fmt.Fprintln(&b, text)
		}
	}
	return b.String() + verdict + "\n"
}

// measureReport makes the experiments in turn and calls done after each with what it
// shows.
func measureReport(ctx context.Context, f *reportFlags, stderr *os.File, done func(name, text string) error) (*reportResult, error) {
	r := &reportResult{Format: reportFormat, Provenance: newProvenance(f, time.Now()), Features: newCPUReport().Schemes}
	steps := f.steps()
	progress := newReportProgress(stderr, steps)
	defer progress.clear()
	for i, step := range steps {
		progress.begin(i)
		if err := step.run(ctx, r, progress.set); err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, interrupted(ctx, err))
		}
		progress.end()
		if text := step.show(r); done != nil && text != "" {
			progress.clear()
			if err := done(step.name, text); err != nil {
				return nil, err
			}
		}
	}
	r.Provenance.Seconds = int(time.Since(r.Provenance.Date).Seconds() + 0.5)
	return r, nil
}
