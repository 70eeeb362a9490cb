package interp

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"

	"github.com/cosmos72/gomacro/base/untyped"
	"github.com/cosmos72/gomacro/fast"
	gomacro "github.com/cosmos72/gomacro/go/types"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/rlx-go/gopherscope/internal/generics"
)

// world is what gomacro knows, in the types of go/types. gomacro's own types
// are a copy of go/types from before generics, made by reflection.
type world struct {
	packages map[string]*types.Package
	compiled map[*gomacro.Named]*types.Named

	// The types of cells gain methods and are declared again, so they are made
	// anew for each cell.
	main        *types.Package
	interpreted map[*gomacro.Named]*types.Named
	cuts        map[*gomacro.Named]cutFields
	aliases     map[*types.Var]string // the fields among them
}

func newWorld() *world {
	return &world{packages: map[string]*types.Package{}, compiled: map[*gomacro.Named]*types.Named{}}
}

// mainPackage is a package with the names of earlier cells that a file uses.
func (w *world) mainPackage(in *interpreter, file *ast.File) *types.Package {
	w.begin(in, types.NewPackage(mainPath, mainPath))
	scope := w.main.Scope()
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				if imp := in.imported(x.Name); imp != nil {
					w.importName(imp, n.Sel.Name)
				}
			}
		case *ast.Ident:
			if scope.Lookup(n.Name) != nil {
				break
			}
			if obj := w.object(w.main, n.Name, in.comp.Binds[n.Name], in.comp.Types[n.Name]); obj != nil {
				scope.Insert(obj)
			} else if n.Name == displayName {
				scope.Insert(displayFunc(w.main))
			}
		}
		return true
	})
	return w.main
}

// begin makes main the package of what cells declare.
func (w *world) begin(in *interpreter, main *types.Package) {
	w.main = main
	w.interpreted = map[*gomacro.Named]*types.Named{}
	w.cuts, w.aliases = in.cuts, map[*types.Var]string{}
}

// imported returns the package that a name of the cells stands for, or nil.
func (in *interpreter) imported(name string) *fast.Import {
	if bind := in.comp.Binds[name]; bind != nil && bind.Const() {
		imp, _ := bind.Value.(*fast.Import)
		return imp
	}
	return nil
}

// importName makes one name of a package known.
func (w *world) importName(imp *fast.Import, name string) {
	pkg := w.pkg(imp.Path, imp.Name)
	if pkg.Scope().Lookup(name) != nil {
		return
	}
	if obj := w.object(pkg, name, imp.Binds[name], imp.Types[name]); obj != nil {
		pkg.Scope().Insert(obj)
	}
}

func (w *world) pkg(path, name string) *types.Package {
	if path == mainPath {
		return w.main
	}
	if pkg := generics.Declared(path); pkg != nil {
		return pkg
	}
	pkg := w.packages[path]
	if pkg == nil {
		pkg = types.NewPackage(path, name)
		pkg.MarkComplete()
		w.packages[path] = pkg
	}
	return pkg
}

// object is what a name stands for, or nil.
func (w *world) object(pkg *types.Package, name string, bind *fast.Bind, typ xreflect.Type) types.Object {
	if bind == nil {
		if typ == nil {
			return nil
		}
		t := w.typ(typ.GoType())
		if named, ok := t.(*types.Named); ok && named.Obj().Name() == name && named.Obj().Pkg() == pkg {
			return named.Obj()
		}
		return types.NewTypeName(token.NoPos, pkg, name, t)
	}
	switch bind.Desc.Class() {
	case fast.VarBind, fast.IntBind:
		return types.NewVar(token.NoPos, pkg, name, w.typ(bind.Type.GoType()))
	case fast.FuncBind:
		if sig, ok := w.typ(bind.Type.GoType()).(*types.Signature); ok {
			return types.NewFunc(token.NoPos, pkg, name, sig)
		}
		return types.NewVar(token.NoPos, pkg, name, w.typ(bind.Type.GoType()))
	}
	switch v := bind.Value.(type) {
	case *fast.Import:
		return types.NewPkgName(token.NoPos, pkg, name, w.pkg(v.Path, v.Name))
	case fast.Builtin:
		switch name {
		case displayName:
			return displayFunc(pkg)
		case updateName:
			return updateFunc(pkg)
		}
		return nil
	case untyped.Lit:
		if t := untypedTypes[v.Kind]; t != nil {
			return types.NewConst(token.NoPos, pkg, name, t, v.Val)
		}
		return nil
	}
	if val := constantValue(bind.Value); val != nil {
		return types.NewConst(token.NoPos, pkg, name, w.typ(bind.Type.GoType()), val)
	}
	return nil
}

// displayFunc is func Display(value any) error.
func displayFunc(pkg *types.Package) types.Object {
	value := types.NewParam(token.NoPos, pkg, "value", types.Universe.Lookup("any").Type())
	err := types.NewParam(token.NoPos, pkg, "", types.Universe.Lookup("error").Type())
	sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(value), types.NewTuple(err), false)
	return types.NewFunc(token.NoPos, pkg, displayName, sig)
}

var untypedTypes = map[untyped.Kind]types.Type{
	untyped.Bool:    types.Typ[types.UntypedBool],
	untyped.Int:     types.Typ[types.UntypedInt],
	untyped.Rune:    types.Typ[types.UntypedRune],
	untyped.Float:   types.Typ[types.UntypedFloat],
	untyped.Complex: types.Typ[types.UntypedComplex],
	untyped.String:  types.Typ[types.UntypedString],
}

func constantValue(v any) constant.Value {
	rv := reflect.ValueOf(v)
	switch {
	case !rv.IsValid():
		return nil
	case rv.CanInt():
		return constant.MakeInt64(rv.Int())
	case rv.CanUint():
		return constant.MakeUint64(rv.Uint())
	case rv.CanFloat():
		return constant.MakeFloat64(rv.Float())
	case rv.CanComplex():
		re, im := constant.MakeFloat64(real(rv.Complex())), constant.MakeFloat64(imag(rv.Complex()))
		return constant.BinaryOp(re, token.ADD, constant.MakeImag(im))
	case rv.Kind() == reflect.Bool:
		return constant.MakeBool(rv.Bool())
	case rv.Kind() == reflect.String:
		return constant.MakeString(rv.String())
	}
	return nil
}

// typ converts a type.
func (w *world) typ(t gomacro.Type) types.Type {
	switch t := t.(type) {
	case *gomacro.Basic:
		return types.Typ[types.BasicKind(t.Kind())]
	case *gomacro.Named:
		return w.named(t)
	case *gomacro.Pointer:
		return types.NewPointer(w.typ(t.Elem()))
	case *gomacro.Slice:
		return types.NewSlice(w.typ(t.Elem()))
	case *gomacro.Array:
		return types.NewArray(w.typ(t.Elem()), t.Len())
	case *gomacro.Map:
		return types.NewMap(w.typ(t.Key()), w.typ(t.Elem()))
	case *gomacro.Chan:
		return types.NewChan(types.ChanDir(t.Dir()), w.typ(t.Elem()))
	case *gomacro.Tuple:
		return w.tuple(t)
	case *gomacro.Signature:
		return w.signature(t, nil)
	case *gomacro.Struct:
		return w.structure(t, nil)
	case *gomacro.Interface:
		var methods []*types.Func
		for i := range t.NumMethods() {
			m := t.Method(i)
			// Reflection does not find the unexported methods of the types that
			// implement a compiled interface.
			if pkg := w.pkgOf(m); m.Exported() || pkg == w.main {
				methods = append(methods, types.NewFunc(token.NoPos, pkg, m.Name(), w.signature(m.Type().(*gomacro.Signature), nil)))
			}
		}
		return types.NewInterfaceType(methods, nil).Complete()
	}
	return types.Typ[types.Invalid]
}

func (w *world) structure(t *gomacro.Struct, cuts cutFields) types.Type {
	var fields []*types.Var
	var tags []string
	for i := range t.NumFields() {
		f := t.Field(i)
		typ := f.Type()
		cut, isCut := cuts[f.Name()]
		if isCut {
			typ = cut.typ.GoType()
		}
		field := types.NewField(token.NoPos, w.pkgOf(f), f.Name(), w.typ(typ), f.Anonymous())
		if isCut {
			w.aliases[field] = cut.alias
		}
		fields = append(fields, field)
		tags = append(tags, t.Tag(i))
	}
	return types.NewStruct(fields, tags)
}

func (w *world) pkgOf(obj gomacro.Object) *types.Package {
	if obj.Pkg() == nil {
		return nil
	}
	return w.pkg(obj.Pkg().Path(), obj.Pkg().Name())
}

func (w *world) tuple(t *gomacro.Tuple) *types.Tuple {
	var vars []*types.Var
	for i := range t.Len() {
		v := t.At(i)
		vars = append(vars, types.NewParam(token.NoPos, w.pkgOf(v), v.Name(), w.typ(v.Type())))
	}
	return types.NewTuple(vars...)
}

func (w *world) signature(t *gomacro.Signature, recv *types.Var) *types.Signature {
	return types.NewSignatureType(recv, nil, nil, w.tuple(t.Params()), w.tuple(t.Results()), t.Variadic())
}

func (w *world) named(t *gomacro.Named) types.Type {
	obj := t.Obj()
	if obj.Pkg() == nil || obj.Pkg().Path() == "" {
		if universal := types.Universe.Lookup(obj.Name()); universal != nil {
			return universal.Type()
		}
	}
	memo := w.compiled
	if obj.Pkg() != nil && obj.Pkg().Path() == mainPath {
		memo = w.interpreted
	}
	if n := memo[t]; n != nil {
		return n
	}
	pkg := w.pkgOf(obj)
	n := types.NewNamed(types.NewTypeName(token.NoPos, pkg, obj.Name(), nil), nil, nil)
	memo[t] = n
	if s, ok := t.Underlying().(*gomacro.Struct); ok {
		n.SetUnderlying(w.structure(s, w.cuts[t]))
	} else {
		n.SetUnderlying(w.typ(t.Underlying()).Underlying())
	}
	for i := range t.NumMethods() {
		m := t.Method(i)
		sig := m.Type().(*gomacro.Signature)
		var self types.Type = n
		if _, isPointer := sig.Recv().Type().(*gomacro.Pointer); isPointer {
			self = types.NewPointer(n)
		}
		recv := types.NewParam(token.NoPos, pkg, "", self)
		n.AddMethod(types.NewFunc(token.NoPos, pkg, m.Name(), w.signature(sig, recv)))
	}
	return n
}
