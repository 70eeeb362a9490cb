package experiment

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

func TestOptions(t *testing.T) {
	for want, o := range map[string]MatrixUnitOptions{
		"-1 threads":      {Threads: -1},
		"no shapes":       {Shapes: []WeightShape{}},
		"no numbers":      {M: []int{}},
		"[4 1]":           {M: []int{4, 1}},
		"[1 1]":           {M: []int{1, 1}},
		"[0 1]":           {M: []int{0, 1}},
		"a weight of 0x3": {Shapes: []WeightShape{{0, 3}}},
	} {
		if want == "no numbers" {
			want = "no shapes, or no numbers of rows"
		}
		if _, err := MatrixUnit(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

// small is an experiment of milliseconds.
func small() MatrixUnitOptions {
	return MatrixUnitOptions{
		Threads: 1, Shapes: []WeightShape{{64, 32}, {33, 65}}, M: []int{1, 5},
		Rounds: 3, RoundTime: 100 * time.Microsecond,
	}
}

func TestMatrixUnit(t *testing.T) {
	// Without libraries first: they stay open.
	missing := filepath.Join(t.TempDir(), "missing")
	t.Run("without libraries", func(t *testing.T) {
		for _, name := range []string{"GOPHERSCOPE_ACCELERATE", "GOPHERSCOPE_OPENBLAS", "GOPHERSCOPE_ONEDNN"} {
			t.Setenv(name, missing)
		}
		r, err := MatrixUnit(t.Context(), small())
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, r)
		var want []string
		impls := kernels.Implementations(kernels.SchemeF32)
		for _, impl := range impls[:len(impls)-1] {
			want = append(want, "f32@"+impl)
		}
		for _, scheme := range want {
			if !slices.Contains(r.Runs[0].schemes(), scheme) {
				t.Errorf("%v lacks %s", r.Runs[0].schemes(), scheme)
			}
		}
		verdict := r.Verdict()
		for _, want := range []string{"No library of a vendor can be used", "apt-get install libopenblas0-pthread libdnnl2"} {
			if !strings.Contains(verdict, want) {
				t.Errorf("the verdict lacks %q:\n%s", want, verdict)
			}
		}
		for _, l := range r.Runs[0].Libraries {
			// The second where libraries cannot be opened at all, as with the tag noaccel.
			if !strings.Contains(l.Unused, "missing") && !strings.Contains(l.Unused, "built without the code") {
				t.Errorf("%+v", l)
			}
		}
	})
	t.Run("with what there is", func(t *testing.T) {
		var steps []int
		o := small()
		o.Progress = func(done, of, m int, s WeightShape) { steps = append(steps, done, of, m, s.K) }
		r, err := MatrixUnit(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, r)
		if want := []int{0, 4, 1, 64, 1, 4, 5, 64, 2, 4, 1, 33, 3, 4, 5, 33}; !slices.Equal(steps, want) {
			t.Errorf("progress %v, want %v", steps, want)
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := MatrixUnit(cancelled, small()); err != context.Canceled {
			t.Errorf("a context that is cancelled: %v", err)
		}
		o = small()
		o.Threads = 2
		if _, err := MatrixUnit(t.Context(), o); err == nil != (len(r.Runs[0].vendorSchemes(classF32)) == 0) {
			t.Errorf("another number of threads: %v", err)
		}
	})
}

// checkResult checks what holds of any measurement.
func checkResult(t *testing.T, r MatrixUnitResult) {
	t.Helper()
	if len(r.Runs) != 1 || r.Runs[0].Threads != 1 || len(r.Runs[0].Libraries) != 3 {
		t.Fatalf("%+v", r)
	}
	run := r.Runs[0]
	if !slices.Equal(run.shapes(), []WeightShape{{64, 32}, {33, 65}}) || !slices.Equal(run.rowCounts(), []int{1, 5}) {
		t.Errorf("shapes %v, rows %v", run.shapes(), run.rowCounts())
	}
	if want := len(run.schemes()) * 4; len(run.Rows) != want {
		t.Errorf("%d rows, want %d", len(run.Rows), want)
	}
	for _, scheme := range []string{"f32", "w8a8", "w8a8-q"} {
		if !slices.Contains(run.schemes(), scheme) {
			t.Errorf("%v lacks %s", run.schemes(), scheme)
		}
	}
	for _, row := range run.Rows {
		if want := 2 * float64(row.M*row.K*row.N) / float64(row.NS); math.Abs(row.Gops-want) > 1e-9 || row.Peak <= 0 || row.Roof <= 0 || row.WeightBytes <= 0 {
			t.Errorf("%+v, want %v Gop/s", row, want)
		}
		if largest := map[string]float64{classF32: 1e-6, classBF16: 0.01, classInt8: 0.03}[row.Class]; row.Err > largest || row.Err == 0 {
			t.Errorf("%s: error %v, want at most %v", row.Scheme, row.Err, largest)
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back MatrixUnitResult
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("JSON does not keep the result: %v", err)
	}
	if _, err := r.Figure(); err != nil {
		t.Error(err)
	}
	markdown := r.Markdown()
	for _, want := range []string{"## Verdict", "| threads | k | n | m | f32 | w8a8 |", "| 1 | 33 | 65 | 5 |"} {
		if !strings.Contains(markdown, want) {
			t.Errorf("the Markdown lacks %q:\n%s", want, markdown)
		}
	}
	if strings.Contains(r.ThreadingTable().String(), "m=") {
		t.Error("threading of one run")
	}
}

func TestCrossings(t *testing.T) {
	for _, c := range []struct {
		m      []int
		ratios []float64
		want   []float64
		text   string
	}{
		{[]int{1, 4}, []float64{2, 3}, nil, "faster at every m"},
		{[]int{1, 4}, []float64{0.5, 0.9}, nil, "faster at no m"},
		// The logarithms of 1/2 and 2 are equally far from that of 1.
		{[]int{1, 4}, []float64{0.5, 2}, []float64{2}, "faster from m = 2"},
		{[]int{1, 4, 16}, []float64{4, 0.25, 0.0625}, []float64{2}, "faster up to m = 2"},
		{[]int{1, 4, 64}, []float64{2, 0.5, 8}, []float64{2, 8}, "faster up to m = 2, faster from m = 8"},
		{nil, nil, nil, "not measured"},
	} {
		var ms []float64
		for _, m := range c.m {
			ms = append(ms, float64(m))
		}
		at := bench.Crossings(ms, c.ratios)
		if !slices.EqualFunc(at, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%v over %v: %v, want %v", c.ratios, c.m, at, c.want)
		}
		if text := (Crossover{M: c.m, Speedup: c.ratios, At: at}).String(); text != c.text {
			t.Errorf("%v over %v: %q, want %q", c.ratios, c.m, text, c.text)
		}
	}
}

// apple makes a result of the speeds that were published of an Apple processor, whose
// float32 in NEON has a peak of 100 GFLOP/s: by Accelerate over NEON 10.1, 37.5 and
// 49.6 times with many threads and 10.2, 36.4 and 40.3 with one, by BNNS in int8 over
// Accelerate 0.48, 0.84 and 1.98.
func apple() MatrixUnitResult {
	var r MatrixUnitResult
	for threads, speed := range map[int][]float64{1: {10.2, 36.4, 40.3}, 8: {10.1, 37.5, 49.6}} {
		run := MatrixUnitRun{CPU: "Apple", Tier: "dotprod", Threads: threads, Libraries: []MatrixUnitLibrary{
			{Name: "accelerate", Version: "macOS 15"}, {Name: "openblas", Unused: "no\nfile"},
		}}
		for i, m := range []int{1, 32, 128} {
			neon := float64(m) * 1e6
			for _, c := range []struct {
				scheme, library, class string
				ns, peak               float64
			}{
				{"f32", "", classF32, neon, 100},
				{"w8a8", "", classInt8, neon / 4, 400},
				{"accelerate-f32", "accelerate", classF32, neon / speed[i], 100},
				{"bnns-i8", "accelerate", classInt8, neon / speed[i] / []float64{0.48, 0.84, 1.98}[i], 400},
			} {
				run.Rows = append(run.Rows, MatrixUnitRow{
					Scheme: c.scheme, Library: c.library, Class: c.class, M: m, K: 1024, N: 1024, NS: int64(c.ns),
					Gops: 2 * 1024 * 1024 * float64(m) / c.ns, Peak: c.peak * float64(threads), Err: 1e-7,
				})
			}
		}
		r.Runs = append(r.Runs, run)
	}
	merged, _ := r.Merge(MatrixUnitResult{})
	return merged
}

func TestVerdictOfAnApple(t *testing.T) {
	r := apple()
	want := `On this machine (Apple, our tier dotprod), threads: 1.
f32: the fastest library, accelerate-f32, reaches 84.5 Gop/s, 85% of the peak of our vector instructions (100, the highest in this run): no matrix unit shows itself.
int8: the fastest library, bnns-i8, reaches 167 Gop/s, 42% of the peak of our vector instructions (400, the highest in this run): no matrix unit shows itself.
Speed of accelerate-f32 over our f32: 10.2 at m=1, 36.4 at m=32, 40.3 at m=128.
`
	if got := r.Verdict(); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// With a peak that the rate of the library exceeds.
	for i := range r.Runs {
		for j := range r.Runs[i].Rows {
			r.Runs[i].Rows[j].Peak /= 10
		}
	}
	want = `On this machine (Apple, our tier dotprod), threads: 1.
f32: accelerate-f32 reaches 84.5 Gop/s, 8.5 times the peak of our vector instructions (10, the highest in this run): it uses a matrix unit, or instructions, that they do not reach.
int8: bnns-i8 reaches 167 Gop/s, 4.2 times the peak of our vector instructions (40, the highest in this run): it uses a matrix unit, or instructions, that they do not reach.
Speed of accelerate-f32 over our f32: 10.2 at m=1, 36.4 at m=32, 40.3 at m=128.
w8a8 is, against f32, faster at every m and shape.
w8a8 is, against accelerate-f32, faster at no m and shape.
bnns-i8 is, against accelerate-f32, faster from m = 42.4 at 1024x1024.
8 threads over 1, f32: 1.00 at m=1, 1.00 at m=128.
8 threads over 1, w8a8: 1.00 at m=1, 1.00 at m=128.
8 threads over 1, accelerate-f32: 0.99 at m=1, 1.23 at m=128.
8 threads over 1, bnns-i8: 0.99 at m=1, 1.23 at m=128.
accelerate-f32 gains at most 1.23 from threads: its speed is that of the unit, not of more cores.
bnns-i8 gains at most 1.23 from threads: its speed is that of the unit, not of more cores.
Fastest for 1024x1024 in float32: accelerate-f32 at m=1 to 128.
Fastest for 1024x1024 from float32 activations, whatever the weight: accelerate-f32 at m=1 to 128.`
	if got := r.Verdict(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := (MatrixUnitResult{}).Verdict(); got != "Nothing was measured." {
		t.Errorf("of nothing: %q", got)
	}
}

// What a library is known to use, and more threads than it should.
func TestTilesAndThreads(t *testing.T) {
	r := apple()
	for i := range r.Runs {
		for j := range r.Runs[i].Rows {
			r.Runs[i].Rows[j].Peak /= 10
		}
	}
	r.Runs[0].Libraries[0].Core = "avx512_core_amx"
	r.Runs[0].Rows[len(r.Runs[0].Rows)-1].Busy = 3.4
	got := r.Verdict()
	for _, want := range []string{
		"that they do not reach, by its code for avx512_core_amx.\n",
		"bnns-i8 keeps 3.4 processors busy though it was told to use threads: 1.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the verdict lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "not of more cores") {
		t.Errorf("the verdict concludes from threads that were not kept to:\n%s", got)
	}
}

func TestBusy(t *testing.T) {
	if used := busy(func() { time.Sleep(time.Millisecond) }); used > 0.9 {
		t.Errorf("sleeping keeps %.2f processors busy", used)
	}
	if cpuTime() < 0 {
		t.Error("a negative time")
	}
}

func TestDisturbedRun(t *testing.T) {
	r := apple()
	r.Runs[1].Rows[0].Peak /= 2
	if got := r.Verdict(); !strings.Contains(got, "disturbed the run with threads: 8: the measured peak of float32 varies by a factor of 2.00.") || strings.Contains(got, "threads: 1: the measured") {
		t.Errorf("got\n%s", got)
	}
	// As if eight threads had had one processor.
	for i := range r.Runs[1].Rows {
		r.Runs[1].Rows[i].Peak = r.Runs[0].Rows[i].Peak / 10
	}
	for i := range r.Runs[0].Rows {
		r.Runs[0].Rows[i].Peak /= 10
	}
	if got := r.Verdict(); !strings.Contains(got, "The peak of float32 with 8 threads is 1.00 times that with 1: the processors were not free") || strings.Contains(got, "not of more cores") {
		t.Errorf("got\n%s", got)
	}
}

func TestTables(t *testing.T) {
	r := apple()
	if got, want := r.Table().String(), `Time of a product in microseconds

threads     k     n    m     f32   w8a8  accelerate-f32  bnns-i8
-------  ----  ----  ---  ------  -----  --------------  -------
      1  1024  1024    1    1000    250              98      204
      1  1024  1024   32   32000   8000             879     1050
      1  1024  1024  128  128000  32000            3180     1600
      8  1024  1024    1    1000    250              99      206
      8  1024  1024   32   32000   8000             853     1020
      8  1024  1024  128  128000  32000            2580     1300
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A peak that was disturbed is not what a rate is compared with.
	disturbed := apple()
	disturbed.Runs[0].Rows[0].Peak = 1000
	if got := disturbed.Rates().Rows[0]; !reflect.DeepEqual(got, []any{1, "f32", "", 2.1, "0%", "1.0e-07"}) {
		t.Errorf("%v", got)
	}
	if got := disturbed.Rates().Rows[2]; got[4] != "8%" {
		t.Errorf("accelerate-f32 has %v of the peak of 1000, want 8%%", got[4])
	}
	crossovers := r.CrossoverTable()
	if last := crossovers.Rows[len(crossovers.Rows)-1]; !reflect.DeepEqual(last, []any{8, 1024, 1024, "bnns-i8", "accelerate-f32", "faster from m = 42.4", "0.48×", "0.84×", "1.98×"}) {
		t.Errorf("%v", last)
	}
	threading := r.ThreadingTable()
	if last := threading.Rows[2]; !reflect.DeepEqual(last, []any{1024, 1024, "accelerate-f32", "0.99×", "1.03×", "1.23×"}) {
		t.Errorf("%v", last)
	}
	if !strings.Contains(r.Markdown(), "- threads 1: openblas was not used: no file\n") {
		t.Errorf("the Markdown does not say what was not used:\n%s", r.Markdown())
	}
	if bundle := r.MIMEBundle(); bundle["text/markdown"] != r.Markdown() || bundle["text/plain"] != r.Verdict() {
		t.Errorf("bundle %v", bundle)
	}
	if figure, err := r.Figure(); err != nil || !strings.Contains(figure.String(), "accelerate-f32") {
		t.Errorf("figure: %v, %v", figure, err)
	}
	if _, err := (MatrixUnitResult{}).Figure(); err == nil {
		t.Error("a figure of nothing")
	}
}

func TestMerge(t *testing.T) {
	r := apple()
	if r.Runs[0].Threads != 1 || r.Runs[1].Threads != 8 {
		t.Errorf("threads %d, %d", r.Runs[0].Threads, r.Runs[1].Threads)
	}
	if _, err := r.Merge(r); err == nil || !strings.Contains(err.Error(), "both results are of 1 threads") {
		t.Errorf("got %v", err)
	}
	other := MatrixUnitResult{Runs: []MatrixUnitRun{{CPU: "Intel", Threads: 3}}}
	if _, err := r.Merge(other); err == nil || !strings.Contains(err.Error(), "one of Intel") {
		t.Errorf("got %v", err)
	}
}

func TestTimes(t *testing.T) {
	for v, want := range map[float64]string{11.1234: "11.1", 20.25 * 10: "202", 0.98765: "0.988", 123456: "123000", 0: "0"} {
		if got := fmt.Sprint(significant(v)); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{0.484: "0.48×", 9.99: "9.99×", 9.996: "10.0×", 37.46: "37.5×", 123.4: "123×"} {
		if got := times(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}
