package adapt

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-echarts/go-echarts/v2/components"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/rlx-go/gopherscope/charts"
)

//go:embed echarts.js
var echartsScript string

// chart is what the chart types of go-echarts have in common.
type chart interface {
	components.Charter
	JSON() map[string]any
	RenderContent() []byte
}

// interactive is one or more charts of go-echarts as they were when they were
// shown. There is no picture of them: only a browser can draw one.
type interactive struct {
	html, text string
	runs       bool // in a page, with the library of the prelude
}

func interactiveOf(c chart) (interactive, error) {
	// What a chart needs besides ECharts itself is in other files, on a network.
	var missing []string
	for _, asset := range c.GetAssets().JSAssets.Values {
		if name := path.Base(asset); name != "echarts.min.js" && !strings.Contains(asset, "/themes/") && !strings.HasPrefix(asset, "themes/") {
			missing = append(missing, name)
		}
	}
	c.Validate() // puts the data in their places
	option, err := optionOf(c)
	if err != nil {
		return interactive{}, fmt.Errorf("%T: %w", c, err)
	}
	text := describe(c, option)
	if len(missing) > 0 {
		text += fmt.Sprintf("\nIt needs %s, which a notebook does not carry. Render writes a page that fetches it: f, _ := os.Create(\"chart.html\"); chart.Render(f)", strings.Join(missing, " and "))
		return interactive{html: "<pre>" + html.EscapeString(text) + "</pre>\n", text: text}, nil
	}
	text += "\nIt is drawn by a browser that runs scripts; without one there is no picture of it."
	start := opts.Initialization{}
	if field := reflect.Indirect(reflect.ValueOf(c)).FieldByName("Initialization"); field.IsValid() {
		start, _ = field.Interface().(opts.Initialization)
	}
	id := newID(option)
	spec, err := json.Marshal(map[string]string{"id": id, "width": start.Width, "height": start.Height, "theme": start.Theme, "renderer": start.Renderer})
	if err != nil {
		return interactive{}, err
	}
	page := fmt.Sprintf("<div id=\"%s\"><pre>%s</pre></div>\n<script>(%s)(%s, function () { return %s; });</script>\n",
		id, html.EscapeString(text), strings.TrimSuffix(strings.TrimSpace(echartsScript), ";"), spec, withFunctions(option))
	return interactive{html: page, text: text, runs: true}, nil
}

// optionOf is the ECharts option as JSON that can stand in a script. Functions are
// texts in it, between marks.
func optionOf(c chart) ([]byte, error) { return json.Marshal(c.JSON()) }

var function = regexp.MustCompile(`"__f__(?:[^"\\]|\\.)*__f__"`)

// withFunctions makes of the functions in an option what they are in a script.
func withFunctions(option []byte) string {
	return function.ReplaceAllStringFunc(string(option), func(quoted string) string {
		var text string
		if json.Unmarshal([]byte(quoted), &text) != nil {
			return quoted
		}
		text = strings.TrimSuffix(strings.TrimPrefix(text, "__f__"), "__f__")
		// The end of a script element is one in a text of the script, too.
		return strings.NewReplacer("</", `<\/`, "<!--", `<\!--`).Replace(text)
	})
}

// describe says in words what a chart shows.
func describe(c chart, option []byte) string {
	type title struct{ Text, Subtext string }
	type axis struct{ Name string }
	var parts struct {
		Title  json.RawMessage
		Series []struct {
			Name, Type string
			Data       json.RawMessage
		}
		XAxis, YAxis []axis
	}
	text := "go-echarts chart of type " + c.Type()
	if json.Unmarshal(option, &parts) != nil {
		return text
	}
	var titles []title
	if one := (title{}); json.Unmarshal(parts.Title, &one) == nil {
		titles = append(titles, one)
	} else {
		json.Unmarshal(parts.Title, &titles)
	}
	for _, t := range titles {
		if t.Text != "" {
			text += ": " + oneLine(t.Text)
		}
	}
	for _, named := range []struct {
		name string
		axes []axis
	}{{"x", parts.XAxis}, {"y", parts.YAxis}} {
		for _, a := range named.axes {
			if a.Name != "" {
				text += "; " + named.name + ": " + oneLine(a.Name)
			}
		}
	}
	for i, s := range parts.Series {
		name := oneLine(s.Name)
		if name == "" {
			name = fmt.Sprintf("series %d", i+1)
		}
		var data []json.RawMessage
		text += fmt.Sprintf("\n  %s (%s", name, s.Type)
		if json.Unmarshal(s.Data, &data) == nil {
			text += fmt.Sprintf(", %d values", len(data))
		}
		text += ")"
	}
	return text
}

var shown = struct {
	sync.Mutex
	times map[string]int
}{times: map[string]int{}}

// newID is an id of its content and the number of times that it was shown, so that
// running a notebook again gives the same page.
func newID(content []byte) string {
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:6])
	shown.Lock()
	defer shown.Unlock()
	shown.times[digest]++
	return fmt.Sprintf("gopherscope-%s-%d", digest, shown.times[digest])
}

// pageOf is the charts of a page, one below the other.
func pageOf(p *components.Page) (any, error) {
	var all interactive
	var texts []string
	for _, c := range p.Charts {
		c, ok := c.(chart)
		if !ok {
			continue
		}
		one, err := interactiveOf(c)
		if err != nil {
			return nil, err
		}
		all.html += one.html
		all.runs = all.runs || one.runs
		texts = append(texts, one.text)
	}
	if len(texts) == 0 {
		texts = append(texts, "go-echarts page without charts")
	}
	all.text = strings.Join(slices.Compact(texts), "\n\n")
	if all.html == "" {
		all.html = "<pre>" + html.EscapeString(all.text) + "</pre>\n"
	}
	return all.asShown(), nil
}

// MIMEBundle returns the charts as HTML, with the text in their place where no
// script runs, and the text.
func (i interactive) MIMEBundle() map[string]any {
	return map[string]any{"text/html": i.html, "text/plain": i.text}
}

// withLibrary is what needs ECharts in the page.
type withLibrary struct{ interactive }

// MIMEPrelude returns ECharts, which is the same for the figures of package
// charts, so that a page has it once.
func (withLibrary) MIMEPrelude() (id, html string) { return (*charts.Figure)(nil).MIMEPrelude() }

func (i interactive) asShown() any {
	if i.runs {
		return withLibrary{i}
	}
	return i
}
