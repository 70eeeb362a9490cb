package interp

import (
	"go/ast"
	"reflect"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/imports"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/rlx-go/gopherscope/internal/display"
)

func init() {
	// gophernotes' notebooks import the package by either path.
	imports.Packages[displayPath] = displayPackage
	imports.Packages["github.com/gopherdata/gophernotes"] = displayPackage
}

// displayPackage is the package display of cells, without Display and Update,
// which are added where it is imported: they need the type that the value has
// there.
var displayPackage = imports.Package{
	Name: "display",
	Binds: map[string]reflect.Value{
		"Any":        reflect.ValueOf(display.Any),
		"Clear":      reflect.ValueOf(clearOutput),
		"Progress":   reflect.ValueOf(newBar),
		"Auto":       reflect.ValueOf(display.Auto),
		"File":       reflect.ValueOf(display.File),
		"HTML":       reflect.ValueOf(display.HTML),
		"Image":      reflect.ValueOf(display.Image),
		"JPEG":       reflect.ValueOf(display.JPEG),
		"JSON":       reflect.ValueOf(display.JSON),
		"JavaScript": reflect.ValueOf(display.JavaScript),
		"Latex":      reflect.ValueOf(display.Latex),
		"MIME":       reflect.ValueOf(display.MIME),
		"MakeData":   reflect.ValueOf(display.MakeData),
		"MakeData3":  reflect.ValueOf(display.MakeData3),
		"Markdown":   reflect.ValueOf(display.Markdown),
		"Math":       reflect.ValueOf(display.Math),
		"PDF":        reflect.ValueOf(display.PDF),
		"PNG":        reflect.ValueOf(display.PNG),
		"SVG":        reflect.ValueOf(display.SVG),

		"MIMETypeHTML":       reflect.ValueOf(display.MIMETypeHTML),
		"MIMETypeJPEG":       reflect.ValueOf(display.MIMETypeJPEG),
		"MIMETypeJSON":       reflect.ValueOf(display.MIMETypeJSON),
		"MIMETypeJavaScript": reflect.ValueOf(display.MIMETypeJavaScript),
		"MIMETypeLatex":      reflect.ValueOf(display.MIMETypeLatex),
		"MIMETypeMarkdown":   reflect.ValueOf(display.MIMETypeMarkdown),
		"MIMETypePDF":        reflect.ValueOf(display.MIMETypePDF),
		"MIMETypePNG":        reflect.ValueOf(display.MIMETypePNG),
		"MIMETypeSVG":        reflect.ValueOf(display.MIMETypeSVG),
		"MIMETypeText":       reflect.ValueOf(display.MIMETypeText),
	},
	Types: map[string]reflect.Type{
		"Bar":            reflect.TypeFor[display.Bar](),
		"Data":           reflect.TypeFor[display.Data](),
		"MIMEMap":        reflect.TypeFor[display.MIMEMap](),
		"Renderer":       reflect.TypeFor[display.Renderer](),
		"SimpleRenderer": reflect.TypeFor[display.SimpleRenderer](),
		"HTMLer":         reflect.TypeFor[display.HTMLer](),
		"JavaScripter":   reflect.TypeFor[display.JavaScripter](),
		"JPEGer":         reflect.TypeFor[display.JPEGer](),
		"JSONer":         reflect.TypeFor[display.JSONer](),
		"Latexer":        reflect.TypeFor[display.Latexer](),
		"Markdowner":     reflect.TypeFor[display.Markdowner](),
		"PNGer":          reflect.TypeFor[display.PNGer](),
		"PDFer":          reflect.TypeFor[display.PDFer](),
		"SVGer":          reflect.TypeFor[display.SVGer](),
	},
	Proxies: displayProxies,
}

const (
	displayPath = "display"
	displayName = "Display"
	updateName  = "Update"
)

// declareBuiltins gives cells Display, also as display.Display, and the package
// display itself.
func (in *interpreter) declareBuiltins() {
	in.comp.DeclBuiltin0(fieldName, fast.Builtin{Compile: in.compileField, ArgMin: 2, ArgMax: 2})
	for _, name := range []string{convertName, assertName, tryName} {
		in.comp.DeclBuiltin0(name, fast.Builtin{Compile: in.compileConvert, ArgMin: 2, ArgMax: 2})
	}
	in.comp.DeclBuiltin0(boxName, fast.Builtin{Compile: in.compileBox, ArgMin: 1, ArgMax: 1})
	in.comp.DeclBuiltin0(methodName, fast.Builtin{Compile: in.compileMethod, ArgMin: 2, ArgMax: 2})
	in.comp.DeclBuiltin0(boundsName, fast.Builtin{Compile: in.compileBounds, ArgMin: 2, ArgMax: 3})
	in.comp.DeclBuiltin0(placeName, fast.Builtin{Compile: compilePlace, ArgMin: 1, ArgMax: 1})
	in.comp.DeclBuiltin0(ofTypeName, fast.Builtin{Compile: in.compileOfType, ArgMin: 2, ArgMax: 2})
	in.comp.DeclBuiltin0(someName, fast.Builtin{Compile: compileSome, ArgMin: 1, ArgMax: 1})
	in.declareSelect()
	in.declareAction(depthName, in.depth)
	in.declareWaits()
	in.declareAction(gateName, func(*fast.Env) { in.gate() })
	in.declareModern()
	in.declareUnwrap()
	in.declareExits()
	in.declareUnlocks()
	in.comp.DeclFunc0(roomName, room)
	for _, name := range []string{guardName, callbackName} {
		in.comp.DeclBuiltin0(name, fast.Builtin{Compile: in.compileGuard, ArgMin: 1, ArgMax: 1})
	}
	show := in.comp.DeclBuiltin0(displayName, fast.Builtin{Compile: in.compileDisplay, ArgMin: 1, ArgMax: 1})
	update := in.comp.DeclBuiltin0(updateName, fast.Builtin{Compile: in.compileUpdate, ArgMin: 2, ArgMax: 2})
	in.forget(updateName)
	for _, path := range []string{"github.com/gopherdata/gophernotes", displayPath} {
		in.importPackage("", path)
		in.comp.KnownImports[path].Binds[displayName] = show
		in.comp.KnownImports[path].Binds[updateName] = update
	}
}

// compileDisplay compiles a call of Display. It sees the type that the value
// has in the cell, which a function could not: values lose the methods of
// interpreted types on their way into an interface.
func (in *interpreter) compileDisplay(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	switch {
	case arg.Type == nil: // nil
		arg.ConstTo(c.TypeOfInterface())
	case arg.Const():
		arg.ConstTo(arg.DefaultType())
	}
	t := arg.Type
	return builtinCall(sym, arg, func(v xreflect.Value) xreflect.Value {
		in.display(v, t)
		return xreflect.ZeroR(errorType)
	}, c.TypeOfError())
}

// builtinCall is a call of a function of one value that returns another.
func builtinCall(sym fast.Symbol, arg *fast.Expr, f func(xreflect.Value) xreflect.Value, result xreflect.Type) *fast.Call {
	t := arg.Type.Universe().FuncOf([]xreflect.Type{arg.Type}, []xreflect.Type{result}, false)
	sym.Type = t
	return &fast.Call{
		Fun:      &fast.Expr{Lit: fast.Lit{Type: t, Value: f}, Sym: &sym},
		Args:     []*fast.Expr{arg},
		OutTypes: []xreflect.Type{result},
	}
}
