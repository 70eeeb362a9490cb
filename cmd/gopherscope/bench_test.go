package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/accel"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// cacheLimits gives the tests one cache of the limits, which take seconds.
func cacheLimits(t *testing.T) {
	t.Helper()
	dir := limitsDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, dir)
	}
}

var limitsDir = sync.OnceValue(func() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("gopherscope-test-%d", os.Getpid()))
})

func TestMain(m *testing.M) {
	// The program calls itself.
	if len(os.Args) > 1 && os.Args[1] == "cpu" || len(os.Args) > 2 && os.Args[1] == "bench" {
		main()
	}
	accel.TryFirst(tryInChild)
	code := m.Run()
	os.RemoveAll(limitsDir())
	os.Exit(code)
}

func TestBenchFlagErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--shapes", "1x2"}, `--shapes: "1x2" is not MxKxN`},
		{[]string{"--shapes", "1x2x3,"}, `--shapes: "" is not MxKxN`},
		{[]string{"--shapes", "1x2x3x4"}, `"1x2x3x4" is not MxKxN`},
		{[]string{"--shapes", "0x2x3"}, `"0x2x3" is not MxKxN`},
		{[]string{"--shapes", "1x-2x3"}, `"1x-2x3" is not MxKxN`},
		{[]string{"--shapes", "1x2x1048577"}, "with numbers from 1 to 1048576"},
		{[]string{"--shapes", "1x2x99999999999999999999"}, "with numbers from 1 to 1048576"},
		{[]string{"--shapes", "1x1048576x1048576"}, "has a matrix of 1099511627776 elements, want at most 268435456"},
		{[]string{"--shapes", "1x2x3,1x2x3"}, "1x2x3 is there twice"},
		{[]string{"--schemes", "f32,int9"}, `--schemes: "int9" is not one of f32 bf16 w8a16 w8a8 w8a8-q w4a16 lowrank skipzeros ref accelerate-f32 bnns-f32 bnns-i8 openblas-f32 onednn-f32 onednn-bf16 onednn-s8s8 onednn-u8s8 gonum-f32`},
		{[]string{"--schemes", "f32,"}, `--schemes: "" is not one of`},
		{[]string{"--threads", "0"}, "--threads 0: want 1 to "},
		{[]string{"--threads", "100000"}, "the number of cores"},
		{[]string{"--rounds", "6"}, "--rounds 6: want at least 7"},
		{[]string{"--threads", "many"}, "many"},
		{[]string{"--no-such-flag"}, "no-such-flag"},
		{[]string{"1x2x3"}, "1x2x3"},
	} {
		stdout, stderr, status := command(t, t.Context(), append([]string{"bench", "kernels"}, c.args...)...)
		if status != statusUsage || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, stdout %q, stderr %q, want %q", c.args, status, stdout, stderr, c.want)
		}
	}
}

func TestBenchCases(t *testing.T) {
	own := []string{"f32", "bf16", "w8a16", "w8a8", "w8a8-q", "w4a16", "lowrank", "skipzeros", "ref"}
	peers := []string{"accelerate-f32", "bnns-f32", "bnns-i8", "openblas-f32", "onednn-f32", "onednn-bf16", "onednn-s8s8", "onednn-u8s8", "gonum-f32"}
	for _, c := range []struct {
		name  string
		bench kernelsBench
		shape benchShape
		want  []string
	}{
		{"default", kernelsBench{}, defaultShapes[0], slices.DeleteFunc(slices.Clone(own), func(s string) bool { return s == "lowrank" || s == "skipzeros" })},
		{"default, structured", kernelsBench{}, structuredShape, own},
		{"a shape", kernelsBench{shapes: "3x4x5"}, benchShape{3, 4, 5}, own},
		{"peers", kernelsBench{shapes: "3x4x5", peers: true}, benchShape{3, 4, 5}, slices.Concat(own, peers)},
		{"the baseline is always there", kernelsBench{schemes: "w4a16, bf16"}, structuredShape, []string{"f32", "bf16", "w4a16"}},
		{"a named peer", kernelsBench{schemes: "gonum-f32"}, structuredShape, []string{"f32", "gonum-f32"}},
		{"schemes and peers", kernelsBench{schemes: "ref", peers: true}, structuredShape, slices.Concat([]string{"f32", "ref"}, peers)},
	} {
		c.bench.threads, c.bench.rounds = 1, 7
		cases, err := c.bench.cases()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Contains(cases.shapes, c.shape) {
			t.Errorf("%s: shapes %v lack %v", c.name, cases.shapes, c.shape)
		}
		var got []string
		for _, s := range cases.of(c.shape).schemes {
			got = append(got, s.name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: schemes %v, want %v", c.name, got, c.want)
		}
	}
	for _, want := range []string{"1x1024x1024", "32x1024x1024", "1x1024x3072", "32x1024x3072", "1x3072x1024", "32x3072x1024",
		"128x1024x1024", "512x1024x1024", "1x2048x2048", "1x6144x6144", "1x12288x12288", "64x512x512"} {
		if shape, err := parseShape(want); err != nil || !slices.Contains(defaultShapes, shape) {
			t.Errorf("the default shapes lack %s", want)
		}
	}
}

// keys returns the names of an object's members, sorted.
func keys(object map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(object)), " ")
}

func TestBenchJSON(t *testing.T) {
	cacheLimits(t)
	const m, k, n = 4, 96, 80
	stdout, stderr, status := command(t, t.Context(), "bench", "kernels", "--shapes", "4x96x80",
		"--schemes", "w8a16,w8a8,w8a8-q,w4a16,bf16,lowrank,skipzeros,ref,gonum-f32", "--rounds", "7", "--json")
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	var loose struct {
		Machine map[string]any
		Rows    []map[string]any
	}
	var strict struct {
		Machine bench.Machine `json:"machine"`
		Rows    []benchRow    `json:"rows"`
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&strict); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(stdout), &loose); err != nil {
		t.Fatal(err)
	}
	if got, want := keys(loose.Machine), "bf16_peak_gflops cpu f32_peak_gflops int8_peak_gops read_gbps threads tier"; got != want {
		t.Errorf("machine has %s, want %s", got, want)
	}
	if got, want := keys(loose.Machine["read_gbps"].([]any)[0].(map[string]any)), "bytes gbps"; got != want {
		t.Errorf("a bandwidth has %s, want %s", got, want)
	}
	for _, row := range loose.Rows {
		if got, want := keys(row), "cold density err gbps gops group impl k m n ns rank roof scheme threads times_f32"; got != want {
			t.Errorf("a row has %s, want %s", got, want)
		}
	}
	if reads := strict.Machine.Read; len(reads) != 16 || reads[0].Bytes != 16<<10 || reads[15].Bytes != 512<<20 {
		t.Errorf("bandwidths %v, want those from 16 KiB to 512 MiB", reads)
	}

	var got []string
	f32 := strict.Rows[0]
	for _, row := range strict.Rows {
		got = append(got, row.Scheme)
		if row.M != m || row.K != k || row.N != n || row.Threads != 1 || row.Cold || row.Impl == "" || row.NS <= 0 || row.GBps <= 0 {
			t.Errorf("%+v", row)
		}
		if want := float64(f32.NS) / float64(row.NS); math.Abs(row.TimesF32-want) > 0.001 {
			t.Errorf("%s: %v times f32, want %v", row.Scheme, row.TimesF32, want)
		}
		ops, bytes, peak := 2.0*m*k*n, row.GBps*float64(row.NS), strict.Machine.F32Peak
		var rank, group int
		density, largestErr := 1.0, 1e-6
		switch row.Scheme {
		case "bf16":
			peak, largestErr = strict.Machine.BF16Peak, 0.005
		case "w8a16":
			peak, largestErr = max(peak, strict.Machine.Int8Peak/3), 0.02
		case "w4a16":
			peak, group, largestErr = max(peak, strict.Machine.Int8Peak/2), 32, 0.15
		case "w8a8", "w8a8-q":
			peak, largestErr = strict.Machine.Int8Peak, 0.03
		case "lowrank":
			rank, ops = 8, 2*m*8*(k+n)
		case "skipzeros":
			density, ops = 0.099, 2*38*n // 38 of 384 activations
		}
		if math.Abs(row.Density-density) > 1e-4 || row.Rank != rank || row.Group != group {
			t.Errorf("%s: density %v, rank %d, group %d, want %v, %d, %d", row.Scheme, row.Density, row.Rank, row.Group, density, rank, group)
		}
		if row.Err < 0 || row.Err > largestErr {
			t.Errorf("%s: error %v, want at most %v", row.Scheme, row.Err, largestErr)
		}
		if want := ops / float64(row.NS); math.Abs(row.Gops-want) > 0.006 {
			t.Errorf("%s: %v Gop/s, want %v", row.Scheme, row.Gops, want)
		}
		// With one shape the machine's figures are those of its rounds. All are
		// rounded.
		roof := min(peak, strict.Machine.ReadAt(int64(bytes))*ops/bytes)
		if want := ops / float64(row.NS) / roof; math.Abs(row.Roof-want) > 0.03*want+1e-4 {
			t.Errorf("%s: reaches %v of the roof, want %v of %v", row.Scheme, row.Roof, want, roof)
		}
	}
	if want := "f32 bf16 w8a16 w8a8 w8a8-q w4a16 lowrank skipzeros ref gonum-f32"; strings.Join(got, " ") != want {
		t.Errorf("rows of %v, want %s", got, want)
	}
	if !strings.Contains(stderr, "4x96x80: skipzeros") {
		t.Errorf("stderr does not say where skipzeros stops paying:\n%s", stderr)
	}
}

func TestBenchTable(t *testing.T) {
	row := benchRow{Scheme: "w8a8", Impl: "vnni", M: 1, K: 6144, N: 6144, NS: 921234, Gops: 81.96, GBps: 40.99, Roof: 0.984, TimesF32: 4.04, Err: 0.0081}
	f32 := benchRow{Scheme: "f32", Impl: "avx512", M: 1, K: 6144, N: 6144, NS: 3721785, Gops: 20.28, GBps: 40.57, Roof: 0.99, TimesF32: 1, Err: 3.1e-7}
	cold := row
	cold.Cold = true
	var out bytes.Buffer
	printShape(&out, shapeResult{
		shape:   benchShape{1, 6144, 6144},
		machine: bench.Machine{F32Peak: 274.2, Int8Peak: 1083, BF16Peak: 552.4},
		rows:    []benchRow{f32, row, cold},
	})
	want := `
m=1 k=6144 n=6144   peaks: f32 274.2 GFLOP/s, int8 1083 GOP/s, bf16 552.4 GFLOP/s
scheme      code         time   Gop/s    GB/s  of roof   x f32    error
f32         avx512    3.722ms   20.28   40.57      99%    1.00  3.1e-07
w8a8        vnni      921.2µs   81.96   40.99      98%    4.04  8.1e-03
w8a8, cold  vnni      921.2µs   81.96   40.99      98%    4.04  8.1e-03
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAboveRoof(t *testing.T) {
	quiet := []benchRow{{Scheme: "f32", Roof: 1.09}, {Scheme: "ref", Roof: 0.02}}
	if note, ok := aboveRoof(quiet); ok {
		t.Errorf("rows below their roof: %q", note)
	}
	note, ok := aboveRoof(append(quiet, benchRow{Scheme: "w8a8", Roof: 2.05}, benchRow{Scheme: "bf16", Roof: 1.69, Cold: true}))
	want := "above the roof, so the measurement of the limits was disturbed: w8a8; bf16, cold"
	if !ok || note != want {
		t.Errorf("got %q, want %q", note, want)
	}
}

// The shapes that were measured before a Ctrl-C are printed.
func TestBenchInterrupt(t *testing.T) {
	cacheLimits(t)
	for _, format := range []string{"--json=false", "--json"} {
		var files [2]*os.File
		for i := range files {
			f, err := os.CreateTemp(t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			files[i] = f
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		status := make(chan int)
		go func() {
			status <- execute(ctx, []string{"bench", "kernels", "--shapes", "1x32x32,512x1024x2048", "--schemes", "ref", format, "--rounds", "7"}, files[0], files[1])
		}()
		// The second shape has begun when it is named on stderr.
		for deadline := time.Now().Add(time.Minute); !strings.Contains(read(t, files[1].Name()), "512x1024x2048"); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the second shape is not measured after a minute")
			}
		}
		cancel()
		got := <-status
		stdout, stderr := read(t, files[0].Name()), read(t, files[1].Name())
		if got != 1 || !strings.HasSuffix(stderr, "gopherscope: interrupted\n") {
			t.Errorf("%s: status %d, stderr\n%s", format, got, stderr)
		}
		first, second := "m=1 k=32 n=32", "m=512"
		if format == "--json" {
			first, second = `"m":1,"k":32,"n":32`, `"m":512`
		}
		if !strings.Contains(stdout, first) || strings.Contains(stdout, second) {
			t.Errorf("%s: stdout does not hold the first shape alone:\n%s", format, stdout)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if stdout, stderr, status := command(t, ctx, "bench", "kernels", "--json", "--shapes", "1x1x1"); status != 1 || stdout != "" || !strings.Contains(stderr, "interrupted") {
		t.Errorf("interrupted at once: status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestTypicalMachine(t *testing.T) {
	before := bench.Machine{CPU: "old", F32Peak: 1, Read: []bench.Bandwidth{{Bytes: 1 << 10, GBps: 7}, {Bytes: 1 << 11, GBps: 8}, {Bytes: 1 << 12, GBps: 9}}}
	of := func(f32 float64, reads ...bench.Bandwidth) bench.Machine {
		return bench.Machine{CPU: "new", F32Peak: f32, Int8Peak: 4 * f32, BF16Peak: 2 * f32, Read: reads}
	}
	got := typical(before, []bench.Machine{
		of(100, bench.Bandwidth{Bytes: 1 << 11, GBps: 50}),
		of(80, bench.Bandwidth{Bytes: 1 << 11, GBps: 30}, bench.Bandwidth{Bytes: 1 << 12, GBps: 20}),
		of(104),
	})
	want := of(100, bench.Bandwidth{Bytes: 1 << 10, GBps: 7}, bench.Bandwidth{Bytes: 1 << 11, GBps: 40}, bench.Bandwidth{Bytes: 1 << 12, GBps: 20})
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestBreakEven(t *testing.T) {
	d := densities{{share: 0.1}, {share: 0.2}, {share: 0.4}}
	times := func(us ...int) bench.Comparison {
		var c bench.Comparison
		for _, u := range us {
			c = append(c, bench.Entry{Timing: bench.Timing{Rounds: []time.Duration{time.Duration(u) * time.Microsecond, time.Second}}})
		}
		return c
	}
	for _, c := range []struct {
		times bench.Comparison
		want  string
	}{
		{times(50, 80, 140), "skipzeros stops paying at a density of 0.27"}, // 0.2 + 0.2/3
		{times(40, 100, 200), "skipzeros stops paying at a density of 0.20"},
		{times(10, 20, 40), "skipzeros pays at every density"},
		{times(150, 200, 400), "skipzeros does not pay: at a density of 0.10 it takes 1.50 times as long as f32"},
	} {
		if got, ok := d.breakEven(100*time.Microsecond, c.times); !ok || got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if _, ok := (densities{}).breakEven(1, nil); ok {
		t.Error("a verdict without a measurement")
	}
}

func TestReference(t *testing.T) {
	x, w := normal(3, 50, newRandom()), normal(50, 20, newRandom())
	dense, err := kernels.NewDense(w)
	if err != nil {
		t.Fatal(err)
	}
	y := kernels.Mul(dense, x)
	if e := newReference(x, w, 1<<20).relErr(y); e <= 0 || e > 1e-6 {
		t.Errorf("the float32 product has an error of %v", e)
	}
	// 3000 multiply-adds in all, so every third column.
	part := newReference(x, w, 1000)
	if want := []int{0, 3, 6, 9, 12, 15, 18}; !slices.Equal(part.columns, want) {
		t.Errorf("columns %v, want %v", part.columns, want)
	}
	for i := range y.Data {
		switch j := i % 20; {
		case j%3 != 0:
			y.Data[i] = 1e9 // not looked at
		default:
			y.Data[i] *= 1.25
		}
	}
	if e := part.relErr(y); math.Abs(e-0.25) > 1e-6 {
		t.Errorf("columns that are 25%% too large have an error of %v", e)
	}
}

func TestSparse(t *testing.T) {
	for density, want := range map[float64]int{0: 0, 0.1: 100, 0.5: 500, 1: 1000} {
		x, nonzeros := sparse(20, 50, density)
		count := 0
		for _, v := range x.Data {
			if v != 0 {
				count++
			}
		}
		if count != want || nonzeros != want {
			t.Errorf("density %v: %d nonzeros, said to be %d, want %d", density, count, nonzeros, want)
		}
	}
}

func TestGonumIsTheProduct(t *testing.T) {
	w := normal(37, 19, newRandom())
	dense, err := kernels.NewDense(w)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []int{1, 6} {
		x := normal(m, 37, newRandom())
		if e := kernels.RelErr(kernels.Mul(gonumF32{w}, x), kernels.Mul(dense, x)); e > 1e-6 {
			t.Errorf("m=%d: error %v", m, e)
		}
	}
}

func TestPeersWithoutLibraries(t *testing.T) {
	cacheLimits(t)
	for _, name := range []string{"GOPHERSCOPE_OPENBLAS", "GOPHERSCOPE_ONEDNN"} {
		t.Setenv(name, filepath.Join(t.TempDir(), "absent"))
	}
	stdout, stderr, status := command(t, t.Context(), "bench", "kernels", "--shapes", "1x16x16", "--schemes", "f32", "--peers", "--rounds", "7", "--json")
	if status != 0 || !strings.Contains(stderr, "accel: openblas: ") || !strings.Contains(stderr, "accel: onednn: ") {
		t.Errorf("status %d, stderr\n%s", status, stderr)
	}
	if strings.Contains(stdout, "openblas") || strings.Contains(stdout, "onednn") || !strings.Contains(stdout, "gonum-f32") {
		t.Errorf("stdout has other peers than gonum:\n%s", stdout)
	}
}

func TestPeersWithOtherThreads(t *testing.T) {
	var p benchPeers
	if p.usable(accel.Library{Name: "L", Version: "1", File: "l.so", Core: "C", Threads: 2}, 1) {
		t.Error("a library with two threads is compared with one")
	}
	if !p.usable(accel.Library{Name: "M", Version: "2", File: "m.so", Threads: 1}, 1) {
		t.Error("a library with as many threads is left out")
	}
	want := []string{"L 1 (l.so), code for C: left out, since it uses 2 threads in place of 1", "M 2 (m.so)"}
	if !slices.Equal(p.notes, want) {
		t.Errorf("notes %q, want %q", p.notes, want)
	}
}

func newRandom() *rand.Rand { return rand.New(rand.NewPCG(8, 9)) }
