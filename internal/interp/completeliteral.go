package interp

import (
	"go/types"
	"strings"

	"github.com/cosmos72/gomacro/imports"
)

// literalFields are the fields that a struct literal can have next, where text ends
// at the place for a key of one.
func (in *interpreter) literalFields(text string, toks []lexeme) (list []candidate) {
	trimmed := strings.TrimRight(text, " \t\r\n")
	if !strings.HasSuffix(trimmed, "{") && !strings.HasSuffix(trimmed, ",") {
		return nil
	}
	open := enclosingBrace(text)
	if open < 0 {
		return nil
	}
	t, elements := in.literalType(text[:open], toks)
	s, ok := underlying(t).(*types.Struct)
	if !ok || elements {
		return nil
	}
	given := text[open+1:]
	for i := range s.NumFields() {
		f := s.Field(i)
		if (f.Exported() || f.Pkg() == nil || f.Pkg().Path() == mainPath) && !strings.Contains(given, f.Name()+":") {
			list = append(list, candidateOf(f))
		}
	}
	return list
}

// literalType is the type before the brace of a literal, or nil when the brace is
// none of a literal. elements says that it is the type of the literal's elements.
func (in *interpreter) literalType(text string, toks []lexeme) (t types.Type, elements bool) {
	text = strings.TrimRight(text, " \t\r\n")
	expr := operandBefore(text)
	if expr == "" { // elided in a literal of several
		if open := enclosingBrace(text); open >= 0 {
			if t, elements = in.literalType(text[:open], toks); elements {
				return t, false
			}
		}
		return nil, false
	}
	before := strings.TrimRight(strings.TrimSuffix(text, expr), " \t*")
	if strings.HasSuffix(before, ")") { // the result of a function
		return nil, false
	}
	return in.typeNamed(expr, toks), strings.HasSuffix(before, "]")
}

// typeNamed is the type that an expression names, also by a package that only the
// cell being typed imports, or nil.
func (in *interpreter) typeNamed(expr string, toks []lexeme) types.Type {
	if _, _, tv, err := in.typeOf(expr); err == nil {
		if tv.IsType() {
			return tv.Type
		}
		return nil
	}
	pkg, name, _ := strings.Cut(expr, ".")
	for _, imp := range importsIn(toks) {
		if t := imports.Packages[imp.path].Types[name]; imp.name == pkg && t != nil {
			var known types.Type
			in.tables.write(func() { known = in.world.typ(in.comp.Universe.FromReflectType(t).GoType()) })
			return known
		}
	}
	return nil
}

// enclosingBrace finds the brace that a text is within, or -1 when it is within
// another bracket or none. Brackets in strings are not told apart.
func enclosingBrace(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				if text[i] != '{' {
					return -1
				}
				return i
			}
		}
	}
	return -1
}
