package charts

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
)

// ECharts 5.4.3, the version that go-echarts v2 targets, as its authors publish
// it on npm; its licences lie beside it.
//
//go:embed assets/echarts.min.js
var echarts string

//go:embed prelude.js
var preludeScript string

//go:embed figure.js
var figureScript string

// preludeID changes with what the prelude holds, so that pages may carry two.
const preludeID = "gopherscope-echarts-5.4.3"

// prelude is built once: it is a megabyte.
var prelude = sync.OnceValue(func() string {
	before, after, found := strings.Cut(withoutComments(preludeScript), "ECHARTS")
	if !found {
		panic("charts: prelude.js has no place for ECharts")
	}
	library := strings.ReplaceAll(echarts, "\r\n", "\n") // in its licence
	return "<script>" + before + library + after + "</script>\n"
})

// MIMEPrelude returns what a page needs once, before or after its figures, for
// them to be interactive: the ECharts library, from this program and not from a
// network. id is the same for all figures.
func (f *Figure) MIMEPrelude() (id, html string) { return preludeID, prelude() }

var figureFunction = sync.OnceValue(func() string {
	return strings.TrimSuffix(strings.TrimSpace(withoutComments(figureScript)), ";")
})

// source returns the script of the figure in the element with the given id.
func (s script) source(id string) string {
	s.ID = id
	spec, err := json.Marshal(s) // escapes "<", ">", "&", U+2028 and U+2029
	if err != nil {
		panic("charts: " + err.Error()) // checked texts and finite numbers always marshal
	}
	return "(" + figureFunction() + ")(" + string(spec) + ");"
}

// withoutComments drops the indentation and the lines that are comments, so that
// a page does not carry them with every figure.
func withoutComments(source string) string {
	var b strings.Builder
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
