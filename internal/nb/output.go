package nb

import (
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/rlx-go/gopherscope/internal/display"
)

// outputHTML returns one output as HTML. cell names the cell for those who
// cannot see where the output stands.
func (d *document) outputHTML(o *Output, cell string) template.HTML {
	switch o.Type {
	case Stream:
		return template.HTML(fmt.Sprintf(
			`<pre class="output stream %s" tabindex="0" role="group" aria-label="%s of %s">%s</pre>`+"\n",
			streamClass(o.Name), escape(o.Name), escape(cell), ansiHTML(strings.TrimRight(o.Text, "\n"))))
	case ErrorOutput:
		return template.HTML(errorHTML(o, cell))
	}
	class := "output rich"
	if o.Type == ExecuteResult {
		class += " result"
	}
	return template.HTML(fmt.Sprintf("<div class=\"%s\">%s</div>\n", class, d.richest(o, cell)))
}

func streamClass(name string) string {
	if name == "stderr" {
		return "stderr"
	}
	return "stdout"
}

// errorTitle is the line that names an error.
func errorTitle(name, value string) string {
	if value != "" {
		name += ": " + value
	}
	return stripANSI(name)
}

// afterTitle returns a traceback without the error's title, by which most begin.
func afterTitle(traceback []string, title string) []string {
	if len(traceback) > 0 && stripANSI(traceback[0]) == title {
		return traceback[1:]
	}
	return traceback
}

// errorHTML shows the error's title and then the rest of its traceback.
func errorHTML(o *Output, cell string) string {
	title := errorTitle(o.ErrorName, o.ErrorValue)
	trace := afterTitle(o.Traceback, title)
	var b strings.Builder
	fmt.Fprintf(&b, "<div class=\"output error\" role=\"group\" aria-label=\"Error in %s\">\n<p>%s</p>\n", escape(cell), escape(title))
	if len(trace) > 0 {
		fmt.Fprintf(&b, "<pre tabindex=\"0\">%s</pre>\n", ansiHTML(strings.TrimRight(strings.Join(trace, "\n"), "\n")))
	}
	b.WriteString("</div>\n")
	return b.String()
}

// richest returns the richest content of a bundle that a page can show.
func (d *document) richest(o *Output, cell string) string {
	texts := func(mime string) string {
		s, _ := o.Data[mime].(string)
		return s
	}
	if s := texts("text/html"); s != "" {
		return s
	}
	if s := texts("text/markdown"); s != "" {
		if html, err := d.render(s); err == nil {
			return html
		}
	}
	if s := texts("text/latex"); s != "" {
		return latexHTML(s)
	}
	if mime, uri := bundledImage(o.Data); uri != "" {
		return fmt.Sprintf(`<img src="%s" alt="%s"%s>`, escape(uri), escape(altText(o, cell)), imageSize(o.Metadata, mime))
	}
	if s, ok := o.Data["text/plain"].(string); ok {
		return `<pre tabindex="0">` + ansiHTML(strings.TrimRight(s, "\n")) + "</pre>"
	}
	return plainest(o.Data)
}

// plainest returns JSON as text, or says which types there are.
func plainest(bundle display.MIMEMap) string {
	var types []string
	for mime, v := range bundle {
		if display.IsJSON(mime) {
			if text, err := json.MarshalIndent(v, "", "  "); err == nil {
				return highlight(string(text), "json")
			}
		}
		types = append(types, mime)
	}
	sort.Strings(types)
	return `<p class="missing">no part of this output can be shown here: ` + escape(strings.Join(types, ", ")) + "</p>"
}

// altText describes an image by the text that comes with it.
func altText(o *Output, cell string) string {
	const most = 300
	text, _ := o.Data["text/plain"].(string)
	text = strings.Join(strings.Fields(stripANSI(text)), " ")
	if text == "" {
		return "Image output of " + cell
	}
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "..."
	}
	return text
}

var wholeNumber = regexp.MustCompile(`^[1-9][0-9]{0,4}$`)

// imageSize returns the attributes for a size in pixels that the metadata gives,
// either for the image's type or for the whole output.
func imageSize(metadata display.MIMEMap, mime string) string {
	if own, ok := metadata[mime].(map[string]any); ok {
		metadata = own
	}
	attributes := ""
	for _, side := range []string{"width", "height"} {
		if size := fmt.Sprint(metadata[side]); wholeNumber.MatchString(size) {
			attributes += fmt.Sprintf(` %s="%s"`, side, size)
		}
	}
	return attributes
}

// latexHTML returns a text/latex output: TeX between $, $$, \( \) or \[ \], or
// bare TeX.
func latexHTML(s string) string {
	s = strings.TrimSpace(s)
	for _, d := range []struct {
		open, close string
		display     bool
	}{{"$$", "$$", true}, {`\[`, `\]`, true}, {`\(`, `\)`, false}, {"$", "$", false}} {
		if inner, ok := strings.CutPrefix(s, d.open); ok && len(inner) > len(d.close) {
			if tex, ok := strings.CutSuffix(inner, d.close); ok {
				return mathHTML("div", tex, d.display)
			}
		}
	}
	return mathHTML("div", s, true)
}

// mathHTML returns an element whose text the page's script replaces by the
// formula. Without scripts the TeX stays.
func mathHTML(tag, tex string, display bool) string {
	class := "math"
	if display {
		class = "math display"
	}
	return fmt.Sprintf(`<%s class="%s">%s</%s>`, tag, class, escape(strings.TrimSpace(tex)), tag)
}
