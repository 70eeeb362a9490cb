package interp

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
)

// gomacro makes zero of an integer constant beyond 64 bits that becomes a
// floating-point or complex number.

// bigConstant returns the literal that stands for such a constant, or nil for other
// expressions.
func (c *compiler) bigConstant(x ast.Expr) ast.Expr {
	tv := c.info.Types[x]
	if tv.Value == nil || !isFloat(tv.Type) || !c.isUntyped(x) {
		return nil
	}
	val := constant.ToInt(tv.Value)
	if val.Kind() != constant.Int || constant.BitLen(val) < 63 {
		return nil
	}
	f, _ := constant.Float64Val(val)
	with := ast.Expr(&ast.BasicLit{ValuePos: x.Pos(), Kind: token.FLOAT, Value: strconv.FormatFloat(max(f, -f), 'e', -1, 64)})
	if f < 0 {
		with = &ast.ParenExpr{Lparen: x.Pos(), X: &ast.UnaryExpr{OpPos: x.Pos(), Op: token.SUB, X: with}, Rparen: x.End()}
	}
	c.info.Types[with] = tv
	return with
}

// isUntyped reports whether a constant expression has no type but for where it
// stands.
func (c *compiler) isUntyped(x ast.Expr) bool {
	untyped := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			untyped = false
		case *ast.Ident:
			if declared, ok := c.info.Uses[n].(*types.Const); ok {
				basic, ok := declared.Type().(*types.Basic)
				untyped = untyped && ok && basic.Info()&types.IsUntyped != 0
			}
		}
		return untyped
	})
	return untyped
}

func isFloat(t types.Type) bool {
	basic, ok := underlying(t).(*types.Basic)
	return ok && basic.Info()&(types.IsFloat|types.IsComplex) != 0
}

// floatValue is the value of a declared constant of a floating-point or complex
// type, or not valid.
func floatValue(obj types.Object, t reflect.Type) (v reflect.Value) {
	declared, ok := obj.(*types.Const)
	if !ok || !isFloat(declared.Type()) || declared.Type().Underlying().(*types.Basic).Info()&types.IsUntyped != 0 {
		return v
	}
	re, _ := constant.Float64Val(constant.Real(declared.Val()))
	im, _ := constant.Float64Val(constant.Imag(declared.Val()))
	if t.Kind() == reflect.Complex64 || t.Kind() == reflect.Complex128 {
		return reflect.ValueOf(complex(re, im)).Convert(t)
	}
	return reflect.ValueOf(re).Convert(t)
}
