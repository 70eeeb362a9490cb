package interp

import (
	"go/ast"
	"go/token"
	"sort"
	"strings"
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

// load parses the code of a cell. Places show the text of the cell.
func (in *interpreter) load(name, text, code string) (*source, *Error) {
	fset := in.comp.Fileset
	src := &source{name: name, text: text, base: fset.Base()}
	file := fset.AddFile(name, src.base, len(text), 0)
	file.SetLinesForContent([]byte(text))
	file.SetSourceForContent([]byte(text))
	var errs []syntaxError
	if src.parsed, errs = parseCell(code, src.base); len(errs) > 0 {
		return nil, in.syntaxErrors(src, errs)
	}
	for _, item := range src.items {
		in.functions = appendFunctions(in.functions, item)
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
	n := sort.Search(len(in.functions), func(i int) bool { return in.functions[i].from > pos })
	for i := n - 1; i >= 0; i-- {
		if pos <= in.functions[i].to {
			return in.functions[i].name
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
