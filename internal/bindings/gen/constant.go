package main

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
)

// constant returns two Go expressions for a constant, given its objects on each
// platform: the constant in a type that can hold it (nil when there is none), and
// the exact value of an untyped one as gomacro marshals it ("" when it is typed).
func (f *file) constant(ref string, objs []types.Object) (value, exact string, err error) {
	basic, ok := types.Unalias(objs[0].Type()).(*types.Basic)
	if !ok || basic.Info()&types.IsUntyped == 0 {
		return ref, `""`, nil
	}
	val := objs[0].(*types.Const).Val()
	for _, o := range objs[1:] {
		if !constant.Compare(val, token.EQL, o.(*types.Const).Val()) {
			exact, err := f.exactOnPlatform(ref, basic)
			return ref, exact, err
		}
	}
	exact, err = marshal(basic, val)
	return convert(ref, basic, val), strconv.Quote(exact), err
}

// convert returns an expression for an untyped constant that does not overflow
// where its default type would.
func convert(ref string, basic *types.Basic, val constant.Value) string {
	if basic.Info()&types.IsNumeric == 0 || basic.Kind() == types.UntypedComplex {
		return ref
	}
	if v := constant.ToInt(val); basic.Info()&types.IsInteger != 0 {
		if _, ok := constant.Int64Val(v); ok {
			return ref
		}
		if _, ok := constant.Uint64Val(v); ok {
			return "uint64(" + ref + ")"
		}
	}
	if v, _ := constant.Float64Val(val); math.IsInf(v, 0) {
		return "nil"
	}
	return "float64(" + ref + ")"
}

// marshal writes an untyped constant in the format that gomacro reads: the kind,
// a colon and the value without loss of precision.
func marshal(basic *types.Basic, val constant.Value) (string, error) {
	switch basic.Kind() {
	case types.UntypedBool:
		return "bool:" + val.ExactString(), nil
	case types.UntypedString:
		return "string:" + constant.StringVal(val), nil
	case types.UntypedInt:
		return "int:" + constant.ToInt(val).ExactString(), nil
	case types.UntypedRune:
		return "rune:" + constant.ToInt(val).ExactString(), nil
	case types.UntypedFloat:
		return "float:" + constant.ToFloat(val).ExactString(), nil
	case types.UntypedComplex:
		return "complex:" + constant.Real(val).ExactString() + ":" + constant.Imag(val).ExactString(), nil
	}
	return "", fmt.Errorf("unexpected type %s", basic)
}

// exactOnPlatform is the exact value of an untyped constant that is not the same
// on every platform, as an expression.
func (f *file) exactOnPlatform(ref string, basic *types.Basic) (string, error) {
	switch basic.Kind() {
	case types.UntypedString:
		return `"string:" + ` + ref, nil
	case types.UntypedInt:
		return `"int:" + ` + f.use("strconv", "strconv") + ".Itoa(" + ref + ")", nil
	case types.UntypedRune:
		return `"rune:" + ` + f.use("strconv", "strconv") + ".Itoa(" + ref + ")", nil
	}
	return "", fmt.Errorf("an %s that differs by platform", basic)
}
