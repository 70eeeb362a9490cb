package jupyter

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Values of the libraries that draw, as the last expressions of cells.
func TestChartsOfOtherLibrariesShowThemselves(t *testing.T) {
	c := startChild(t)
	cl := c.connect(t)
	cl.execute("import (\n\techarts \"github.com/go-echarts/go-echarts/v2/charts\"\n\t\"github.com/go-echarts/go-echarts/v2/opts\"\n\t\"github.com/rlx-go/gopherscope/charts\"\n\t\"gonum.org/v1/plot\"\n)")
	const bar = "b := echarts.NewBar()\nb.SetXAxis([]string{\"a\", \"b\"}).AddSeries(\"count\", []opts.BarData{{Value: 1}, {Value: 2}})\nb"
	tests := []struct {
		name, source string
		published    []string
		types        string
		text         string
	}{
		{"plot", "p := plot.New()\np.Title.Text = \"mine\"\np", []string{"execute_result"}, "image/png text/html text/plain", "Plot: mine"},
		{"go-echarts, which the library precedes", bar, []string{"display_data", "execute_result"}, "text/html text/plain", "count (bar, 2 values)"},
		{"go-echarts again", bar, []string{"execute_result"}, "text/html text/plain", "count (bar, 2 values)"},
		{"displayed", "display.Display(b);", []string{"display_data"}, "text/html text/plain", "count (bar, 2 values)"},
		{"ours without Figure", "charts.Line{Title: \"loss\", X: charts.Axis{Label: \"x\"}, Y: charts.Axis{Label: \"y\"}, Series: []charts.Series{{Name: \"s\", X: []float64{1, 2}, Y: []float64{3, 4}}}}", []string{"execute_result"}, "image/png text/html text/plain", "loss\nLine chart"},
	}
	for _, test := range tests {
		reply, published := cl.execute(test.source)
		if reply.body["status"] != "ok" {
			t.Fatalf("%s: %v", test.name, reply.body)
		}
		if got := kinds(published); !slices.Equal(got[1:], test.published) {
			t.Errorf("%s: published %v, want %v", test.name, got[1:], test.published)
			continue
		}
		shown := published[len(published)-1].body["data"].(map[string]any)
		if got := strings.Join(slices.Sorted(maps.Keys(shown)), " "); got != test.types {
			t.Errorf("%s: shown as %s, want %s", test.name, got, test.types)
		}
		if text := shown["text/plain"].(string); !strings.Contains(text, test.text) {
			t.Errorf("%s: text %q, want %q", test.name, text, test.text)
		}
	}
	reply, _ := cl.execute("charts.Line{}")
	if value, _ := reply.body["evalue"].(string); !strings.Contains(value, "charts.Line cannot be drawn") {
		t.Errorf("a chart without data: %v", reply.body)
	}
	c.stop(t, cl)
}
