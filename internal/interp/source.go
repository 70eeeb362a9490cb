package interp

import (
	"go/ast"
	"go/token"
	"slices"
	"sort"
	"strings"

	"github.com/cosmos72/gomacro/go/etoken"
)

// source is a cell that was parsed and has its place in gomacro's file set.
type source struct {
	parsed
	name string
	text string
	base int
}

// function is a function declaration or literal of some cell.
type function struct {
	name     string
	from, to token.Pos
}

// sources tells where the code of cells is that can still run: that of the
// last cell, and of those with functions. A session has thousands of others.
type sources struct {
	next    int        // the position of the next cell's first byte
	cells   []cellText // in the order of their positions
	dropped int        // cells that gomacro's file set has and cells has not
	// functions and bounds are those of cells, by position.
	functions []function
	bounds    []bounds
}

type cellText struct {
	name, text string
	base       int
	// functions and bounds are how many there were before the cell.
	functions, bounds int
}

// maxDropped is how many dropped cells the file set may have. Nothing can be taken
// out of it: it is made anew.
const maxDropped = 256

// add makes room for a cell and returns the position of its first byte.
func (s *sources) add(fset **etoken.FileSet, name, text string) (base int) {
	if last := len(s.cells) - 1; last >= 0 && len(s.functions) == s.cells[last].functions {
		s.bounds = slices.Delete(s.bounds, s.cells[last].bounds, len(s.bounds))
		s.cells = slices.Delete(s.cells, last, last+1)
		s.dropped++
	}
	if s.dropped == maxDropped {
		*fset = etoken.NewFileSet()
		for _, c := range s.cells {
			c.addTo(*fset)
		}
		s.dropped = 0
	}
	c := cellText{name, text, s.next, len(s.functions), len(s.bounds)}
	c.addTo(*fset)
	s.cells = append(s.cells, c)
	s.next += len(text) + 1
	return c.base
}

func (c cellText) addTo(fset *etoken.FileSet) {
	file := fset.AddFile(c.name, c.base, len(c.text), 0)
	file.SetLinesForContent([]byte(c.text))
	file.SetSourceForContent([]byte(c.text))
}

// load parses the code of a cell. Places show the text of the cell.
func (in *interpreter) load(name, text, code string) (*source, *Error) {
	src := &source{name: name, text: text, base: in.sources.add(&in.comp.Fileset, name, text)}
	var errs []syntaxError
	if src.parsed, errs = parseCell(code, src.base); len(errs) > 0 {
		return nil, in.syntaxErrors(src, errs)
	}
	for _, item := range src.items {
		in.sources.functions = appendFunctions(in.sources.functions, item)
	}
	return src, nil
}

func (in *interpreter) syntaxErrors(src *source, errs []syntaxError) *Error {
	var list problems
	for _, e := range errs {
		list = append(list, problem{src.pos(e.offset), "syntax error: " + e.msg})
	}
	return in.compileError(list)
}

func (s *source) pos(offset int) token.Pos { return token.Pos(s.base + offset) }

// place describes a position, in whichever cell it is.
func (in *interpreter) place(pos token.Pos) place {
	line, at := in.comp.Fileset.Source(pos)
	return place{
		cell:     at.Filename,
		line:     at.Line,
		column:   at.Column,
		source:   strings.TrimRight(line, "\r"),
		function: in.functionAt(pos),
	}
}

// functionAt returns the name of the innermost function around pos.
func (in *interpreter) functionAt(pos token.Pos) string {
	n := sort.Search(len(in.sources.functions), func(i int) bool { return in.sources.functions[i].from > pos })
	for i := n - 1; i >= 0; i-- {
		if pos <= in.sources.functions[i].to {
			return in.sources.functions[i].name
		}
	}
	return ""
}

// appendFunctions adds the functions of an item in the order of the source, so
// that an inner function comes after the one around it.
func appendFunctions(list []function, item ast.Node) []function {
	name := ""
	ast.Inspect(item, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			name = n.Name.Name
			if n.Recv != nil && len(n.Recv.List) == 1 {
				name = receiverName(n.Recv.List[0].Type) + "." + name
			}
			list = append(list, function{name, n.Pos(), n.End()})
		case *ast.FuncLit:
			inner := "a function literal"
			if name != "" {
				inner += " of " + name
			}
			list = append(list, function{inner, n.Pos(), n.End()})
		}
		return true
	})
	return list
}

// receiverName is the name of a method's type.
func receiverName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.ParenExpr:
		return receiverName(t.X)
	case *ast.StarExpr:
		return receiverName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
