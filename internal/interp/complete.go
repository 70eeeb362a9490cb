package interp

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cosmos72/gomacro/imports"

	"github.com/rlx-go/gopherscope/internal/generics"
)

// Completion is an answer to Complete. Start and End are offsets in code
// points of the part of the source that a match replaces.
type Completion struct {
	Matches []string
	// Types says what each match is: "function", "method", "variable", "field",
	// "constant", "struct", "interface", "type", "module" or "keyword".
	Types []string
	// Signatures are those of the functions and methods, else empty.
	Signatures []string
	Start, End int
}

// Complete lists what the identifier before cursor (in code points) can become:
// a name of the notebook, a member of a package, a field or method, the path of a
// package in an import, or a command. The answer is empty while a cell runs.
func (s *Session) Complete(ctx context.Context, source string, cursor int) (Completion, error) {
	none := Completion{Start: cursor, End: cursor}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	default:
		return none, ctx.Err()
	}
	answer := none
	<-s.do(func() {
		defer func() {
			if recover() != nil { // half-typed source in the hands of a compiler
				answer = none
			}
		}()
		answer = s.in.complete(source, cursor)
	})
	return answer, ctx.Err()
}

func (in *interpreter) complete(source string, cursor int) Completion {
	at := byteOffset(source, cursor)
	toks, _, _ := scan(source)
	before, prefix := source[:at], ""
	var candidates []candidate
	line := strings.TrimLeft(before[strings.LastIndexByte(before, '\n')+1:], " \t")
	switch t, inside := tokenAround(toks, source, at); {
	case strings.HasPrefix(line, "%") && !strings.Contains(line, " "):
		prefix = line
		for _, h := range commandHelp {
			name, _, _ := strings.Cut(h[0], " ")
			candidates = append(candidates, candidate{name, "keyword", ""})
		}
	case inside && t.tok == token.STRING && isImport(toks, t):
		prefix = source[t.offset+1 : at]
		for _, p := range importable() {
			candidates = append(candidates, candidate{p, "module", ""})
		}
	case inside:
	default:
		prefix = before[len(strings.TrimRightFunc(before, isIdent)):]
		if operand, ok := strings.CutSuffix(strings.TrimRight(before[:len(before)-len(prefix)], " \t\r\n"), "."); ok {
			candidates = in.members(operandBefore(operand), toks)
		} else {
			candidates = in.literalFields(before[:len(before)-len(prefix)], toks)
			if prefix != "" {
				candidates = append(candidates, in.names(toks)...)
			}
		}
	}
	candidates = slices.DeleteFunc(candidates, func(c candidate) bool {
		return !strings.HasPrefix(c.name, prefix) || strings.Contains(c.name, hidden)
	})
	slices.SortStableFunc(candidates, func(a, b candidate) int { return strings.Compare(a.name, b.name) })
	candidates = slices.CompactFunc(candidates, func(a, b candidate) bool { return a.name == b.name })
	answer := Completion{Start: cursor - utf8.RuneCountInString(prefix), End: cursor}
	for _, c := range candidates {
		answer.Matches = append(answer.Matches, c.name)
		answer.Types = append(answer.Types, c.kind)
		answer.Signatures = append(answer.Signatures, c.signature)
	}
	return answer
}

// candidate is what an identifier can become.
type candidate struct{ name, kind, signature string }

// candidateOf describes what go/types knows of a name.
func candidateOf(obj types.Object) candidate {
	c := candidate{name: obj.Name(), kind: "variable"}
	switch obj := obj.(type) {
	case *types.PkgName:
		c.kind = "module"
	case *types.Const:
		c.kind = "constant"
	case *types.TypeName:
		c.kind = "type"
		switch obj.Type().Underlying().(type) {
		case *types.Struct:
			c.kind = "struct"
		case *types.Interface:
			c.kind = "interface"
		}
	case *types.Func:
		c.kind = "function"
		if obj.Signature().Recv() != nil {
			c.kind = "method"
		}
		c.signature = signatureText(obj)
	case *types.Var:
		if obj.IsField() {
			c.kind = "field"
		}
	case *types.Builtin:
		c.kind = "function"
	}
	return c
}

// signatureText is the parameters and results of a function.
func signatureText(f *types.Func) string {
	text := types.TypeString(f.Type(), shortNames)
	return strings.TrimPrefix(text, "func")
}

// shortNames qualifies names as cells do, those of cells not at all.
func shortNames(p *types.Package) string {
	if p.Path() == mainPath {
		return ""
	}
	return p.Name()
}

func byteOffset(source string, runes int) int {
	for i := range source {
		if runes == 0 {
			return i
		}
		runes--
	}
	return len(source)
}

func isIdent(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// tokenAround returns the string or character that offset at is inside of. What
// is in no token is white space or a comment; a comment counts as inside.
func tokenAround(toks []lexeme, source string, at int) (lexeme, bool) {
	for _, t := range toks {
		end := t.offset + len(t.lit)
		if (t.tok == token.STRING || t.tok == token.CHAR) && t.offset < at && (at < end || at == end && !closed(t.lit)) {
			return t, true
		}
	}
	line := source[strings.LastIndexByte(source[:at], '\n')+1 : at]
	if i := strings.Index(line, "//"); i >= 0 && !inToken(toks, at-len(line)+i) {
		return lexeme{}, true
	}
	return lexeme{}, false
}

func closed(lit string) bool { return len(lit) > 1 && lit[len(lit)-1] == lit[0] }

func inToken(toks []lexeme, offset int) bool {
	return slices.ContainsFunc(toks, func(t lexeme) bool { return t.offset <= offset && offset < t.offset+len(t.lit) })
}

// isImport reports whether a string is the path of an import.
func isImport(toks []lexeme, str lexeme) bool {
	for _, imp := range importsIn(toks) {
		if imp.offset == str.offset {
			return true
		}
	}
	return false
}

type typedImport struct {
	offset     int
	name, path string
}

// importsIn finds the imports of a cell that need not parse.
func importsIn(toks []lexeme) (list []typedImport) {
	importing, parens := false, false
	name := ""
	for _, t := range toks {
		switch {
		case t.tok == token.IMPORT:
			importing, name = true, ""
		case !importing:
		case t.tok == token.LPAREN:
			parens = true
		case t.tok == token.IDENT:
			name = t.lit
		case t.tok == token.STRING:
			importPath, _ := strconv.Unquote(t.lit)
			imp := typedImport{t.offset, name, importPath}
			if imp.name == "" {
				imp.name = packageName(importPath)
			}
			list = append(list, imp)
			name = ""
		case t.tok == token.SEMICOLON && parens:
		default:
			importing, parens = false, false
		}
	}
	return list
}

func packageName(importPath string) string {
	if p, ok := imports.Packages[importPath]; ok && p.Name != "" {
		return p.Name
	}
	return path.Base(importPath)
}

// operandBefore cuts the expression off that ends a text: names, calls and
// indexes joined by dots.
func operandBefore(text string) string {
	rest := text
	for {
		rest = strings.TrimRight(rest, " \t")
		if n := len(rest); n > 0 && (rest[n-1] == ')' || rest[n-1] == ']' || rest[n-1] == '}') {
			open := openingBracket(rest)
			if open < 0 {
				break
			}
			rest = rest[:open]
			continue
		}
		name := strings.TrimRightFunc(rest, isIdent)
		if len(name) == len(rest) {
			break
		}
		rest = name
		if !strings.HasSuffix(rest, ".") {
			break
		}
		rest = rest[:len(rest)-1]
	}
	return strings.TrimSpace(text[len(rest):])
}

// openingBracket finds the bracket that the last byte closes, or -1. Brackets
// in strings are not told apart.
func openingBracket(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// members are what can follow an expression and a dot.
func (in *interpreter) members(expr string, toks []lexeme) []candidate {
	if imp := in.imported(expr); imp != nil {
		return in.packageMembers(imp.Path)
	}
	if in.comp.Binds[expr] == nil {
		for _, imp := range importsIn(toks) {
			if imp.name == expr {
				return in.packageMembers(imp.path)
			}
		}
	}
	node, pkg, tv, err := in.typeOf(expr)
	if err != nil || node == nil {
		return nil
	}
	list := fieldsAndMethods(tv.Type, pkg)
	of := types.TypeString(tv.Type, shortNames)
	for i, c := range list {
		if d, ok := in.declarations[strings.TrimPrefix(of, "*")+"."+c.name]; ok && c.kind == "method" {
			list[i].signature = d.signature
		}
	}
	return list
}

// typeOf finds the type of an expression of the names of the notebook.
func (in *interpreter) typeOf(expr string) (ast.Expr, *types.Package, types.TypeAndValue, error) {
	node, err := parser.ParseExpr(expr)
	if err != nil {
		return nil, nil, types.TypeAndValue{}, err
	}
	file := &ast.File{Name: ast.NewIdent(mainPath), Decls: []ast.Decl{&ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Values: []ast.Expr{node}}}}}}
	pkg := in.world.mainPackage(in, file)
	info := newInfo()
	err = types.CheckExpr(token.NewFileSet(), pkg, token.NoPos, node, &info)
	return node, pkg, info.Types[node], err
}

// packageMembers are the names of a package that can be imported, whether or not
// it has been.
func (in *interpreter) packageMembers(importPath string) (list []candidate) {
	for _, name := range generics.Names(importPath) {
		list = append(list, candidateOf(generics.Declared(importPath).Scope().Lookup(name)))
	}
	p, ok := imports.Packages[importPath]
	if !ok {
		return nil
	}
	for name, v := range p.Binds {
		c := candidate{name: name, kind: "variable"}
		switch {
		case v.Kind() == reflect.Func && !v.CanSet():
			c.kind, c.signature = "function", strings.TrimPrefix(v.Type().String(), "func")
		case !v.CanSet():
			c.kind = "constant"
		}
		list = append(list, c)
	}
	for name, t := range p.Types {
		c := candidate{name: name, kind: "type"}
		switch t.Kind() {
		case reflect.Struct:
			c.kind = "struct"
		case reflect.Interface:
			c.kind = "interface"
		}
		list = append(list, c)
	}
	if importPath == displayPath {
		list = append(list, candidate{displayName, "function", "(value any) error"}, candidate{updateName, "function", "(id string, value any)"})
	}
	return list
}

// fieldsAndMethods are the selectors of a value, also of embedded fields.
func fieldsAndMethods(t types.Type, from *types.Package) (list []candidate) {
	seen := map[types.Type]bool{}
	var walk func(t types.Type)
	walk = func(t types.Type) {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if seen[t] {
			return
		}
		seen[t] = true
		if s, ok := t.Underlying().(*types.Struct); ok {
			for i := range s.NumFields() {
				f := s.Field(i)
				if f.Exported() || f.Pkg() == from {
					list = append(list, candidateOf(f))
				}
				if f.Embedded() {
					walk(f.Type())
				}
			}
		}
	}
	walk(t)
	methodsOf := t
	if _, isPointer := t.Underlying().(*types.Pointer); !isPointer && !types.IsInterface(t) {
		methodsOf = types.NewPointer(t)
	}
	set := types.NewMethodSet(methodsOf)
	for i := range set.Len() {
		if m := set.At(i).Obj(); m.Exported() || m.Pkg() == from {
			list = append(list, candidateOf(m))
		}
	}
	return list
}

// names are all that a cell can begin with, and the packages that it imports.
func (in *interpreter) names(toks []lexeme) (list []candidate) {
	pkg := types.NewPackage(mainPath, mainPath)
	in.world.begin(in, pkg)
	for name, bind := range in.comp.Binds {
		if obj := in.world.object(pkg, name, bind, nil); obj != nil && !strings.Contains(name, hidden) {
			c := candidateOf(obj)
			if d, ok := in.declarations[name]; ok && c.kind == "function" {
				c.signature = d.signature
			}
			list = append(list, c)
		}
	}
	for name, t := range in.comp.Types {
		if obj := in.world.object(pkg, name, nil, t); obj != nil && !strings.Contains(name, hidden) {
			list = append(list, candidateOf(obj))
		}
	}
	for _, imp := range importsIn(toks) {
		list = append(list, candidate{imp.name, "module", ""})
	}
	for _, name := range types.Universe.Names() {
		list = append(list, candidateOf(types.Universe.Lookup(name)))
	}
	for tok := token.BREAK; tok <= token.VAR; tok++ {
		list = append(list, candidate{tok.String(), "keyword", ""})
	}
	return list
}
