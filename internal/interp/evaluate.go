package interp

import (
	"context"
	"go/ast"

	"github.com/rlx-go/gopherscope/internal/display"
)

// Evaluate runs an expression between cells and returns what it shows, nil when
// that is nothing. What else it prints goes to the last cell. An expression that
// fails, or source that is none, gives an *Error.
func (s *Session) Evaluate(ctx context.Context, expression string) (*display.Data, error) {
	p, errs := parseCell(expression, minBase)
	if len(errs) == 0 && (len(p.items) != 1 || !isExpression(p.items[0])) {
		return nil, newError(nameCompile, "not an expression: "+expression)
	}
	return s.Run(ctx, Cell{Name: "expression", Source: expression}, nil)
}

func isExpression(n ast.Node) bool {
	_, ok := n.(*ast.ExprStmt)
	return ok
}
