package charts

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

func TestMIMEBundle(t *testing.T) {
	for name, f := range figures(t) {
		bundle := f.MIMEBundle()
		page, _ := bundle["text/html"].(string)
		picture, _ := bundle["image/png"].([]byte)
		text, _ := bundle["text/plain"].(string)
		if len(bundle) != 3 || page == "" || text != f.String() {
			t.Errorf("%s: the bundle has %d types, %d bytes of HTML, text %q", name, len(bundle), len(page), text)
		}
		config, err := png.DecodeConfig(bytes.NewReader(picture))
		if err != nil {
			t.Fatalf("%s: image/png: %v", name, err)
		}
		size, _ := f.MIMEMetadata()["image/png"].(map[string]any)
		if size["width"] != config.Width/2 || size["height"] != config.Height/2 {
			t.Errorf("%s: metadata %v for a picture of %d x %d pixels", name, size, config.Width, config.Height)
		}
		if strings.Contains(page, "http:") || strings.Contains(page, "https:") {
			t.Errorf("%s: the HTML names a network address", name)
		}
	}
}

// parts of the HTML of a figure: its element, and the spec that its script gets.
var figureHTML = regexp.MustCompile(`(?s)^<div id="([^"]+)"[^>]*><img alt="([^"]*)" width="720" [^>]* src="data:image/png;base64,[A-Za-z0-9+/=]+"></div>\n<script>(.*)\)\((\{.*\})\);</script>\n$`)

func TestHTMLIsEscaped(t *testing.T) {
	evil := "</script><script>alert(1)</script><!-- \"quoted\" 'single' & \u2028\u2029 {c} é"
	f := mustBar(t, Bar{
		Title: evil, X: Axis{Label: "</script><!--"}, Y: Axis{Label: "<!--", Unit: "</script>"}, Categories: []string{evil},
		Series: []Series{{Name: evil, Y: []float64{1}}},
	})
	page := f.html()
	m := figureHTML.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the HTML is not a div with a picture and one script: %.300s", page)
	}
	script := m[3] + m[4]
	for _, bad := range []string{"</", "<!--", "\u2028", "\u2029"} {
		if strings.Contains(script, bad) {
			t.Errorf("the script contains %q", bad)
		}
	}
	if strings.ContainsAny(m[2], "<>\"") {
		t.Errorf("the alternative text is not escaped: %s", m[2])
	}
	var spec struct {
		ID     string
		Unit   string
		Option struct {
			Title struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(m[4]), &spec); err != nil {
		t.Fatal(err)
	}
	title := oneLine(evil)
	if spec.ID != m[1] || spec.Unit != "</script>" || strings.ReplaceAll(spec.Option.Title.Text, "\n", " ") != title {
		t.Errorf("the script gets %+v", spec)
	}
}

// No text of any kind of chart can end the script or the attribute it stands in.
func TestHostileTextsAreEscaped(t *testing.T) {
	evil := "</script><script>alert(1)</script><!-- \"x\" 'y' & {b} {c}"
	name := func(i int) string { return fmt.Sprint("<!--</script>\"{b}", i) }
	x, y := Axis{Label: name(1), Unit: name(2)}, Axis{Label: name(3), Unit: name(4)}
	for _, chart := range []figurer{
		Scatter{Title: evil, X: x, Y: y, Series: []Series{{Name: name(5), X: []float64{1, 2}, Y: []float64{1, 2}, Labels: []string{name(6), name(7)}, Low: []float64{0, 1}, High: []float64{1, 2}}}},
		Bar{Title: evil, X: x, Y: y, Categories: []string{name(5)}, Series: []Series{{Name: name(6), Y: []float64{2}, Low: []float64{1}, High: []float64{3}}}},
		Histogram{Title: evil, X: x, Y: y, Values: []float64{1, 2}, Scheme: name(5)},
		Heatmap{Title: evil, X: x, Y: y, Value: Axis{Label: name(5), Unit: name(6)}, Columns: []string{name(7), name(8)}, Rows: []string{name(9)}, Values: [][]float64{{1, 2}}},
		Roofline{Title: evil, Ops: "</s>\"", Peaks: []Limit{{Name: name(1), Value: 10}}, Bandwidths: []Limit{{Name: name(2), Value: 1}}, Kernels: []Series{{Name: name(3), X: []float64{1}, Y: []float64{1}, Labels: []string{name(4)}}}},
	} {
		page := mustFigure(t, chart).html()
		m := figureHTML.FindStringSubmatch(page)
		if m == nil {
			t.Errorf("%T: the HTML is not a div with a picture and one script: %.300s", chart, page)
			continue
		}
		if script := m[3] + m[4]; strings.Contains(script, "</") || strings.Contains(script, "<!--") {
			t.Errorf("%T: the script can be ended by a text", chart)
		}
		if strings.ContainsAny(m[2], "<>\"") {
			t.Errorf("%T: the alternative text is not escaped: %s", chart, m[2])
		}
		if !json.Valid([]byte(m[4])) {
			t.Errorf("%T: the script gets no JSON", chart)
		}
	}
}

func TestIDsAreOwnAndRepeatable(t *testing.T) {
	id := func(f *Figure) string { return figureHTML.FindStringSubmatch(f.html())[1] }
	f := mustLine(t, exampleLine())
	first, second := id(f), id(f)
	if first == second {
		t.Errorf("two displays have the id %s", first)
	}
	if again := id(mustLine(t, exampleLine())); again != first {
		t.Errorf("the same chart has the id %s and then %s", first, again)
	}
	other := exampleLine()
	other.Series[0].Y[0] += 1e-9
	if id(mustLine(t, other)) == first {
		t.Error("another chart has the same id")
	}
}

func TestAltSaysWhatTheChartShows(t *testing.T) {
	for name, want := range map[string]string{
		"line": "Skipping zeros pays below a density of 40%. Line chart of time (ms) against density (%). " +
			"skipzeros: from 0.25 at 10 to 3.125 at 100; dense: always 1.25, from 10 to 100; " +
			"skipzeros, predicted: from 0.3 at 10 to 3 at 100.",
		"bar": "Quantization error by tensor. Bar chart of relative error by tensor. " +
			"int8: 0.005 for encoder, 0.0075 for decoder; int4: 0.08 for encoder, 0.12 for decoder.",
		"errorbar": "Quantization error by tensor. Bar chart of relative error by tensor. " +
			"int8: 0.5 (error bar 0.375 to 0.75) for encoder, 0.75 (error bar 0.5 to 1) for decoder; int4: 0.08 for encoder, 0.12 for decoder.",
		"scatter": "Smaller weights cost precision. Scatter chart of relative error against size (bits/weight). " +
			"w8a16: 0.005 at 8.5 (channel); w4a16: 2 points from 0.08 (error bar 0.07 to 0.09) at 5 (group 32) to 0.125 (error bar 0.1 to 0.15) at 4.5 (group 64); " +
			"bound: a line from 0.002 at 9 to 0.1 at 4.",
		"histogram": "Most weights are small. Histogram: count by weight (1e-3). " +
			"6 values from -4 to 6, half of them from 0.5 to 1.375, median 0.75; the fullest of 5 bins, from 0 to 2, holds 4.",
		"heatmap": "Later layers are harder to quantize. Heat map of relative error (%) by tensor and layer. " +
			"2 rows and 3 columns; from 0.01 (q_proj, 0) to 10 (down_proj, 2).",
		"roofline": "One row is limited by memory. Roofline chart of rate (Gflop/s) against arithmetic intensity (flop/byte). " +
			"f32 peak: 160 Gflop/s; DRAM: 20 GB/s; L2: 80 GB/s; " +
			"f32: up to 120 Gflop/s at 32 flop/byte (m=64), 75% of f32 peak, 18.8% of DRAM, 4.69% of L2; " +
			"w8a16: up to 30 Gflop/s at 2 flop/byte, 18.8% of f32 peak, 75% of DRAM, 18.8% of L2.",
	} {
		if got := figures(t)[name].alt(); got != want {
			t.Errorf("%s: %s\nwant: %s", name, got, want)
		}
	}
}

// A line that turns is told by more than its ends.
func TestAltNamesTheTurns(t *testing.T) {
	got := mustLine(t, Line{Title: "t", X: Axis{Label: "x"}, Y: Axis{Label: "y"}, Series: []Series{
		{Name: "valley", X: []float64{1, 2, 3}, Y: []float64{5, 2, 4}},
		{Name: "hill", X: []float64{1, 2, 3}, Y: []float64{1, 6, 1}},
		{Name: "both", X: []float64{1, 2, 3, 4}, Y: []float64{3, 7, 1, 3}, Low: []float64{3, 6, 1, 3}, High: []float64{3, 9, 1, 3}},
		{Name: "slope", X: []float64{1, 2, 3}, Y: []float64{1, 1, 2}},
	}}).alt()
	want := "t. Line chart of y against x. valley: from 5 at 1 to 4 at 3, lowest 2 at 2; hill: from 1 at 1 to 1 at 3, highest 6 at 2; " +
		"both: from 3 (error bar 3 to 3) at 1 to 3 (error bar 3 to 3) at 4, lowest 1 (error bar 1 to 1) at 3, highest 7 (error bar 6 to 9) at 2; slope: from 1 at 1 to 2 at 3."
	if got != want {
		t.Errorf("%s\nwant: %s", got, want)
	}
}

func TestPrelude(t *testing.T) {
	id, page := mustLine(t, exampleLine()).MIMEPrelude()
	otherID, other := mustBar(t, exampleBar()).MIMEPrelude()
	if id == "" || id != otherID || page != other {
		t.Error("the figures of a page have different preludes")
	}
	if !strings.HasPrefix(page, "<script>") || strings.Count(page, "</script") != 1 || !strings.HasSuffix(page, "</script>\n") {
		t.Error("the prelude is not one script element")
	}
	for _, bad := range []string{"<!--", "\u2028", "\u2029", "src=\"http"} {
		if strings.Contains(page, bad) {
			t.Errorf("the prelude contains %q", bad)
		}
	}
	// ECharts registers itself with a module system if it sees one.
	wrapper, rest, found := strings.Cut(page, "/*\n* Licensed to the Apache Software Foundation")
	if !found || !strings.HasSuffix(strings.TrimSpace(wrapper), "(function (define, exports, module, globalThis) {") {
		t.Errorf("ECharts with its licence is not inside the wrapper, which ends with %q", wrapper[max(0, len(wrapper)-80):])
	}
	if !strings.Contains(rest, "}).call(host, undefined, undefined, undefined, host);") {
		t.Error("the wrapper does not hide the module systems of the page")
	}
	if !strings.Contains(rest, `.version="5.4.3"`) || !strings.HasSuffix(id, "5.4.3") {
		t.Errorf("the prelude %s does not hold ECharts 5.4.3", id)
	}
}

func TestFiguresMayBeSharedBetweenGoroutines(t *testing.T) {
	f := mustBar(t, exampleBar())
	var wait sync.WaitGroup
	ids := make([]string, 4)
	for i := range ids {
		wait.Go(func() {
			ids[i] = figureHTML.FindStringSubmatch(f.html())[1]
			if _, err := f.encode(".svg"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	seen := map[string]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	if len(seen) != len(ids) {
		t.Errorf("the ids %q are not distinct", ids)
	}
}

func TestSave(t *testing.T) {
	f := mustLine(t, exampleLine())
	dir := t.TempDir()
	for _, name := range []string{"a.png", "a.PNG", "a.svg", "a.html"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch strings.ToLower(filepath.Ext(name)) {
		case ".png":
			if !bytes.Equal(content, f.png) {
				t.Errorf("%s is not the picture", name)
			}
		case ".svg":
			checkSVG(t, content)
		case ".html":
			page := string(content)
			if strings.Count(page, `class="gopherscope-figure"`) != 1 || !strings.Contains(page, prelude()) || !strings.Contains(page, "<title>Skipping zeros pays") {
				t.Errorf("%s is not a whole page", name)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 4 {
		t.Errorf("the folder holds %v (%v), want the 4 files", left, err)
	}
}

func checkSVG(t *testing.T, content []byte) {
	t.Helper()
	all := strings.Join(svgTexts(t, content), "|")
	for _, want := range []string{"Skipping zeros pays below a density of 40%", "density (%)", "time (ms)", "skipzeros, predicted"} {
		if !strings.Contains(all, want) {
			t.Errorf("the SVG does not say %q", want)
		}
	}
}

// svgTexts returns the texts of an SVG, which must be well-formed.
func svgTexts(t *testing.T, content []byte) []string {
	t.Helper()
	var texts []string
	decoder := xml.NewDecoder(bytes.NewReader(content))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok && len(data) < 100 {
			texts = append(texts, strings.TrimSpace(string(data)))
		}
	}
	return texts
}

// The SVG of every kind of chart names its axes, as the picture does.
func TestSVGNamesTheAxes(t *testing.T) {
	for name, f := range figures(t) {
		texts := strings.Join(svgTexts(t, mustEncode(t, f, ".svg")), "|")
		for _, want := range []string{f.frame.x, f.frame.y, strings.Join(f.frame.title, "|")} {
			if want == "" || !strings.Contains(texts, want) {
				t.Errorf("%s: the SVG does not say %q: %s", name, want, texts)
			}
		}
		for _, l := range append(f.script.X, f.script.Y...) {
			if text, _ := l[1].(string); !strings.Contains(texts, text) {
				t.Errorf("%s: the SVG has no tick %q: %s", name, text, texts)
			}
		}
	}
}

func TestSaveFails(t *testing.T) {
	f := mustLine(t, exampleLine())
	dir := t.TempDir()
	full := filepath.Join(dir, "folder.png")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, reason := range map[string]string{
		filepath.Join(dir, "a.pdf"):            `the extension ".pdf" is not .png, .svg or .html`,
		filepath.Join(dir, "a"):                `the extension "" is not`,
		filepath.Join(dir, "nowhere", "a.png"): "a.png",
		full:                                   "folder.png",
	} {
		err := f.Save(path)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: error %v, want one that names the file and says %q", path, err, reason)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v (%v), want nothing new", left, err)
	}
}
