package bindings_test

import (
	"bytes"
	"fmt"
	"go/build"
	"os"
	"slices"
	"testing"

	"github.com/cosmos72/gomacro/base/untyped"
	"github.com/cosmos72/gomacro/fast"
	"github.com/gopherdata/gophernotes/imports"
	"gonum.org/v1/plot/plotter"

	"github.com/rlx-go/gopherscope/internal/bindings"
)

func TestMain(m *testing.M) {
	// The interpreter then knows types by reflection alone; without a PATH it
	// could not start the Go toolchain either.
	build.Default.GOROOT = ""
	os.Unsetenv("PATH")
	os.Exit(m.Run())
}

// eval runs a cell in a new interpreter and returns its last value.
func eval(t *testing.T, cell string) (value any) {
	t.Helper()
	ir := fast.New()
	var warnings bytes.Buffer
	ir.Comp.Stdout, ir.Comp.Stderr = &warnings, &warnings
	defer func() {
		t.Helper()
		if r := recover(); r != nil {
			t.Fatalf("%v\n%s\n%s", r, warnings.String(), cell)
		}
		if warnings.Len() > 0 {
			t.Errorf("%s\n%s", warnings.String(), cell)
		}
	}()
	values, _ := ir.Eval(cell)
	if len(values) == 0 {
		return nil
	}
	return values[len(values)-1].Interface()
}

// Each cell is also Go that the compiler accepts; the wanted text is what
// fmt.Sprint gives for its last expression.
func TestCells(t *testing.T) {
	for _, test := range []struct{ name, cell, want string }{
		// Constants.
		{"untyped float keeps its precision", `import "math"; math.Pi*1e15 - 3141592653589793`, "0.2384626433832795"},
		{"untyped above int64", `import "math"; math.MaxUint64 / 5`, "3689348814741910323"},
		{"untyped to uint64", `import "math"; var x uint64 = math.MaxUint64; x`, "18446744073709551615"},
		{"smallest float", `import "math"; var x float64 = math.SmallestNonzeroFloat64; x`, "5e-324"},
		{"untyped to float32", `import "math"; var x float32 = math.Pi; x`, "3.1415927"},
		{"typed", `import "time"; 90 * time.Second`, "1m30s"},
		{"of the platform", `import "os"; string(os.PathSeparator) + os.DevNull`, string(os.PathSeparator) + os.DevNull},
		{"rune", `import "unicode/utf8"; []rune{utf8.RuneError}`, "[65533]"},
		{"vg length", `import "gonum.org/v1/plot/vg"; 2 * vg.Inch`, "144"},

		// What Go 1.13 did not have.
		{"strings.Cut", `import "strings"; a, b, _ := strings.Cut("k=v", "="); b + a`, "vk"},
		{"os.ReadFile", `import "os"; _, err := os.ReadFile("no such file"); os.IsNotExist(err)`, "true"},
		{"io.ReadAll", `import ("io"; "strings"); b, _ := io.ReadAll(strings.NewReader("abc")); string(b)`, "abc"},
		{"errors.Join", `import "errors"; errors.Join(errors.New("a"), errors.New("b"))`, "a\nb"},
		{"context.WithCancelCause", `import ("context"; "errors")
			ctx, cancel := context.WithCancelCause(context.Background())
			cancel(errors.New("why"))
			context.Cause(ctx)`, "why"},
		{"atomic.Int64", `import "sync/atomic"; var n atomic.Int64; n.Add(3); n.Add(4); n.Load()`, "7"},
		{"math/rand/v2", `import "math/rand/v2"; r := rand.New(rand.NewPCG(1, 2)); n := r.IntN(10); n >= 0 && n < 10`, "true"},
		{"time.DateOnly", `import "time"; t, _ := time.Parse(time.DateOnly, "2024-02-29"); t.YearDay()`, "60"},
		{"bytes.Clone", `import "bytes"; a := []byte("a"); b := bytes.Clone(a); a[0] = 'b'; string(b)`, "a"},
		{"bits.Len", `import "math/bits"; bits.Len(1023)`, "10"},
		{"fs.FS", `import ("io/fs"; "os"); fs.ValidPath("../x") || os.DirFS(".") == nil`, "false"},

		// gopherscope.
		{"kernels", `import "github.com/rlx-go/gopherscope/kernels"
			w := kernels.Matrix{Rows: 2, Cols: 1, Stride: 1, Data: []float32{3, 4}}
			d, _ := kernels.NewDense(w)
			k, n := d.Dims()
			y := kernels.Mul(d, kernels.Matrix{Rows: 1, Cols: 2, Stride: 2, Data: []float32{10, 1}})
			[]float64{float64(k), float64(n), float64(y.Data[0]), kernels.RelErr(y, y)}`, "[2 1 34 0]"},
		{"opscope", `import "github.com/rlx-go/gopherscope/opscope"
			m := opscope.Sample(opscope.Gaussian, 3, 5, 1)
			[]int{m.Rows, m.Cols, len(m.Data)}`, "[3 5 15]"},
		{"weights", `import ("github.com/rlx-go/gopherscope/opscope/weights"; "strings")
			_, err := weights.Open("no such file")
			if !strings.Contains(err.Error(), "no such file") { panic(err) }
			string(weights.F32)`, "F32"},
		{"bench", `import ("context"; "github.com/rlx-go/gopherscope/opscope/bench")
			n := 0
			t, err := bench.Measure(context.Background(), func() { n++ })
			err == nil && n >= t.Calls && t.Min() <= t.Median()`, "true"},
		{"charts", `import "github.com/rlx-go/gopherscope/charts"
			f, err := charts.Bar{
				Title: "T", Y: charts.Axis{Label: "error"}, Categories: []string{"a", "b"},
				Series: []charts.Series{{Name: "int8", Y: []float64{1, 2}}},
			}.Figure()
			string(f.MIMEBundle()["image/png"].([]byte)[1:4])`, "PNG"},

		// gonum.
		{"mat product", `import "gonum.org/v1/gonum/mat"
			a := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
			var p mat.Dense
			p.Mul(a, a.T())
			p.RawMatrix().Data`, "[5 11 11 25]"},
		{"mat.SVD", `import "gonum.org/v1/gonum/mat"
			var svd mat.SVD
			svd.Factorize(mat.NewDiagDense(2, []float64{3, 4}), mat.SVDNone)
			svd.Values(nil)`, "[4 3]"},
		{"blas32 literal", `import ("gonum.org/v1/gonum/blas"; "gonum.org/v1/gonum/blas/blas32")
			a := blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: []float32{3, 4}}
			c := blas32.General{Rows: 1, Cols: 1, Stride: 1, Data: make([]float32, 1)}
			blas32.Gemm(blas.NoTrans, blas.Trans, 1, a, a, 0, c)
			c.Data`, "[25]"},
		{"blas64", `import "gonum.org/v1/gonum/blas/blas64"; blas64.Nrm2(blas64.Vector{N: 2, Inc: 1, Data: []float64{3, 4}})`, "5"},
		{"floats", `import "gonum.org/v1/gonum/floats"; floats.Sum([]float64{1, 2, 3})`, "6"},
		{"scalar", `import "gonum.org/v1/gonum/floats/scalar"; scalar.Round(2.345, 1)`, "2.3"},
		{"cmplxs", `import "gonum.org/v1/gonum/cmplxs"; cmplxs.Sum([]complex128{1, 2i})`, "(1+2i)"},
		{"stat", `import "gonum.org/v1/gonum/stat"; stat.Mean([]float64{1, 2, 6}, nil)`, "3"},
		{"distuv", `import "gonum.org/v1/gonum/stat/distuv"; distuv.Normal{Mu: 1, Sigma: 2}.CDF(1)`, "0.5"},
		{"combin", `import "gonum.org/v1/gonum/stat/combin"; combin.Binomial(5, 2)`, "10"},
		{"integrate", `import "gonum.org/v1/gonum/integrate"; integrate.Trapezoidal([]float64{0, 1, 2}, []float64{0, 1, 2})`, "2"},
		{"interp", `import "gonum.org/v1/gonum/interp"
			var p interp.PiecewiseLinear
			p.Fit([]float64{0, 2}, []float64{0, 3})
			p.Predict(1)`, "1.5"},
		{"fourier", `import "gonum.org/v1/gonum/dsp/fourier"; fourier.NewFFT(2).Coefficients(nil, []float64{1, 1})`, "[(2+0i) (0+0i)]"},
		{"fd with an interpreted function", `import "gonum.org/v1/gonum/diff/fd"
			d := fd.Derivative(func(x float64) float64 { return x * x }, 3, &fd.Settings{Formula: fd.Central})
			d > 5.999 && d < 6.001`, "true"},
		{"optimize with an interpreted function", `import "gonum.org/v1/gonum/optimize"
			p := optimize.Problem{Func: func(x []float64) float64 { return (x[0] - 3) * (x[0] - 3) }}
			r, _ := optimize.Minimize(p, []float64{0}, nil, &optimize.NelderMead{})
			r.X[0] > 2.999 && r.X[0] < 3.001`, "true"},

		// gonum/plot and go-echarts.
		{"plot to png", `import ("bytes"; "gonum.org/v1/plot"; "gonum.org/v1/plot/plotter"; "gonum.org/v1/plot/plotutil"; "gonum.org/v1/plot/vg")
			p := plot.New()
			p.Title.Text = "squares"
			plotutil.AddLinePoints(p, "x", plotter.XYs{{X: 1, Y: 1}, {X: 2, Y: 4}})
			w, _ := p.WriterTo(4*vg.Inch, 3*vg.Inch, "png")
			var b bytes.Buffer
			w.WriteTo(&b)
			b.String()[1:4]`, "PNG"},
		{"svg canvas", `import ("bytes"; "strings"; "gonum.org/v1/plot/vg"; "gonum.org/v1/plot/vg/draw"; "gonum.org/v1/plot/vg/vgsvg")
			c := vgsvg.New(2*vg.Inch, vg.Inch)
			d := draw.New(c)
			var b bytes.Buffer
			c.WriteTo(&b)
			strings.Contains(b.String(), "<svg") && d.Max.X == 144`, "true"},
		{"image canvas", `import ("gonum.org/v1/plot/vg"; "gonum.org/v1/plot/vg/vgimg")
			vgimg.NewWith(vgimg.UseWH(2*vg.Inch, vg.Inch), vgimg.UseDPI(100)).Image().Bounds().Dx()`, "200"},
		{"palettes", `import ("gonum.org/v1/plot/palette"; "gonum.org/v1/plot/palette/brewer"; "gonum.org/v1/plot/palette/moreland")
			p, _ := brewer.GetPalette(brewer.TypeSequential, "Blues", 5)
			m := moreland.Kindlmann()
			m.SetMax(1)
			len(p.Colors()) + len(palette.Heat(3, 1).Colors()) + len(m.Palette(4).Colors())`, "12"},
		{"echarts bar", `import ("github.com/go-echarts/go-echarts/v2/charts"; "github.com/go-echarts/go-echarts/v2/opts"; "github.com/go-echarts/go-echarts/v2/types")
			b := charts.NewBar()
			b.SetGlobalOptions(charts.WithTitleOpts(opts.Title{Title: "T"}), charts.WithInitializationOpts(opts.Initialization{Theme: types.ThemeWesteros}))
			b.SetXAxis([]string{"a", "b"}).AddSeries("s", []opts.BarData{{Value: 1}, {Value: 2}})
			b.Validate()
			b.Title.Title + " " + b.Theme + " " + b.MultiSeries[0].Name`, "T westeros s"},
		{"echarts page", `import ("bytes"; "strings"; "github.com/go-echarts/go-echarts/v2/charts"; "github.com/go-echarts/go-echarts/v2/components")
			var b bytes.Buffer
			p := components.NewPage()
			p.AddCharts(charts.NewLine()).Render(&b)
			strings.Contains(b.String(), "echarts.init")`, "true"},

		// Types declared in cells, passed to compiled code.
		{"sort.Interface", `import "sort"
			type byLength []string
			func (s byLength) Len() int { return len(s) }
			func (s byLength) Less(i, j int) bool { return len(s[i]) < len(s[j]) }
			func (s byLength) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
			words := byLength{"ccc", "a", "bb"}
			sort.Sort(words)
			words`, "[a bb ccc]"},
		{"sort.Interface and back", `import "sort"
			type ints []int
			func (s ints) Len() int { return len(s) }
			func (s ints) Less(i, j int) bool { return s[i] < s[j] }
			func (s ints) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
			x := ints{1, 3, 2}
			sort.Sort(sort.Reverse(x))
			x`, "[3 2 1]"},
		{"plotter.XYer", `import "gonum.org/v1/plot/plotter"
			type squares struct{ n int }
			func (s squares) Len() int { return s.n }
			func (s squares) XY(i int) (float64, float64) { return float64(i), float64(i * i) }
			l, _ := plotter.NewLine(squares{4})
			l.XYs`, "[{0 0} {1 1} {2 4} {3 9}]"},
		{"mat.Matrix", `import "gonum.org/v1/gonum/mat"
			type identity struct{ n int }
			func (m identity) Dims() (int, int) { return m.n, m.n }
			func (m identity) At(i, j int) float64 { if i == j { return 1 }; return 0 }
			func (m identity) T() mat.Matrix { return m }
			var p mat.Dense
			p.Mul(mat.NewDense(2, 2, []float64{1, 2, 3, 4}), identity{2})
			p.RawMatrix().Data`, "[1 2 3 4]"},
		{"kernels.Multiplier", `import "github.com/rlx-go/gopherscope/kernels"
			type scaled struct{ by float32 }
			func (s scaled) Dims() (k, n int) { return 2, 2 }
			func (s scaled) Info() kernels.Info { return kernels.Info{} }
			func (s scaled) MulTo(y, x kernels.Matrix) { for i, v := range x.Data { y.Data[i] = s.by * v } }
			kernels.Mul(scaled{3}, kernels.Matrix{Rows: 1, Cols: 2, Stride: 2, Data: []float32{1, 2}}).Data`, "[3 6]"},
		{"error", `import "errors"
			type failure struct{ code int }
			func (f failure) Error() string { return "boom" }
			errors.Join(failure{1}, failure{2})`, "boom\nboom"},

		// As above, without importing the package of the interface.
		{"io.Writer by fmt", `import "fmt"
			type counter struct{ n int }
			func (c *counter) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }
			c := &counter{}
			fmt.Fprintf(c, "hello %d", 12)
			c.n`, "8"},
		{"color.Color by plotter", `import "gonum.org/v1/plot/plotter"
			type gray struct{ y uint32 }
			func (c gray) RGBA() (r, g, b, a uint32) { return c.y, c.y, c.y, 0xffff }
			b := plotter.BarChart{Color: gray{300}}
			_, g, _, _ := b.Color.RGBA()
			g`, "300"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := fmt.Sprint(eval(t, test.cell)); got != test.want {
				t.Errorf("got %s, want %s\n%s", got, test.want, test.cell)
			}
		})
	}
}

func TestVariableIsTheProgramsOwn(t *testing.T) {
	old := plotter.DefaultLineStyle
	defer func() { plotter.DefaultLineStyle = old }()
	got := eval(t, `import "gonum.org/v1/plot/plotter"
		plotter.DefaultLineStyle.Width = 7
		l, _ := plotter.NewLine(plotter.XYs{{X: 1, Y: 2}})
		float64(l.Width)`)
	if got != 7.0 {
		t.Errorf("a new line has width %v, want 7", got)
	}
	if plotter.DefaultLineStyle.Width != 7 {
		t.Errorf("the package's variable has width %v, want 7", plotter.DefaultLineStyle.Width)
	}
}

func TestEveryPackageImports(t *testing.T) {
	paths := bindings.Packages()
	if !slices.IsSorted(paths) || len(slices.Compact(slices.Clone(paths))) != len(paths) {
		t.Errorf("not sorted or not unique: %q", paths)
	}
	for _, path := range paths {
		// A dot import declares every name, and importing checks the proxies.
		eval(t, fmt.Sprintf("import . %q", path))
	}
}

// The interfaces that people implement most have a proxy.
func TestProxies(t *testing.T) {
	for path, names := range map[string][]string{
		"sort":                                  {"Interface"},
		"io":                                    {"Reader", "Writer", "Closer", "Seeker", "ReaderAt", "ReadWriteCloser", "WriterTo"},
		"fmt":                                   {"Stringer", "Formatter", "io.Writer"},
		"context":                               {"Context"},
		"io/fs":                                 {"FS", "FileInfo", "DirEntry"},
		"os":                                    {"FileInfo", "Signal"},
		"image":                                 {"Image"},
		"github.com/rlx-go/gopherscope/kernels": {"Multiplier"},
		"gonum.org/v1/gonum/mat":                {"Matrix", "Vector", "Symmetric", "Triangular"},
		"gonum.org/v1/gonum/optimize":           {"Converger", "Method", "Recorder"},
		"gonum.org/v1/gonum/stat":               {"gonum.org/v1/gonum/mat.Matrix"},
		"gonum.org/v1/gonum/stat/distuv":        {"RandLogProber"},
		"gonum.org/v1/plot":                     {"Plotter", "Ticker", "Normalizer", "Thumbnailer"},
		"gonum.org/v1/plot/plotter":             {"XYer", "XYZer", "Valuer", "GridXYZ", "XYLabeller"},
		"gonum.org/v1/plot/vg":                  {"Canvas"},
		"gonum.org/v1/plot/palette":             {"Palette", "ColorMap"},
	} {
		for _, name := range names {
			if imports.Packages[path].Proxies[name] == nil {
				t.Errorf("%s.%s has no proxy", path, name)
			}
		}
	}
}

func TestConstantsAreReadable(t *testing.T) {
	n := 0
	for _, path := range bindings.Packages() {
		for name, text := range imports.Packages[path].Untypeds {
			if kind, value := untyped.Unmarshal(text); kind == untyped.None || value == nil {
				t.Errorf("%s.%s: gomacro cannot read %q", path, name, text)
			}
			n++
		}
	}
	if n == 0 {
		t.Error("no untyped constants at all")
	}
}

func TestNothingOpensPlugins(t *testing.T) {
	if _, ok := imports.Packages["plugin"]; ok {
		t.Error("package plugin can be imported")
	}
}

// A cell may still import what only gomacro's own tables have.
func TestOlderTablesRemain(t *testing.T) {
	got := eval(t, `import ("encoding/json"; "strings"); b, _ := json.Marshal([]int{1, 2}); strings.Repeat(string(b), 2)`)
	if got != "[1,2][1,2]" {
		t.Errorf("got %v", got)
	}
}
