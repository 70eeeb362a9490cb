package interp

import (
	"context"
	"fmt"
	"go/doc/comment"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cosmos72/gomacro/imports"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp/docs"
)

// Inspect describes the name at cursor (in code points), or else the function
// whose arguments the cursor is in: its declaration, its documentation and, of a
// variable, its value, as text/plain and text/markdown. With detail above 0,
// what cells declare comes with its place. It returns nil when there is nothing
// to say, and while a cell runs.
func (s *Session) Inspect(ctx context.Context, source string, cursor, detail int) (*display.Data, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	default:
		return nil, ctx.Err()
	}
	var answer *display.Data
	<-s.do(func() {
		defer func() {
			if recover() != nil { // half-typed source in the hands of a compiler
				answer = nil
			}
		}()
		answer = s.in.inspect(source, byteOffset(source, cursor), detail)
	})
	return answer, ctx.Err()
}

func (in *interpreter) inspect(source string, at, detail int) *display.Data {
	toks, _, _ := scan(source)
	if t, inside := tokenAround(toks, source, at); inside {
		if !isImport(toks, t) {
			return nil
		}
		return in.describe(strings.Trim(t.lit, "\"`"), toks, detail)
	}
	end := at
	for _, r := range source[at:] {
		if !isIdent(r) {
			break
		}
		end += len(string(r))
	}
	if expr := operandBefore(source[:end]); expr != "" {
		if found := in.describe(expr, toks, detail); found != nil {
			return found
		}
	}
	// The function of the innermost call that the cursor is in.
	if open := openCall(source[:at]); open >= 0 {
		return in.describe(operandBefore(source[:open]), toks, detail)
	}
	return nil
}

// openCall finds the last bracket ( that is not closed, or -1. Brackets in
// strings are not told apart.
func openCall(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth == 0 {
				if text[i] == '(' {
					return i
				}
				return -1
			}
			depth--
		}
	}
	return -1
}

// displayEntries are the functions of package display that only cells have.
var displayEntries = map[string]docs.Entry{
	"Clear":    {Decl: "func Clear(wait bool)", Doc: "Clear removes the outputs of the cell, at once or, with wait, when the next output comes."},
	"Display":  {Decl: "func Display(value any) error", Doc: "Display shows a value now: in its own way when it has one, and else as text. The error is always nil."},
	"Progress": {Decl: "func Progress(label string, total int) *Bar", Doc: "Progress shows a progress bar for total steps, which its methods Add and Set move."},
	"Update":   {Decl: "func Update(id string, value any)", Doc: "Update shows a value in the place of the one that was shown with the same id, or after the outputs so far when there is none."},
}

// entriesOf is the documentation of a package by name.
func entriesOf(importPath string) map[string]docs.Entry {
	if importPath == "github.com/gopherdata/gophernotes" { // another name of it
		importPath = displayPath
	}
	entries := docs.Package(importPath)
	if importPath == displayPath {
		maps.Copy(entries, displayEntries)
	}
	return entries
}

// description is what is known of a name.
type description struct {
	decl  string // Go
	doc   string // a doc comment
	value string
	place string
}

// describe describes a name, a selector or the path of a package.
func (in *interpreter) describe(expr string, toks []lexeme, detail int) *display.Data {
	d, ok := in.lookUp(expr, toks)
	if !ok {
		return nil
	}
	if detail == 0 {
		d.place = ""
	}
	data := d.data()
	return &data
}

// lookUp finds what is known of an expression. toks are those of a cell, whose
// imports count.
func (in *interpreter) lookUp(expr string, toks []lexeme) (description, bool) {
	if _, ok := imports.Packages[expr]; ok && in.comp.Binds[expr] == nil {
		return packageDescription(expr), true
	}
	operand, name, selects := cutLast(expr)
	if !selects {
		if path := in.pathOf(expr, toks); path != "" {
			return packageDescription(path), true
		}
		return in.ofCells(expr)
	}
	if path := in.pathOf(operand, toks); path != "" {
		if e, ok := entriesOf(path)[name]; ok {
			return description{decl: e.Decl, doc: e.Doc}, true
		}
		for _, c := range in.packageMembers(path) {
			if c.name == name {
				return description{decl: c.kind + " " + name + c.signature}, true
			}
		}
		return description{}, false
	}
	return in.member(operand, name)
}

// cutLast cuts the last selector off an expression.
func cutLast(expr string) (operand, name string, ok bool) {
	i := strings.LastIndexByte(expr, '.')
	if i < 0 || strings.ContainsFunc(expr[i+1:], func(r rune) bool { return !isIdent(r) }) {
		return "", "", false
	}
	return expr[:i], expr[i+1:], true
}

// pathOf is the path of the package that a name stands for, in the notebook or
// in the imports of a cell, or "".
func (in *interpreter) pathOf(name string, toks []lexeme) string {
	if imp := in.imported(name); imp != nil {
		return imp.Path
	}
	for _, imp := range importsIn(toks) {
		if imp.name == name {
			return imp.path
		}
	}
	return ""
}

func packageDescription(importPath string) description {
	return description{decl: fmt.Sprintf("package %s // import %q", packageName(importPath), importPath), doc: entriesOf(importPath)[""].Doc}
}

// ofCells describes a name of the notebook, or one that Go predeclares.
func (in *interpreter) ofCells(name string) (description, bool) {
	in.world.begin(in, types.NewPackage(mainPath, mainPath))
	bind, typ := in.comp.Binds[name], in.comp.Types[name]
	obj := in.world.object(in.world.main, name, bind, typ)
	if obj == nil {
		e, ok := entriesOf("builtin")[name]
		return description{decl: e.Decl, doc: e.Doc}, ok
	}
	if bind != nil && bind == in.initial[displayName] {
		e := displayEntries[displayName]
		return description{decl: e.Decl, doc: e.Doc}, true
	}
	d := description{decl: types.ObjectString(obj, shortNames)}
	if own, ok := in.declarations[name]; ok {
		if _, isVar := obj.(*types.Var); !isVar {
			d.decl = own.text
		}
		d.doc = own.doc
		d.place = fmt.Sprintf("declared in %s, line %d", own.at.cell, own.at.line)
	}
	switch obj := obj.(type) {
	case *types.Const:
		d.value = obj.Val().String()
	case *types.Var:
		d.value = in.summary(bind)
	}
	return d, true
}

// member describes a field or method of an expression.
func (in *interpreter) member(operand, name string) (description, bool) {
	node, pkg, tv, err := in.typeOf(operand)
	if err != nil || node == nil {
		return description{}, false
	}
	obj, _, _ := types.LookupFieldOrMethod(tv.Type, true, pkg, name)
	if obj == nil {
		return description{}, false
	}
	d := description{decl: types.ObjectString(obj, shortNames)}
	f, ok := obj.(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return d, true
	}
	recv := f.Signature().Recv().Type()
	if p, ok := recv.(*types.Pointer); ok {
		recv = p.Elem()
	}
	named, ok := recv.(*types.Named)
	if !ok {
		return d, true
	}
	full := named.Obj().Name() + "." + name
	if own, ok := in.declarations[full]; ok && named.Obj().Pkg() == pkg {
		return description{decl: own.text, doc: own.doc, place: fmt.Sprintf("declared in %s, line %d", own.at.cell, own.at.line)}, true
	}
	if named.Obj().Pkg() != nil {
		if e, ok := entriesOf(named.Obj().Pkg().Path())[full]; ok {
			return description{decl: e.Decl, doc: e.Doc}, true
		}
	}
	return d, true
}

func (d description) data() display.Data {
	var parser comment.Parser
	var printer comment.Printer
	printer.DocLinkURL = func(link *comment.DocLink) string { return link.DefaultURL("https://pkg.go.dev") }
	parsed := parser.Parse(d.doc)
	var plain, marked []string
	if d.decl != "" {
		plain = append(plain, d.decl)
		marked = append(marked, "```go\n"+d.decl+"\n```")
	}
	for _, line := range []string{d.value, d.place} {
		if line != "" {
			plain = append(plain, line)
			marked = append(marked, "`"+strings.ReplaceAll(line, "`", "'")+"`")
		}
	}
	if d.doc != "" {
		plain = append(plain, strings.TrimRight(string(printer.Text(parsed)), "\n"))
		marked = append(marked, strings.TrimRight(string(printer.Markdown(parsed)), "\n"))
	}
	return display.Data{Data: display.MIMEMap{
		display.MIMETypeText:     strings.Join(plain, "\n\n"),
		display.MIMETypeMarkdown: strings.Join(marked, "\n\n"),
	}}
}

// doc pages the documentation of a name, of a package with all that it has.
func (in *interpreter) doc(name string) error {
	if path := in.docPath(name); path != "" {
		d := packageDescription(path)
		entries := entriesOf(path)
		var names []string
		for n := range entries {
			if n != "" {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		data := d.data()
		for _, n := range names {
			data.Data[display.MIMETypeText] = fmt.Sprint(data.Data[display.MIMETypeText], "\n\n", entries[n].Decl)
			data.Data[display.MIMETypeMarkdown] = fmt.Sprint(data.Data[display.MIMETypeMarkdown], "\n\n```go\n", entries[n].Decl, "\n```")
		}
		in.session.out.page(data)
		return nil
	}
	d, ok := in.lookUp(name, nil)
	if !ok {
		if operand, member, selects := cutLast(name); selects {
			if path := in.docPath(operand); path != "" {
				var e docs.Entry
				e, ok = entriesOf(path)[member]
				d = description{decl: e.Decl, doc: e.Doc}
			} else if operand, typ, selects := cutLast(operand); selects && in.docPath(operand) != "" { // pkg.Type.Method
				var e docs.Entry
				e, ok = entriesOf(in.docPath(operand))[typ+"."+member]
				d = description{decl: e.Decl, doc: e.Doc}
			}
		}
	}
	if !ok {
		if first, _, _ := strings.Cut(name, "."); in.comp.Binds[first] == nil && len(packagesAt(first)) > 1 {
			return fmt.Errorf("several packages are called %s: import one, or give the path: %s", first, strings.Join(packagesAt(first), ", "))
		}
		return fmt.Errorf("nothing is known of %s: the name of a package, pkg.Name, or a name of the notebook is wanted", name)
	}
	in.session.out.page(d.data())
	return nil
}

// docPath is the path of a package by its name in the notebook, its path, or the
// end of its path when there is one such package.
func (in *interpreter) docPath(name string) string {
	if p := in.pathOf(name, nil); p != "" {
		return p
	}
	if in.comp.Binds[name] != nil {
		return ""
	}
	if _, ok := imports.Packages[name]; ok {
		return name
	}
	found := ""
	for _, p := range importable() {
		if path.Base(p) == name && !strings.HasPrefix(p, "github.com/gopherdata/") {
			if found != "" {
				return ""
			}
			found = p
		}
	}
	return found
}
