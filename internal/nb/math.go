package nb

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// mathExtension keeps TeX in Markdown from being read as Markdown:
//
//	$...$      in a line of text: the opening $ has no space after it, the closing
//	           one no space before it and no digit after it, so that prices
//	           ("$5 and $6") stay text, as in Pandoc
//	$$...$$    set apart, in a line of text or as lines of their own
//	\begin{e}  up to \end{e}, as lines of their own
//
// It renders them as elements of class "math" that hold the TeX as text.
type mathExtension struct{}

func (mathExtension) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		// Before paragraphs, lists and headings, after fenced code.
		parser.WithBlockParsers(util.Prioritized(mathBlockParser{}, 750)),
		parser.WithInlineParsers(util.Prioritized(mathInlineParser{}, 150)),
	)
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(mathRenderer{}, 100)))
}

type mathInline struct {
	ast.BaseInline
	tex     []byte
	display bool
}

var kindMathInline = ast.NewNodeKind("MathInline")

func (*mathInline) Kind() ast.NodeKind { return kindMathInline }

func (n *mathInline) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type mathInlineParser struct{}

func (mathInlineParser) Trigger() []byte { return []byte{'$'} }

func (mathInlineParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	fence := []byte("$")
	if bytes.HasPrefix(line, []byte("$$")) {
		fence = []byte("$$")
	}
	rest := line[len(fence):]
	// The second $ of a $$ that opened nothing opens nothing either.
	if len(rest) == 0 || len(fence) == 1 && (util.IsSpace(rest[0]) || block.PrecendingCharacter() == '$') {
		return nil
	}
	at, segment := block.Position()
	block.Advance(len(fence))
	tex, ok := readMath(block, fence)
	if !ok {
		block.SetPosition(at, segment)
		return nil
	}
	return &mathInline{tex: tex, display: len(fence) == 2}
}

// readMath reads up to the closing fence and past it. Only the next $ counts, so
// that the time stays linear in the text.
func readMath(block text.Reader, fence []byte) ([]byte, bool) {
	var tex []byte
	for {
		line, _ := block.PeekLine()
		if line == nil {
			return nil, false
		}
		for i := 0; i < len(line); i++ {
			switch {
			case line[i] == '\\' && i+1 < len(line):
				i++
			case line[i] == '`' && len(fence) == 1:
				return nil, false // a code span is stronger
			case bytes.HasPrefix(line[i:], fence):
				tex = append(tex, line[:i]...)
				after := line[i+len(fence):]
				if len(bytes.TrimSpace(tex)) == 0 {
					return nil, false
				}
				if len(fence) == 1 && (util.IsSpace(tex[len(tex)-1]) || len(after) > 0 && util.IsNumeric(after[0])) {
					return nil, false
				}
				block.Advance(i + len(fence))
				return tex, true
			}
		}
		tex = append(tex, line...)
		block.AdvanceLine()
	}
}

type mathBlock struct {
	ast.BaseBlock
	end    []byte         // what ends it: $$ or \end{...}
	tex    []byte         // without the $$, with \begin and \end
	lines  *text.Segments // all its lines, should it turn out not to be one
	closed bool
}

var kindMathBlock = ast.NewNodeKind("MathBlock")

func (*mathBlock) Kind() ast.NodeKind { return kindMathBlock }

func (*mathBlock) IsRaw() bool { return true }

func (n *mathBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// add takes one line of the block, and tells whether the block goes on. A line
// with more text after the end is no line of a block.
func (n *mathBlock) add(line []byte, segment text.Segment, from int) bool {
	n.lines.Append(segment)
	end := bytes.Index(line[from:], n.end)
	if end < 0 {
		n.tex = append(n.tex, line[from:]...)
		return true
	}
	stop := from + end
	n.closed = util.IsBlank(line[stop+len(n.end):])
	if n.end[0] == '\\' {
		stop += len(n.end)
	}
	n.tex = append(n.tex, line[from:stop]...)
	return false
}

var beginEnvironment = regexp.MustCompile(`^\\begin\{([A-Za-z]+\*?)\}`)

type mathBlockParser struct{}

func (mathBlockParser) Trigger() []byte { return []byte{'$', '\\'} }

func (mathBlockParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 {
		return nil, parser.NoChildren
	}
	n := &mathBlock{lines: text.NewSegments()}
	if bytes.HasPrefix(line[at:], []byte("$$")) {
		n.end = []byte("$$")
		at += 2
	} else if m := beginEnvironment.FindSubmatch(line[at:]); m != nil {
		n.end = []byte(`\end{` + string(m[1]) + `}`)
	} else {
		return nil, parser.NoChildren
	}
	if !n.add(line, segment, at) && !n.closed {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

func (mathBlockParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n := node.(*mathBlock)
	line, segment := reader.PeekLine()
	if n.closed || util.IsBlank(line) {
		return parser.Close
	}
	goesOn := n.add(line, segment, 0)
	reader.AdvanceToEOL()
	if !goesOn {
		return parser.Close
	}
	return parser.Continue | parser.NoChildren
}

func (mathBlockParser) Close(node ast.Node, reader text.Reader, _ parser.Context) {
	n := node.(*mathBlock)
	if n.closed && len(bytes.TrimSpace(n.tex)) > 0 {
		return
	}
	paragraph := ast.NewParagraph()
	for i := range n.lines.Len() {
		line := n.lines.At(i)
		line = line.TrimLeftSpace(reader.Source())
		if i == n.lines.Len()-1 {
			line = line.TrimRightSpace(reader.Source())
		}
		paragraph.Lines().Append(line)
	}
	n.Parent().ReplaceChild(n.Parent(), n, paragraph)
}

func (mathBlockParser) CanInterruptParagraph() bool { return true }

func (mathBlockParser) CanAcceptIndentedLine() bool { return false }

type mathRenderer struct{}

func (r mathRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(kindMathInline, r.inline)
	reg.Register(kindMathBlock, r.block)
}

func (mathRenderer) inline(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if n := node.(*mathInline); entering {
		w.WriteString(mathHTML("span", string(n.tex), n.display))
	}
	return ast.WalkSkipChildren, nil
}

func (mathRenderer) block(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString(mathHTML("div", string(node.(*mathBlock).tex), true) + "\n")
	}
	return ast.WalkSkipChildren, nil
}
