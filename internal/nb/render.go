package nb

import (
	"fmt"
	"html"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// nodeRenderer renders what this package adds to goldmark's own nodes or draws
// in another way.
type nodeRenderer struct{}

func (r nodeRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindFencedCodeBlock, r.fencedCode)
	reg.Register(ast.KindCodeBlock, r.indentedCode)
	reg.Register(extast.KindTable, r.table)
	reg.Register(kindPicture, r.picture)
	reg.Register(kindHTMLBlock, r.htmlBlock)
}

func (nodeRenderer) fencedCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if n := node.(*ast.FencedCodeBlock); entering {
		w.WriteString(highlight(string(n.Lines().Value(source)), string(n.Language(source))))
	}
	return ast.WalkSkipChildren, nil
}

func (nodeRenderer) indentedCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString(highlight(string(node.Lines().Value(source)), ""))
	}
	return ast.WalkSkipChildren, nil
}

// table puts a table into an element that scrolls sideways when it must.
func (nodeRenderer) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("<div class=\"scroll\" tabindex=\"0\"><table>\n")
	} else {
		// goldmark's table body closes itself.
		w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

func (nodeRenderer) picture(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*picture)
	switch {
	case n.err == nil:
		fmt.Fprintf(w, `<img src="%s" alt="%s"`, escape(n.src), escape(n.alt))
		if n.title != "" {
			fmt.Fprintf(w, ` title="%s"`, escape(n.title))
		}
		w.WriteString(">")
	case n.err == errRemote && followable(n.url) && !inLink(n):
		text := n.alt
		if text == "" {
			text = n.url
		}
		fmt.Fprintf(w, `<a href="%s">%s</a>`, escape(n.url), escape(text))
	default:
		fmt.Fprintf(w, `<span class="missing">%s (%s)</span>`, escape(n.alt), escape(n.err.Error()))
	}
	return ast.WalkContinue, nil
}

func inLink(n ast.Node) bool {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

func (nodeRenderer) htmlBlock(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if n := node.(*htmlBlock); entering {
		w.WriteString(n.html)
	}
	return ast.WalkContinue, nil
}

// escape escapes text for HTML, in content and in quoted attributes.
func escape(s string) string { return html.EscapeString(s) }
