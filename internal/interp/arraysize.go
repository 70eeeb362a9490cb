package interp

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"runtime"
)

// maxArray is the largest array that a cell may name, in bytes: gomacro makes a
// value of every type that it compiles, and memory that the system does not give
// ends the process.
const maxArray = largeSlice

// largeArrays finds the arrays of a file that are larger than maxArray, and the
// literals of slices whose indexes make them so.
func largeArrays(file *ast.File, info *types.Info) (found problems) {
	sizes := types.SizesFor("gc", runtime.GOARCH)
	report := func(pos token.Pos, what string) {
		found = append(found, problem{pos, fmt.Sprintf("%s of more than %d bytes: use make for a slice of that length", what, maxArray)})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ArrayType:
			if array, ok := underlying(info.Types[n].Type).(*types.Array); ok && n.Len != nil && exceeds(sizes, array.Elem(), array.Len()) {
				report(n.Pos(), "an array")
				return false
			}
		case *ast.CompositeLit:
			slice, ok := underlying(info.Types[n].Type).(*types.Slice)
			if !ok {
				break
			}
			for _, element := range n.Elts {
				pair, ok := element.(*ast.KeyValueExpr)
				if !ok || info.Types[pair.Key].Value == nil {
					continue
				}
				if i, exact := constant.Int64Val(constant.ToInt(info.Types[pair.Key].Value)); exact && exceeds(sizes, slice.Elem(), i) {
					report(pair.Pos(), "a slice")
					return false
				}
			}
		}
		return true
	})
	return found
}

// exceeds reports whether n elements are larger than maxArray.
func exceeds(sizes types.Sizes, elem types.Type, n int64) bool {
	if n == 0 || isParameterized(elem) {
		return false
	}
	size := sizes.Sizeof(elem)
	return size < 0 || size > 0 && n > maxArray/size
}

// isParameterized reports whether an element's size is that of a type parameter.
func isParameterized(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Array:
		return isParameterized(t.Elem())
	case *types.Named:
		return isParameterized(t.Underlying())
	case *types.Struct:
		for f := range t.Fields() {
			if isParameterized(f.Type()) {
				return true
			}
		}
	}
	return false
}
