package opscope

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// point is a time of a square weight.
func point(scheme string, m, side int, ns time.Duration) CalibrationPoint {
	call := Call{Scheme: scheme, M: m, K: side, N: side}
	return CalibrationPoint{Call: call, Bytes: call.bytes(), Time: ns}
}

func TestTime(t *testing.T) {
	c := &Calibration{
		Points: []CalibrationPoint{
			// Times in proportion to the 1.5th power of the bytes.
			point(kernels.SchemeF32, 1, 64, 1000),
			point(kernels.SchemeF32, 1, 256, 64_000),
			point(kernels.SchemeF32, 1, 1024, 4_096_000),
			point(kernels.SchemeF32, 32, 64, 5),
		},
		MemoryGBps: 10, LastLevelCache: 64 << 20,
	}
	f32 := func(m, k, n int) Call { return Call{Scheme: kernels.SchemeF32, M: m, K: k, N: n} }
	tests := []struct {
		name       string
		call       Call
		workingSet int64
		want       time.Duration
	}{
		{"a point", f32(1, 256, 256), 0, 64_000},
		{"another shape of the same bytes", f32(1, 64, 1024), 0, 64_000},
		{"between two", f32(1, 128, 128), 0, 8_000},
		{"between the next two", f32(1, 512, 512), 0, 512_000},
		{"below the first", f32(1, 8, 8), 0, 1000},
		{"empty", f32(1, 0, 8), 0, 1000},
		{"above the last", f32(1, 2048, 1024), 0, 2 * 4_096_000},
		{"other rows", f32(32, 64, 64), 0, 5},
		{"rows without times", f32(2, 64, 64), 0, 0},
		{"a scheme without times", Call{Scheme: kernels.SchemeW8A16, M: 1, K: 64, N: 64}, 0, 0},
		{"no scheme", Call{M: 1, K: 64, N: 64}, 0, 0},
		// 64 KiB at 10 bytes a nanosecond is 6.5536 µs; half the cache is 32 MiB.
		{"a model in the cache", f32(1, 128, 128), 32 << 20, 8_000},
		{"a model in memory", f32(1, 64, 64), 33 << 20, 1638},
		{"slower than memory", f32(1, 128, 128), 1 << 40, 8_000},
	}
	for _, tt := range tests {
		if got := c.Time(tt.call, tt.workingSet); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	// A weight above the cache is read from memory whatever the working set.
	c.Points = []CalibrationPoint{point(kernels.SchemeF32, 1, 64, 1)}
	if got, want := c.Time(f32(1, 4096, 4096), 0), time.Duration(math.Round(4*4096*4096/10.0)); got != want {
		t.Errorf("a weight larger than the cache: %v, want %v", got, want)
	}
}

func TestTimeOfSkippedZeros(t *testing.T) {
	c := &Calibration{MemoryGBps: 10, LastLevelCache: 1 << 20}
	for i, d := range calibratedDensities { // 0, 0.1, 0.5, 1
		p := point(kernels.SchemeSkipZeros, 1, 64, []time.Duration{100, 200, 600, 1400}[i])
		p.Density = d
		c.Points = append(c.Points, p)
	}
	for density, want := range map[float64]time.Duration{0: 100, 0.05: 150, 0.1: 200, 0.3: 400, 0.5: 600, 0.75: 1000, 1: 1400, -0.1: 0, 1.1: 0, math.NaN(): 0} {
		call := Call{Scheme: kernels.SchemeSkipZeros, M: 1, K: 64, N: 64, Density: density}
		if got := c.Time(call, 0); got != want {
			t.Errorf("density %v: %v, want %v", density, got, want)
		}
		// Only the rows of W that are met come from memory: 16 KiB at 10 bytes a ns.
		if got := c.Time(call, 1<<30); want != 0 && got != max(want, time.Duration(math.Round(1638.4*density))) {
			t.Errorf("density %v from memory: %v", density, got)
		}
	}
}

// The bytes of a call are those of the weight that is timed.
func TestBytesOfCalls(t *testing.T) {
	for _, side := range []int{64, 200} {
		weights, err := calibrationWeights(t.Context(), side)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range calibratedCalls(side) {
			info := weights[call.weight()].Info()
			if info.Scheme != call.Scheme || info.WeightBytes != call.bytes() {
				t.Errorf("%+v: %d bytes, the kernel is %+v", call, call.bytes(), info)
			}
			x := calibrationInput(call, 1)
			zeros := 0
			for _, v := range x.Data {
				if v == 0 {
					zeros++
				}
			}
			want := 0.0
			if call.Scheme == kernels.SchemeSkipZeros {
				want = 1 - call.Density
			}
			// Within 5 standard deviations of a share of random places.
			if got, n := float64(zeros)/float64(len(x.Data)), float64(len(x.Data)); math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/n) {
				t.Errorf("%+v: %v of the activations are zero, want %v", call, got, want)
			}
		}
	}
}

// Every choice that has a kernel has a time.
func TestEveryKernelIsCalibrated(t *testing.T) {
	c := &Calibration{}
	for i, call := range calibratedCalls(64) {
		c.Points = append(c.Points, CalibrationPoint{Call: call, Bytes: call.bytes(), Time: time.Duration(100 + i)})
	}
	b := Budget{Calibration: c, BaselineBytes: 4 * 200 * 80, Baseline: "F32"}
	for _, a := range []Action{BFloat16, Int8PerChannel, W8A8, Int4Group32, Int4Group128, Int4PerChannel, Factored} {
		choice := Choice{Action: a, Rank: 3, HasKernel: true, K: 200, N: 80}
		if e := b.expected(choice); len(e) != len(CalibratedRows()) {
			t.Errorf("%s: %v", a, e)
		}
	}
	for _, kept := range []string{"F32", "BF16"} {
		if e := b.expected(Choice{Action: KeepDense, DType: kept, HasKernel: true, K: 200, N: 80}); len(e) != 2 {
			t.Errorf("%s: %v", kept, e)
		}
	}
	for _, a := range []Action{Sparse2of4, Ternary, LookupTable} {
		if e := b.expected(Choice{Action: a, K: 200, N: 80}); e != nil {
			t.Errorf("%s has no kernel and the times %v", a, e)
		}
	}
}

func TestExpected(t *testing.T) {
	times := func(scheme string, group int, ns time.Duration) []CalibrationPoint {
		var points []CalibrationPoint
		for _, m := range CalibratedRows() {
			p := point(scheme, m, 64, ns*time.Duration(m))
			p.Group = group
			points = append(points, p)
		}
		return points
	}
	c := &Calibration{}
	c.Points = append(c.Points, times(kernels.SchemeF32, 0, 400)...)
	c.Points = append(c.Points, times(kernels.SchemeBF16, 0, 200)...)
	c.Points = append(c.Points, times(kernels.SchemeW8A16, 0, 800)...)
	c.Points = append(c.Points, times(kernels.SchemeW4A16, 32, 100)...)
	int8 := Choice{Action: Int8PerChannel, HasKernel: true, K: 32, N: 32} // smaller than the point
	for _, tt := range []struct {
		dtype   string
		bytes   int64
		scheme  string
		speedup float64
	}{
		{"F32", 4096, kernels.SchemeF32, 0.5},
		{"F64", 8192, kernels.SchemeF32, 0.5},
		{"F16", 2048, kernels.SchemeBF16, 0.25},
		{"BF16", 2048, kernels.SchemeBF16, 0.25},
		{"Q8_0", 1088, kernels.SchemeW8A16, 1},
		{"F8_E4M3", 1024, kernels.SchemeW8A16, 1},
		{"Q6_K", 840, kernels.SchemeW8A16, 1},
		{"Q5_0", 704, kernels.SchemeW8A16, 1},
		{"Q4_0", 576, kernels.SchemeW4A16, 0.125},
		{"Q2_K", 336, kernels.SchemeW4A16, 0.125},
	} {
		e := Budget{Calibration: c, Baseline: tt.dtype, BaselineBytes: tt.bytes}.expected(int8)
		if len(e) != 2 {
			t.Errorf("%s: %v", tt.dtype, e)
			continue
		}
		for i, m := range CalibratedRows() {
			if want := (Expected{M: m, Time: 800 * time.Duration(m), Speedup: tt.speedup, Baseline: tt.scheme}); e[i] != want {
				t.Errorf("%s: %+v, want %+v", tt.dtype, e[i], want)
			}
		}
	}
}

// userCache points the user's cache directory at an empty one and returns it.
func userCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, dir)
	}
	return dir
}

func TestCalibrateKeepsWhatItMeasured(t *testing.T) {
	userCache(t)
	cache := bench.Cache{Name: "calibration", Format: calibrationFormat, Threads: kernels.Threads()}
	good := Calibration{MemoryGBps: 12, LastLevelCache: 1, Threads: 1}
	for _, side := range calibratedSides {
		for _, call := range calibratedCalls(side) {
			good.Points = append(good.Points, CalibrationPoint{Call: call, Bytes: call.bytes(), Time: 7})
		}
	}
	if err := cache.Save(good); err != nil {
		t.Fatal(err)
	}
	// kept reports whether Calibrate answers without measuring, which a cancelled context
	// keeps it from.
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	kept := func() bool {
		c, err := Calibrate(cancelled, CalibrateOptions{})
		switch {
		case err == nil && c.MemoryGBps == 12:
			return true
		case c != nil || !errors.Is(err, context.Canceled):
			t.Errorf("%v, %v", c, err)
		}
		return false
	}
	if !kept() {
		t.Fatal("a whole calibration of this machine was not used")
	}
	for name, change := range map[string]func(c *Calibration){
		"without a point":      func(c *Calibration) { c.Points = c.Points[1:] },
		"with a point more":    func(c *Calibration) { c.Points = append(c.Points, c.Points[0]) },
		"with a time of 0":     func(c *Calibration) { c.Points[3].Time = 0 },
		"with another size":    func(c *Calibration) { c.Points[3].K++ },
		"with another byte":    func(c *Calibration) { c.Points[3].Bytes++ },
		"without a bandwidth":  func(c *Calibration) { c.MemoryGBps = 0 },
		"of other densities":   func(c *Calibration) { c.Points[len(c.Points)-1].Density = 0.9 },
		"empty":                func(c *Calibration) { *c = Calibration{} },
		"with a negative size": func(c *Calibration) { c.LastLevelCache = -1 },
		"less than quiet":      func(c *Calibration) { c.Disturbance = -1 },
	} {
		changed := good
		changed.Points = append([]CalibrationPoint(nil), good.Points...)
		change(&changed)
		if err := cache.Save(changed); err != nil {
			t.Fatal(err)
		}
		if kept() {
			t.Errorf("a calibration %s was used", name)
		}
	}
	if err := cache.Save(good); err != nil {
		t.Fatal(err)
	}
	if !kept() {
		t.Error("the whole calibration is no longer used")
	}
	for _, tt := range []struct {
		disturbance float64
		age         time.Duration
		want        bool
	}{{0.2, 1000 * time.Hour, true}, {0.3, 50 * time.Minute, true}, {0.3, 70 * time.Minute, false}, {3, -2 * time.Hour, false}} {
		disturbed := good
		disturbed.Disturbance, disturbed.Made = tt.disturbance, time.Now().Add(-tt.age)
		if err := cache.Save(disturbed); err != nil {
			t.Fatal(err)
		}
		if got := kept(); got != tt.want {
			t.Errorf("a calibration disturbed by %v and %v old: used %v, want %v", tt.disturbance, tt.age, got, tt.want)
		}
	}
	if c, err := Calibrate(cancelled, CalibrateOptions{Fresh: true}); c != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a fresh one was not measured: %v, %v", c, err)
	}
}

func TestDisturbance(t *testing.T) {
	entry := func(rounds ...time.Duration) bench.Entry { return bench.Entry{Timing: bench.Timing{Rounds: rounds}} }
	for _, tt := range []struct {
		times bench.Comparison
		want  float64
	}{
		{bench.Comparison{entry(10, 10, 10)}, 0},
		{bench.Comparison{entry(15, 10, 40)}, 0.5},
		// One call that was disturbed alone does not count.
		{bench.Comparison{entry(10, 11, 12), entry(100, 900, 900), entry(20, 22, 21)}, 0.1},
	} {
		if got := disturbance(tt.times); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", tt.times, got, tt.want)
		}
	}
}

func TestBrokenCalibrationFiles(t *testing.T) {
	dir := userCache(t)
	other := bench.Cache{Name: "calibration", Format: calibrationFormat, Threads: kernels.Threads() + 1}
	if err := other.Save(Calibration{}); err != nil {
		t.Fatal(err)
	}
	cache := bench.Cache{Name: "calibration", Format: calibrationFormat, Threads: kernels.Threads()}
	if err := cache.Save(Calibration{}); err != nil {
		t.Fatal(err)
	}
	files := cacheFiles(t, dir)
	if len(files) != 2 {
		t.Fatalf("two machines share %v", files)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, text := range map[string]string{"empty": "", "cut": `{"Fingerprint":`, "not JSON": "\x00", "of other types": `{"Fingerprint":{},"Figures":{"points":7}}`} {
		for _, f := range files {
			if err := os.WriteFile(f, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if c, err := Calibrate(cancelled, CalibrateOptions{}); c != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("a file that is %s: %v", name, err)
		}
	}
}

func cacheFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestCalibrateMeasures(t *testing.T) {
	last, total := 0, 0
	c, err := calibrate(t.Context(), []int{32, 64}, 1, func(done, of int) {
		if done != last+1 || total != 0 && of != total {
			t.Fatalf("progress %d of %d after %d of %d", done, of, last, total)
		}
		last, total = done, of
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != total {
		t.Errorf("progress ends at %d of %d", last, total)
	}
	if !c.complete([]int{32, 64}) || c.complete([]int{32}) || c.complete([]int{64, 32}) {
		t.Errorf("%+v", c)
	}
	// A cancelled context ends it after a call.
	ctx, cancel := context.WithCancel(t.Context())
	if c, err := calibrate(ctx, []int{32}, 1, func(int, int) { cancel() }); c != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, %v", c, err)
	}
}
