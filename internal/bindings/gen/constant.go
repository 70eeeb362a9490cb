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
func (f *file) constant(o object) (value, exact string, err error) {
	basic, ok := types.Unalias(o[0].Type()).(*types.Basic)
	if !ok || basic.Info()&types.IsUntyped == 0 {
		return f.ref(o[0]), `""`, nil
	}
	val := o[0].(*types.Const).Val()
	for _, other := range o[1:] {
		if !constant.Compare(val, token.EQL, other.(*types.Const).Val()) {
			exact, err := f.exactOnPlatform(f.ref(o[0]), basic)
			return f.ref(o[0]), exact, err
		}
	}
	exact, err = marshal(basic, val)
	switch holder := holder(basic, val); holder {
	case "":
		value = "nil"
	case types.Default(basic).String():
		value = f.ref(o[0])
	default:
		value = holder + "(" + f.ref(o[0]) + ")"
	}
	return value, strconv.Quote(exact), err
}

// holder returns the name of a type that can hold an untyped constant, its
// default type if that can, and "" when no type can.
func holder(basic *types.Basic, val constant.Value) string {
	if basic.Info()&types.IsInteger != 0 {
		val = constant.ToInt(val)
		if _, ok := constant.Int64Val(val); ok {
			return types.Default(basic).String()
		}
		if _, ok := constant.Uint64Val(val); ok {
			return "uint64"
		}
	}
	if basic.Info()&(types.IsInteger|types.IsFloat) != 0 {
		if v, _ := constant.Float64Val(val); math.IsInf(v, 0) {
			return ""
		}
		return "float64"
	}
	return types.Default(basic).String()
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
