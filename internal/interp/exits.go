package interp

import (
	"flag"
	"go/ast"
	"go/token"
	"go/types"
	"log"
	"strings"
)

// loggerFatal returns what stands for a method of a *log.Logger that exits, or
// nil for other selectors.
func (c *compiler) loggerFatal(n *ast.SelectorExpr) ast.Expr {
	s := c.info.Selections[n]
	if s == nil || s.Kind() != types.MethodVal {
		return nil
	}
	method := s.Obj()
	if !c.isCompiled(method) || method.Pkg().Path() != "log" || !strings.HasPrefix(method.Name(), "Fatal") {
		return nil
	}
	x, t, pos := n.X, s.Recv(), n.X.End()
	for _, i := range s.Index()[:len(s.Index())-1] { // of an embedded logger
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		field := t.Underlying().(*types.Struct).Field(i)
		x, t = &ast.SelectorExpr{X: x, Sel: name(field.Name(), pos)}, field.Type()
	}
	if _, ok := t.Underlying().(*types.Pointer); !ok {
		x = &ast.UnaryExpr{OpPos: n.Pos(), Op: token.AND, X: x}
	}
	with := call(hidden+method.Name(), x)
	c.info.Types[with] = c.info.Types[n]
	return with
}

func (in *interpreter) declareFatal() {
	in.comp.DeclFunc0(hidden+"Fatal", func(l *log.Logger) func(...any) {
		return func(v ...any) { l.Print(v...); fatal() }
	})
	in.comp.DeclFunc0(hidden+"Fatalf", func(l *log.Logger) func(string, ...any) {
		return func(format string, v ...any) { l.Printf(format, v...); fatal() }
	})
	in.comp.DeclFunc0(hidden+"Fatalln", func(l *log.Logger) func(...any) {
		return func(v ...any) { l.Println(v...); fatal() }
	})
}

func fatal() { panic(refusal("log.Fatal would end the notebook's session")) }

// newFlagSet is flag.NewFlagSet, but that a set panics where it would exit.
func newFlagSet(name string, handling flag.ErrorHandling) *flag.FlagSet {
	if handling == flag.ExitOnError {
		handling = flag.PanicOnError
	}
	return flag.NewFlagSet(name, handling)
}
