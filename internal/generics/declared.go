package generics

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"sync"
)

//go:embed declared/*.txt
var declarations embed.FS

// Declared returns a package with the types and generic functions of slices, maps,
// cmp or iter, or nil for other paths.
func Declared(path string) *types.Package { return declared()[path] }

var declared = sync.OnceValue(func() map[string]*types.Package {
	pkgs := map[string]*types.Package{}
	fset := token.NewFileSet()
	for _, path := range []string{"cmp", "iter", "maps", "slices"} { // in order of their imports
		text, err := declarations.ReadFile("declared/" + path + ".txt")
		if err != nil {
			panic(err)
		}
		file, err := parser.ParseFile(fset, path, text, 0)
		if err != nil {
			panic(err)
		}
		// go/types wants a generic function to have a body.
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				f.Body = &ast.BlockStmt{}
			}
		}
		config := types.Config{IgnoreFuncBodies: true, Importer: importer(pkgs)}
		pkg, err := config.Check(path, fset, []*ast.File{file}, nil)
		if err != nil {
			panic(err)
		}
		pkgs[path] = pkg
	}
	return pkgs
})

// importer finds the packages that are checked already.
type importer map[string]*types.Package

// Import implements types.Importer.
func (i importer) Import(path string) (*types.Package, error) {
	if pkg := i[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("package %s is not declared", path)
}
