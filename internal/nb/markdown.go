package nb

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/rlx-go/gopherscope/internal/display"
)

// markdown is GitHub's dialect with math. Raw HTML passes, except for what
// GitHub's dialect filters and for what would be loaded from the network.
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

// heading is an entry of the table of contents.
type heading struct {
	Level    int
	ID, Text string
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

// inlineHTML returns what a paragraph holds, as HTML, or "" when that is not only
// text.
func inlineHTML(paragraph ast.Node, source []byte) string {
	if plainText(paragraph, source) == "" {
		return ""
	}
	var b bytes.Buffer
	for n := paragraph.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == kindPicture {
			return ""
		}
		if markdown.Renderer().Render(&b, source, n) != nil {
			return ""
		}
	}
	return b.String()
}

// plainText returns the text of a node without any markup, TeX as it is.
func plainText(node ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			value := n.Value(source)
			if _, code := n.Parent().(*ast.CodeSpan); !code && !n.IsRaw() {
				value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
			}
			b.Write(value)
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.AutoLink:
			b.Write(n.Label(source))
		case *mathInline:
			b.Write(n.tex)
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// headingIDs makes the ids of headings as Jupyter does, so that a notebook's
// links to its own sections work here too: the text, with dashes for spaces.
type headingIDs map[string]bool

func (ids headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	base := strings.Join(strings.Fields(string(value)), "-")
	if base == "" {
		base = "section"
	}
	id := base
	for i := 2; ids[id]; i++ {
		id = fmt.Sprintf("%s-%d", base, i)
	}
	ids[id] = true
	return []byte(id)
}

func (ids headingIDs) Put(value []byte) { ids[string(value)] = true }

var imagesKey = parser.NewContextKey()

// selfContained makes a document hold its images and name no others, and turns
// links to other notebooks into links to their pages.
type selfContained struct{}

func (selfContained) Transform(root *ast.Document, reader text.Reader, pc parser.Context) {
	images := pc.Get(imagesKey).(func(string) (string, error))
	source := reader.Source()
	replace := map[ast.Node]ast.Node{}
	ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = pageLink(n.Destination)
		case *ast.Image:
			p := &picture{alt: plainText(n, source), title: string(n.Title), url: string(n.Destination)}
			p.src, p.err = images(p.url)
			replace[n] = p
			return ast.WalkSkipChildren, nil
		case *ast.RawHTML:
			s := ast.NewString([]byte(offlineHTML(string(n.Segments.Value(source)), images)))
			s.SetCode(true) // written as it is
			replace[n] = s
		case *ast.HTMLBlock:
			var raw bytes.Buffer
			raw.Write(n.Lines().Value(source))
			if n.HasClosure() {
				raw.Write(n.ClosureLine.Value(source))
			}
			replace[n] = &htmlBlock{html: offlineHTML(raw.String(), images)}
		}
		return ast.WalkContinue, nil
	})
	for old, new := range replace {
		old.Parent().ReplaceChild(old.Parent(), old, new)
	}
}

var notebookLink = regexp.MustCompile(`^([^/:?#]+)\.ipynb(#.*)?$`)

// pageLink turns a link to a notebook of the same folder into one to its page.
func pageLink(destination []byte) []byte {
	return notebookLink.ReplaceAll(destination, []byte("$1.html$2"))
}

// picture stands for an image: src holds it, or err says why not.
type picture struct {
	ast.BaseInline
	url, src, alt, title string
	err                  error
}

var kindPicture = ast.NewNodeKind("Picture")

func (*picture) Kind() ast.NodeKind { return kindPicture }

func (n *picture) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// htmlBlock is a block of raw HTML, ready to be written.
type htmlBlock struct {
	ast.BaseBlock
	html string
}

var kindHTMLBlock = ast.NewNodeKind("OfflineHTMLBlock")

func (*htmlBlock) Kind() ast.NodeKind { return kindHTMLBlock }

func (n *htmlBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

var (
	// The tags that GitHub's dialect filters: they would swallow the rest of the page.
	filteredTag = regexp.MustCompile(`(?i)<(/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)\b)`)
	htmlTag     = regexp.MustCompile(`<[A-Za-z][^>]*>`)
	htmlLoad    = regexp.MustCompile(`(?i)\s(src|srcset|poster|background|data)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)`)
)

// offlineHTML returns raw HTML with the images it names inside, and without
// what else it would load.
func offlineHTML(raw string, images func(string) (string, error)) string {
	raw = filteredTag.ReplaceAllString(raw, "&lt;$1")
	return htmlTag.ReplaceAllStringFunc(raw, func(tag string) string {
		return htmlLoad.ReplaceAllStringFunc(tag, func(attribute string) string {
			m := htmlLoad.FindStringSubmatch(attribute)
			value := html.UnescapeString(strings.Trim(m[2], `"'`))
			if strings.HasPrefix(value, "data:") {
				return attribute
			}
			if !strings.EqualFold(m[1], "src") {
				return ""
			}
			src, err := images(value)
			if err != nil {
				return ""
			}
			return ` src="` + escape(src) + `"`
		})
	})
}

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
	case n.err == errRemote && !inLink(n):
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
