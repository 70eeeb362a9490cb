package interp

import (
	"cmp"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/imports"

	"github.com/rlx-go/gopherscope/internal/bindings"
)

// imports makes the packages of a cell known. A package that is not compiled in
// is an error at once; gomacro would try to build it.
func (c *compiler) imports(specs []*ast.ImportSpec) {
	for _, spec := range specs {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			fail(spec.Path.Pos(), "invalid import path %s", spec.Path.Value)
		}
		if _, ok := imports.Packages[importPath]; !ok {
			fail(spec.Path.Pos(), "%s", notBuiltIn(importPath))
		}
		alias := ""
		if spec.Name != nil {
			alias = spec.Name.Name
		}
		c.comp.Pos = spec.Pos()
		c.importPackage(alias, importPath)
		c.setup(c.comp.Code.AsExpr()) // the variables of a dot import
	}
}

// importPackage declares a package under a name, its own if alias is empty.
func (in *interpreter) importPackage(alias, importPath string) {
	known := in.comp.KnownImports[importPath] != nil
	// First only loaded, so that what must not be called as it is can be replaced.
	loaded, err := in.comp.ImportPackagesOrError(map[string]fast.PackageName{importPath: "_"})
	if err != nil {
		panic(err)
	}
	if !known {
		in.guard(loaded[importPath])
	}
	if alias == "" {
		alias = loaded[importPath].Name
	}
	if alias != "." && alias != "_" {
		in.forget(alias)
	}
	if _, err := in.comp.ImportPackagesOrError(map[string]fast.PackageName{importPath: fast.PackageName(alias)}); err != nil {
		panic(err)
	}
}

// notBuiltIn says what to import instead of a package that there is not, and how
// to get it.
func notBuiltIn(importPath string) string {
	msg := "package " + strconv.Quote(importPath) + " is not built in"
	similar := similarPackages(importPath)
	if len(similar) > 0 {
		msg += "; similar: " + strings.Join(similar, ", ")
	}
	if host, _, _ := strings.Cut(importPath, "/"); strings.Contains(host, ".") {
		msg += "\n\"gopherscope build --with " + importPath + "\" makes a kernel with it"
	}
	if len(similar) > 0 {
		return msg + "\n%packages lists what is"
	}
	return msg + "\nCells can import most of the standard library, and:\n    " + strings.Join(libraries(), "\n    ")
}

// importHint says which imports would declare a name that nothing declares.
func importHint(name string) string {
	if paths := packagesAt(name); len(paths) > 0 {
		return ": import " + strings.Join(paths, " or ")
	}
	return ""
}

// packagesAt are the quoted paths of the packages whose last element is name.
func packagesAt(name string) (paths []string) {
	for _, p := range importable() {
		if path.Base(p) == name {
			paths = append(paths, strconv.Quote(p))
		}
	}
	return paths
}

// libraries are the packages that are not of the standard library.
func libraries() (paths []string) {
	paths = append(paths, displayPath)
	for _, p := range bindings.Packages() {
		if strings.Contains(p, ".") {
			paths = append(paths, p)
		}
	}
	return paths
}

// importable are the paths that cells can import, sorted, but for those that
// gomacro has for itself.
func importable() []string {
	ours := libraries()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(imports.Packages)), func(p string) bool {
		host, _, _ := strings.Cut(p, "/")
		return strings.Contains(host, ".") && !slices.Contains(ours, p)
	})
}

// similarPackages are the three paths that are most like the given one: with
// the same last element, or a few letters apart.
func similarPackages(importPath string) []string {
	type candidate struct {
		path string
		away int
	}
	var near []candidate
	for _, p := range importable() {
		away := min(distance(importPath, p), 1+distance(path.Base(importPath), path.Base(p)))
		if away <= 1+len(path.Base(importPath))/5 {
			near = append(near, candidate{p, away})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.away, b.away) })
	var paths []string
	for _, c := range near[:min(len(near), 3)] {
		paths = append(paths, strconv.Quote(c.path))
	}
	return paths
}

// distance is the number of letters to insert, delete or replace to get from a
// to b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
