package experiment

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/charts"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// checkJSON checks that JSON keeps a result.
func checkJSON[T any](t *testing.T, r T) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back T
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("JSON does not keep the result: %v\n%+v\n%+v", err, r, back)
	}
}

// A shown is what every result has.
type shown interface {
	Table() charts.Table
	Figure() (*charts.Figure, error)
	Verdict() string
	Markdown() string
	MIMEBundle() map[string]any
}

// checkShown checks that a result shows itself, with these texts in its Markdown.
func checkShown(t *testing.T, r shown, want ...string) {
	t.Helper()
	if _, err := r.Figure(); err != nil {
		t.Error(err)
	}
	if len(r.Table().Rows) == 0 {
		t.Error("a table without rows")
	}
	markdown := r.Markdown()
	for _, text := range append(want, "## Verdict\n\n- ", "\n|---|") {
		if !strings.Contains(markdown, text) {
			t.Errorf("the Markdown lacks %q:\n%s", text, markdown)
		}
	}
	if b := r.MIMEBundle(); b["text/markdown"] != markdown || b["text/plain"] != r.Verdict() {
		t.Errorf("bundle %v", b)
	}
	if strings.Contains(markdown, "NaN") || strings.Contains(markdown, "Inf") {
		t.Errorf("the Markdown has what is no number:\n%s", markdown)
	}
}

// checkProduct checks what holds of any measurement.
func checkProduct(t *testing.T, p Product, multiplyAdds, least, most float64) {
	t.Helper()
	if p.NS <= 0 || p.MedianNS < p.NS || p.Bytes <= 0 || p.Impl == "" || p.Roof <= 0 {
		t.Errorf("%+v", p)
	}
	if want := 2 * multiplyAdds / float64(p.NS); math.Abs(p.Gops-want) > 1e-9*want {
		t.Errorf("%s: %v Gop/s, want %v", p.Scheme, p.Gops, want)
	}
	if p.Err < least || p.Err > most {
		t.Errorf("%s: error %v, want %v to %v", p.Scheme, p.Err, least, most)
	}
}

func TestTexts(t *testing.T) {
	for got, want := range map[string]string{
		shortPercent(0): "0%", shortPercent(1): "100%", shortPercent(0.123): "12%", shortPercent(0.0142): "1.4%", shortPercent(0.000256): "0.026%", shortPercent(3e-8): "3.0e-06%",
		shortTime(12): "12 ns", shortTime(1234): "1.23 µs", shortTime(45.6e6): "45.6 ms", shortTime(2e9): "2 s",
		factor(1374.2): "1374", factor(12.34): "12.3",
		compared(2.5, "f32"): "is 2.5 times as fast as f32", compared(0.5, "f32"): "takes 2 times as long as f32",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestPeaks(t *testing.T) {
	m := bench.Machine{F32Peak: 100, BF16Peak: 200, Int8Peak: 480}
	for scheme, want := range map[string]float64{
		kernels.SchemeF32: 100, kernels.SchemeSkipZeros: 100, kernels.SchemeBF16: 200,
		kernels.SchemeW8A8: 480, kernels.SchemeW8A16: 160, kernels.SchemeW4A16: 240,
	} {
		if got := peakOf(scheme, m); got != want {
			t.Errorf("%s: %v, want %v", scheme, got, want)
		}
	}
	m.Int8Peak = 150
	if got := peakOf(kernels.SchemeW4A16, m); got != 100 {
		t.Errorf("with slow int8: %v, want that of float32", got)
	}
}

func TestHeadReference(t *testing.T) {
	x := kernels.Matrix{Rows: 2, Cols: 2, Stride: 3, Data: []float32{1, 2, 99, 3, 4}}
	w := kernels.Matrix{Rows: 2, Cols: 1, Stride: 1, Data: []float32{10, 1}}
	if got := headReference(x, w); !slices.Equal(got, reference{12, 34}) {
		t.Errorf("%v", got)
	}
}
