// Package extract makes the documentation that package docs has from Go source.
package extract

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/doc"
	"go/format"
	"io"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/rlx-go/gopherscope/internal/interp/docs"
)

// Archive is the documentation of packages: import path, then the names that
// docs.Package describes.
type Archive map[string]map[string]docs.Entry

// Write writes the archive as package docs reads it, after the packages of an older one,
// which may be nil.
func (a Archive) Write(w io.Writer, older *zip.Reader) error {
	z := zip.NewWriter(w)
	if older != nil {
		for _, f := range older.File {
			if err := z.Copy(f); err != nil {
				return err
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(a)) {
		text, err := json.Marshal(a[path])
		if err != nil {
			return err
		}
		w, err := z.Create(path + ".json")
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return z.Close()
}

// Entries returns the documentation of a package that was loaded with its syntax, which it
// changes.
func Entries(p *packages.Package) (map[string]docs.Entry, error) {
	mode := doc.Mode(0)
	if p.PkgPath == "builtin" { // whose names are not exported
		mode = doc.AllDecls
	}
	d, err := doc.NewFromFiles(p.Fset, p.Syntax, p.PkgPath, mode)
	if err != nil {
		return nil, err
	}
	var faults []error
	found := map[string]docs.Entry{"": {Doc: d.Doc}}
	text := func(decl ast.Decl) string {
		if f, ok := decl.(*ast.FuncDecl); ok {
			f.Body, f.Doc = nil, nil
		}
		if g, ok := decl.(*ast.GenDecl); ok {
			g.Doc = nil
		}
		var b bytes.Buffer
		if err := format.Node(&b, p.Fset, decl); err != nil {
			faults = append(faults, err)
		}
		return b.String()
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, spec := range v.Decl.Specs {
				spec := spec.(*ast.ValueSpec)
				comment := spec.Doc.Text()
				if comment == "" {
					comment = spec.Comment.Text()
				}
				if comment == "" {
					comment = v.Doc
				}
				one := *spec
				one.Doc, one.Comment = nil, nil
				decl := text(&ast.GenDecl{Tok: v.Decl.Tok, Specs: []ast.Spec{&one}})
				for _, name := range spec.Names {
					found[name.Name] = docs.Entry{Decl: decl, Doc: comment}
				}
			}
		}
	}
	funcs := func(prefix string, list []*doc.Func) {
		for _, f := range list {
			found[prefix+f.Name] = docs.Entry{Decl: text(f.Decl), Doc: f.Doc}
		}
	}
	values(d.Consts)
	values(d.Vars)
	funcs("", d.Funcs)
	for _, t := range d.Types {
		found[t.Name] = docs.Entry{Decl: text(t.Decl), Doc: t.Doc}
		values(t.Consts)
		values(t.Vars)
		funcs("", t.Funcs)
		funcs(t.Name+".", t.Methods)
	}
	return found, errors.Join(faults...)
}
