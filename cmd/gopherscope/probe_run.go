package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/rlx-go/gopherscope/opscope"
)

// run probes the matrices of the models at the paths, or reports the results of an earlier
// run when there is no path.
func (p *probeRun) run(ctx context.Context, paths []string) error {
	if err := p.check(paths); err != nil {
		return asUsage(err)
	}
	shard, err := parseShard(p.shard)
	if err != nil {
		return asUsage(err)
	}
	reader, err := p.flags.reader()
	if err != nil {
		return asUsage(err)
	}
	// A FILE may be a pipe to which nothing is written yet.
	known, err := abandonable(ctx, func() (results, error) { return readResults(p.from) })
	if err != nil {
		return interrupted(ctx, err)
	}
	defer secondInterruptKills(ctx)()

	if len(paths) == 0 {
		return p.reportKnown(ctx, known.lines(reader.globs))
	}
	models, err := reader.open(ctx, paths)
	if err != nil {
		return err
	}
	defer closeModels(models)
	if err := p.checkPage(models); err != nil {
		return err
	}
	report := probeReport{run: p}
	for _, m := range models {
		report.excluded.add(m.excluded)
		for _, t := range m.file.Tensors() {
			p.workingSet += t.Bytes
		}
	}
	items, err := p.items(ctx, models)
	if err != nil {
		return interrupted(ctx, err)
	}
	if err := p.calibrate(ctx); err != nil {
		return interrupted(ctx, err)
	}
	err = p.probe(ctx, shard.of(items), known, &report)
	return errors.Join(interrupted(ctx, err), report.failures(), report.end())
}

// reportKnown makes the report of an earlier run's lines, with the choices of this one.
func (p *probeRun) reportKnown(ctx context.Context, lines []probeLine) error {
	if err := p.checkPage(nil); err != nil {
		return err
	}
	if len(lines) == 0 {
		return errors.New("--from: there is no result, or --include and --exclude leave none")
	}
	report := probeReport{run: p, lines: lines}
	p.workingSet = report.bytes()
	if err := p.calibrate(ctx); err != nil {
		return interrupted(ctx, err)
	}
	for i := range lines {
		if err := p.recommend(ctx, &lines[i]); err != nil {
			return interrupted(ctx, err)
		}
	}
	return report.end()
}

// calibrate gets the times of the kernels.
func (p *probeRun) calibrate(ctx context.Context) (err error) {
	if p.noTime {
		return nil
	}
	bar := stepProgress{stderr: p.stderr, doing: "timing the kernels of this machine, once"}
	defer bar.clear()
	p.calibration, err = abandonable(ctx, func() (*opscope.Calibration, error) {
		return opscope.Calibrate(ctx, opscope.CalibrateOptions{Progress: bar.set})
	})
	return err
}

// timesNote says that the times can be far off, if so.
func (p *probeRun) timesNote() string {
	c := p.calibration
	if c == nil || !c.Disturbed() {
		return ""
	}
	return fmt.Sprintf("times: other programs ran while the kernels were timed, whose median round took %.2f times the fastest: expect other times; an hour after that they are timed again\n", 1+c.Disturbance)
}

// probe works on the items in turn, reports each as it is done, and goes on after
// one that cannot be read.
func (p *probeRun) probe(ctx context.Context, items []probeItem, known results, report *probeReport) error {
	var total int64
	for _, it := range items {
		total += it.work()
	}
	bar := newByteProgress(p.stderr, "probing", total)
	defer bar.clear()
	for i, it := range items {
		report.notReached = items[i:]
		if ctx.Err() != nil {
			return ctx.Err()
		}
		line, old := known.find(it.line)
		var err error
		if old {
			bar.add(it.work())
			err = p.recommend(ctx, &line)
		} else {
			line, err = abandonable(ctx, func() (probeLine, error) { return p.one(ctx, it, bar) })
		}
		if err != nil {
			return err
		}
		report.notReached = items[i+1:]
		if old {
			report.lines = append(report.lines, line)
			continue
		}
		if p.json || line.Status == statusFailed {
			bar.clear() // for the line that is printed
		}
		if err := report.add(line); err != nil {
			return err
		}
		// Or else the next matrix would be held beside this one.
		if 4*it.line.Elements > p.options.Memory/8 {
			runtime.GC()
		}
	}
	return nil
}

// one probes one matrix. A matrix that cannot be read is a line that says so; the
// error is the context's, or a budget that is none.
func (p *probeRun) one(ctx context.Context, it probeItem, bar *byteProgress) (probeLine, error) {
	line := it.line
	if line.Status != statusProbed {
		return line, nil
	}
	o := p.options
	o.Name = line.Tensor
	o.OutIn = o.Role == opscope.Weight && line.Layout == outIn
	rows := &countedRows{Matrix: it.matrix, bar: bar, total: it.work()}
	profile, err := opscope.ProbeRows(ctx, rows, o)
	rows.finish()
	if ctx.Err() != nil {
		return line, ctx.Err()
	}
	if err != nil {
		line.Status, line.Reason = statusFailed, message(err)
		return line, nil
	}
	line.Profile = &profile
	return line, p.recommend(ctx, &line)
}

// budgetFor is what a recommendation for the matrix goes by.
func (p *probeRun) budgetFor(line *probeLine) opscope.Budget {
	return opscope.Budget{
		Error: p.budget, Baseline: line.DType, BaselineBytes: line.Bytes,
		Calibration: p.calibration, WorkingSet: p.workingSet,
	}
}

// recommend fills in the choices of a line that has a profile.
func (p *probeRun) recommend(ctx context.Context, line *probeLine) (err error) {
	if line.Profile == nil {
		return nil
	}
	line.Budget = p.budget
	line.Choices, err = opscope.Recommend(ctx, *line.Profile, p.budgetFor(line))
	return err
}
