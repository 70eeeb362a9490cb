package nb

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/rlx-go/gopherscope/internal/display"
)

// markdown is GitHub's dialect with math. Of raw HTML, what lays out text passes.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM, mathExtension{}),
	goldmark.WithParserOptions(
		parser.WithAutoHeadingID(),
		parser.WithASTTransformers(util.Prioritized(selfContained{}, 1000)),
	),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodeRenderer{}, 100))),
)

// document is the Markdown state of one page.
type document struct {
	ids      headingIDs
	images   func(path string) (dataURI string, err error) // of files beside the notebook
	headings []heading                                     // of the cells, in order
	summary  string                                        // HTML of the first paragraph
}

// text returns the HTML of a Markdown cell, and notes its headings and the
// notebook's first paragraph.
func (d *document) text(c *Cell) (string, error) {
	root, source := d.parse(c.Source, c.Attachments)
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			name, _ := id.([]byte)
			d.headings = append(d.headings, heading{Level: n.Level, ID: string(name), Text: plainText(n, source)})
		case *ast.Paragraph:
			if d.summary == "" {
				d.summary = inlineHTML(n, source)
			}
		}
	}
	return toHTML(root, source)
}

// render returns the HTML of other Markdown.
func (d *document) render(markdown string) (string, error) {
	return toHTML(d.parse(markdown, nil))
}

func (d *document) parse(s string, attachments map[string]display.MIMEMap) (ast.Node, []byte) {
	pc := parser.NewContext(parser.WithIDs(d.ids))
	pc.Set(imagesKey, func(destination string) (string, error) {
		if name, ok := strings.CutPrefix(destination, "attachment:"); ok {
			return attachedImage(attachments, name)
		}
		return d.images(destination)
	})
	source := []byte(s)
	return markdown.Parser().Parse(text.NewReader(source), parser.WithContext(pc)), source
}

func toHTML(root ast.Node, source []byte) (string, error) {
	var b bytes.Buffer
	err := markdown.Renderer().Render(&b, source, root)
	return b.String(), err
}

// inlineHTML returns the text and the formulas of a paragraph as HTML, or ""
// when it holds an image or nothing to read.
func inlineHTML(paragraph ast.Node, source []byte) string {
	if plainText(paragraph, source) == "" {
		return ""
	}
	var b strings.Builder
	picture := false
	ast.Walk(paragraph, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			picture = picture || n.Kind() == kindPicture
			if m, ok := n.(*mathInline); ok {
				b.WriteString(mathHTML("span", string(m.tex), m.display))
			} else {
				b.WriteString(escape(ownText(n, source)))
			}
		}
		return ast.WalkContinue, nil
	})
	if picture {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// plainText returns the text of a node without any markup, TeX as it is.
func plainText(node ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			b.WriteString(ownText(n, source))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// ownText returns the text of a node that its children do not hold.
func ownText(n ast.Node, source []byte) string {
	switch n := n.(type) {
	case *ast.Text:
		value := n.Value(source)
		if _, code := n.Parent().(*ast.CodeSpan); !code && !n.IsRaw() {
			value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
		}
		if n.SoftLineBreak() || n.HardLineBreak() {
			return string(value) + " "
		}
		return string(value)
	case *ast.AutoLink:
		return string(n.Label(source))
	case *mathInline:
		return string(n.tex)
	}
	return ""
}
