package nb

import (
	"html"
	"regexp"
	"slices"
	"strings"
)

// The elements and attributes that raw HTML in Markdown may use: they lay out
// text and load, send and run nothing.
var (
	harmlessElements = strings.Fields(`a abbr b bdi bdo blockquote br caption center cite code col colgroup dd del
		details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q rp rt ruby s
		samp small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr`)
	harmlessAttributes = strings.Fields(`align alt class colspan dir height id lang open reversed rowspan scope span
		start title type valign width`)
)

var (
	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	// Groups: the slash of an end tag, the name, the attributes.
	htmlTag       = regexp.MustCompile(`<(/?)([A-Za-z][A-Za-z0-9]*)((?:\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>` + "`" + `]+))?)*)\s*/?>`)
	htmlAttribute = regexp.MustCompile(`([A-Za-z_:][\w:.-]*)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>` + "`" + `]+))?`)
	harmlessStyle = regexp.MustCompile(`^(?:\s*(?:color|background|background-color|border(?:-[a-z]+)?|display|float|` +
		`font-(?:family|size|style|weight)|(?:max-)?(?:width|height)|margin(?:-[a-z]+)?|padding(?:-[a-z]+)?|` +
		`text-align|vertical-align)\s*:[\w #%.,-]*(?:;|$))*\s*$`)
)

// offlineHTML returns raw HTML with its harmless tags, written anew, and the
// images that they name inside. Any other tag is shown as text, and comments are
// left out.
func offlineHTML(raw string, images func(string) (string, error)) string {
	raw = htmlComment.ReplaceAllString(raw, "")
	var b strings.Builder
	for raw != "" {
		m := htmlTag.FindStringSubmatchIndex(raw)
		if m == nil {
			break
		}
		b.WriteString(withoutTags(raw[:m[0]]))
		slash, name, attributes := raw[m[2]:m[3]], strings.ToLower(raw[m[4]:m[5]]), raw[m[6]:m[7]]
		if !slices.Contains(harmlessElements, name) {
			b.WriteString(withoutTags(raw[m[0]:m[1]]))
		} else if b.WriteString("<" + slash + name); slash == "" {
			writeAttributes(&b, name, attributes, images)
			b.WriteString(">")
		} else {
			b.WriteString(">")
		}
		raw = raw[m[1]:]
	}
	b.WriteString(withoutTags(raw))
	return b.String()
}

// withoutTags lets no tag begin in HTML text, whose character references stay.
func withoutTags(s string) string { return strings.ReplaceAll(s, "<", "&lt;") }

func writeAttributes(b *strings.Builder, element, attributes string, images func(string) (string, error)) {
	for _, m := range htmlAttribute.FindAllStringSubmatch(attributes, -1) {
		name, value := strings.ToLower(m[1]), m[2]
		if value != "" && strings.ContainsRune(`"'`, rune(value[0])) {
			value = value[1 : len(value)-1]
		}
		value = html.UnescapeString(value)
		ok := slices.Contains(harmlessAttributes, name)
		switch {
		case name == "href" || name == "name":
			ok = element == "a" && (name == "name" || followable(value))
		case name == "style":
			ok = harmlessStyle.MatchString(value)
		case name == "src" && element == "img":
			src, err := images(value)
			value, ok = src, err == nil
		}
		if ok {
			b.WriteString(" " + name + `="` + escape(value) + `"`)
		}
	}
}

// followable tells whether a link leads to a page, in this folder or elsewhere,
// rather than to a script.
func followable(link string) bool {
	if strings.ContainsFunc(link, func(r rune) bool { return r <= ' ' }) {
		return false // browsers leave some of these out, so that a scheme could hide
	}
	scheme, _, found := strings.Cut(urlScheme.FindString(link), ":")
	return !found || slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(scheme))
}
