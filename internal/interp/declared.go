package interp

import (
	"go/ast"
	"go/token"
	"strings"
)

// declaration is how a cell declares a name, for those who look it up.
type declaration struct {
	// text is the declaration: of a function without its body, of a variable that
	// a statement defines the statement.
	text string
	// signature is the parameters and results of a function.
	signature string
	// doc is the comment before it.
	doc string
	at  place
}

// declarationsOf lists what a cell declares, before its syntax is rewritten. A
// method is known as Type.Method.
func (in *interpreter) declarationsOf(src *source) map[string]declaration {
	found := map[string]declaration{}
	keep := func(name string, from, to token.Pos, signature string) {
		text := src.between(from, to)
		found[name] = declaration{text, signature, src.commentBefore(from), in.place(from)}
	}
	for _, item := range src.items {
		switch item := item.(type) {
		case *ast.FuncDecl:
			name := item.Name.Name
			if item.Recv != nil && len(item.Recv.List) == 1 {
				name = receiverName(item.Recv.List[0].Type) + "." + name
			}
			keep(name, item.Pos(), item.Type.End(), src.between(item.Type.Params.Pos(), item.Type.End()))
		case *ast.GenDecl:
			for _, spec := range item.Specs {
				from := spec.Pos()
				if !item.Lparen.IsValid() {
					from = item.Pos()
				}
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					keep(spec.Name.Name, from, spec.End(), "")
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						keep(id.Name, from, spec.End(), "")
					}
				}
			}
		case *ast.AssignStmt:
			if item.Tok != token.DEFINE {
				continue
			}
			for _, x := range item.Lhs {
				if id, ok := x.(*ast.Ident); ok {
					keep(id.Name, item.Pos(), item.End(), "")
				}
			}
		}
	}
	return found
}

func (s *source) between(from, to token.Pos) string {
	return s.text[int(from)-s.base : int(to)-s.base]
}

// commentBefore is the text of the comment that ends on the line before pos.
func (s *source) commentBefore(pos token.Pos) string {
	lines := strings.Split(s.text[:int(pos)-s.base], "\n")
	lines = lines[:len(lines)-1]
	first := len(lines)
	for first > 0 && strings.HasPrefix(strings.TrimSpace(lines[first-1]), "//") {
		first--
	}
	var doc []string
	for _, line := range lines[first:] {
		doc = append(doc, strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "//"), " "))
	}
	return strings.Join(doc, "\n")
}
