package nb

import (
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
)

var codeFormatter = html.New(html.WithClasses(true), html.PreventSurroundingPre(true))

// highlight returns a <pre> of the code, coloured by classes when the language
// is known.
func highlight(code, language string) string {
	code = strings.TrimRight(code, "\n")
	var b strings.Builder
	// The element scrolls sideways, which a keyboard must be able to do.
	b.WriteString(`<pre class="chroma" tabindex="0"><code>`)
	if !colour(&b, code, language) {
		b.WriteString(escape(code))
	}
	b.WriteString("</code></pre>\n")
	return b.String()
}

func colour(b *strings.Builder, code, language string) bool {
	// No language's name is longer, and looking one up takes long when it is.
	if language == "" || len(language) > 40 {
		return false
	}
	lexer := lexers.Get(language)
	if lexer == nil {
		return false
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return false
	}
	var coloured strings.Builder
	if codeFormatter.Format(&coloured, styles.Fallback, tokens) != nil {
		return false
	}
	b.WriteString(coloured.String())
	return true
}

// codeCSS returns the colours of code for light and dark pages.
var codeCSS = sync.OnceValue(func() string {
	var b strings.Builder
	// Each on its own: the styles do not colour the same kinds of tokens.
	b.WriteString("@media print, (prefers-color-scheme: light) {\n")
	codeFormatter.WriteCSS(&b, styles.Get("github"))
	b.WriteString("}\n@media screen and (prefers-color-scheme: dark) {\n")
	codeFormatter.WriteCSS(&b, styles.Get("github-dark"))
	b.WriteString("}\n")
	return b.String()
})
