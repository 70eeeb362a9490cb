package nb

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

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
