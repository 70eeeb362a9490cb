package adapt

import (
	"bytes"
	"encoding/json"
	"image/color"
	"image/png"
	"strings"
	"testing"

	echarts "github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/components"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/rlx-go/gopherscope/charts"
)

type bundled interface{ MIMEBundle() map[string]any }

// bundle is what a value shows.
func bundle(t *testing.T, v any) (shown any, html, text string) {
	t.Helper()
	shown, err := Of(v)
	if err != nil {
		t.Fatal(err)
	}
	b, ok := shown.(bundled)
	if !ok {
		t.Fatalf("%T shows nothing", v)
	}
	html, _ = b.MIMEBundle()["text/html"].(string)
	text, _ = b.MIMEBundle()["text/plain"].(string)
	return shown, html, text
}

func line(title string) *echarts.Line {
	c := echarts.NewLine()
	c.SetGlobalOptions(echarts.WithTitleOpts(opts.Title{Title: title}), echarts.WithYAxisOpts(opts.YAxis{Name: "bits"}))
	c.SetXAxis([]string{"a", "b"}).AddSeries("loss", []opts.LineData{{Value: 3}, {Value: 1.5}})
	return c
}

func TestPlot(t *testing.T) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = "A \"title\"", "time", "loss"
	points, err := plotter.NewScatter(plotter.XYs{{X: 1, Y: 10}, {X: 3, Y: 20}})
	if err != nil {
		t.Fatal(err)
	}
	points.Color = color.RGBA{R: 255, A: 255}
	p.Add(points)
	shown, html, text := bundle(t, p)
	if want := `Plot: A "title"; x: time from 1 to 3; y: loss from 10 to 20`; text != want {
		t.Errorf("text %q, want %q", text, want)
	}
	if want := `<img alt="Plot: A &#34;title&#34;; x: time from 1 to 3; y: loss from 10 to 20" width="640" height="400"`; !strings.HasPrefix(html, want) {
		t.Errorf("html %.150q, want %q", html, want)
	}
	encoded := shown.(bundled).MIMEBundle()["image/png"].([]byte)
	img, err := png.Decode(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 1280 || size.Y != 800 {
		t.Errorf("the picture has %v pixels", size)
	}
	red := 0
	for y := range 800 {
		for x := range 1280 {
			if r, g, _, _ := img.At(x, y).RGBA(); r > 0xf000 && g < 0x1000 {
				red++
			}
		}
	}
	if red < 40 {
		t.Errorf("the picture has %d red pixels of two points", red)
	}
	size := shown.(interface{ MIMEMetadata() map[string]any }).MIMEMetadata()["image/png"].(map[string]any)
	if size["width"] != 640 || size["height"] != 400 {
		t.Errorf("meant to be seen at %v", size)
	}
}

func TestPlotWithoutAnything(t *testing.T) {
	if _, _, text := bundle(t, plot.New()); text != "Plot; x from -1 to 1; y from -1 to 1" {
		t.Errorf("text %q", text)
	}
}

func TestEChartsLine(t *testing.T) {
	const title = "Loss </script><b>& more"
	shown, html, text := bundle(t, line(title))
	if want := "go-echarts chart of type line: " + title + "; y: bits\n  loss (line, 2 values)\n"; !strings.HasPrefix(text, want) || !strings.Contains(text, "a browser that runs scripts") {
		t.Errorf("text %q, want %q and that it takes scripts", text, want)
	}
	if strings.Count(html, "</script>") != 1 {
		t.Errorf("the title ends the script:\n%s", html)
	}
	if before, _, _ := strings.Cut(html, "<script>"); !strings.Contains(before, "loss (line, 2 values)") {
		t.Errorf("without scripts there is %q", before)
	}
	_, option, _ := strings.Cut(html, "function () { return ")
	option, _, _ = strings.Cut(option, "; });</script>")
	var got struct {
		Title  struct{ Text string }
		Series []struct {
			Name string
			Data []struct{ Value float64 }
		}
		XAxis []struct{ Data []string }
	}
	if err := json.Unmarshal([]byte(option), &got); err != nil {
		t.Fatalf("the option %.200q: %v", option, err)
	}
	if got.Title.Text != title || len(got.Series) != 1 || got.Series[0].Data[1].Value != 1.5 || len(got.XAxis) != 1 || len(got.XAxis[0].Data) != 2 {
		t.Errorf("the option is %+v", got)
	}
	id, prelude := shown.(interface{ MIMEPrelude() (string, string) }).MIMEPrelude()
	if wantID, want := (&charts.Figure{}).MIMEPrelude(); id != wantID || prelude != want {
		t.Errorf("the prelude %q is not that of package charts", id)
	}
}

func TestEChartsShownTwiceHasTwoIDs(t *testing.T) {
	c := line("twice")
	_, first, _ := bundle(t, c)
	_, second, _ := bundle(t, c)
	id := func(html string) string { return strings.SplitN(html, `"`, 3)[1] }
	if id(first) == id(second) || !strings.HasPrefix(id(first), "gopherscope-") {
		t.Errorf("ids %q and %q", id(first), id(second))
	}
}

func TestEChartsFunctions(t *testing.T) {
	c := line("functions")
	c.SetGlobalOptions(echarts.WithTooltipOpts(opts.Tooltip{Formatter: opts.FuncOpts(`function (p) { return "<b>" + p.name + "</b>"; }`)}))
	_, html, _ := bundle(t, c)
	if want := `"formatter":function (p) { return "<b>" + p.name + "<\/b>"; }`; !strings.Contains(html, want) {
		t.Errorf("no %s in\n%s", want, html)
	}
}

func TestEChartsThatNeedMoreThanAPageHas(t *testing.T) {
	c := echarts.NewBar3D()
	c.AddSeries("z", nil)
	shown, html, text := bundle(t, c)
	if !strings.Contains(text, "echarts-gl.min.js, which a notebook does not carry") || strings.Contains(html, "<script>") {
		t.Errorf("text %q, html %q", text, html)
	}
	if _, ok := shown.(interface{ MIMEPrelude() (string, string) }); ok {
		t.Error("it sends a library that cannot draw it")
	}
}

func TestEChartsPage(t *testing.T) {
	page := components.NewPage()
	page.AddCharts(line("one"), line("two"))
	_, html, text := bundle(t, page)
	if strings.Count(html, "<script>") != 2 || !strings.Contains(text, "line: one") || !strings.Contains(text, "line: two") {
		t.Errorf("text %q, html %q", text, html)
	}
	if _, _, text := bundle(t, components.NewPage()); text != "go-echarts page without charts" {
		t.Errorf("text %q", text)
	}
}

func TestChartsBeforeTheyAreFigures(t *testing.T) {
	ok := charts.Line{Title: "t", X: charts.Axis{Label: "x"}, Y: charts.Axis{Label: "y"}, Series: []charts.Series{{Name: "s", X: []float64{1, 2}, Y: []float64{3, 4}}}}
	if shown, err := Of(ok); err != nil {
		t.Error(err)
	} else if _, is := shown.(*charts.Figure); !is {
		t.Errorf("shows a %T", shown)
	}
	if _, err := Of(charts.Line{}); err == nil || !strings.Contains(err.Error(), "charts.Line cannot be drawn") {
		t.Errorf("error %v", err)
	}
}

func TestOthersAreLeftAlone(t *testing.T) {
	for _, v := range []any{nil, 1, "x", (*plot.Plot)(nil), (*echarts.Line)(nil), (*components.Page)(nil), []int{1}, &charts.Figure{}} {
		if shown, err := Of(v); shown != nil || err != nil {
			t.Errorf("%T: %v, %v", v, shown, err)
		}
	}
}
