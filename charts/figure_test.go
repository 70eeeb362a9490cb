package charts

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
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
			"skipzeros: from 0.25 at 10 to 3.125 at 100; dense: from 1.25 at 10 to 1.25 at 100; " +
			"skipzeros, predicted: from 0.3 at 10 to 3 at 100.",
		"bar": "Quantization error by tensor. Bar chart of relative error by tensor. " +
			"int8: from 0.005 (encoder) to 0.0075 (decoder); int4: from 0.08 (encoder) to 0.12 (decoder).",
	} {
		if got := figures(t)[name].alt(); got != want {
			t.Errorf("%s: %s\nwant: %s", name, got, want)
		}
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
	all := strings.Join(texts, "|")
	for _, want := range []string{"Skipping zeros pays below a density of 40%", "density (%)", "time (ms)", "skipzeros, predicted"} {
		if !strings.Contains(all, want) {
			t.Errorf("the SVG does not say %q", want)
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
