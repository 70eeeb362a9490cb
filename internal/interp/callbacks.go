package interp

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"reflect"
	"sync/atomic"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/gls"
	"github.com/cosmos72/gomacro/xreflect"
	"golang.org/x/tools/go/ast/astutil"
)

// A panic that leaves a goroutine ends the process. A cell starts goroutines by
// go statements, and by giving functions to compiled code that has goroutines,
// such as time.AfterFunc. Both get their functions through a builtin that keeps
// the panic and reports it.
const (
	guardName    = hidden + "go"
	callbackName = hidden + "callback"
)

// compileGuard compiles a call of one of them: it returns its argument, a
// function, with what keeps a panic around it.
func (in *interpreter) compileGuard(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	fun := c.Expr1(node.Args[0], nil)
	if fun.Type == nil || fun.Type.Kind() != reflect.Func {
		fail(node.Args[0].Pos(), "go must be followed by a function call")
	}
	at := in.place(node.Pos())
	origin := fmt.Sprintf("a goroutine started at %s:%d", at.cell, at.line)
	if sym.Name == callbackName {
		origin = fmt.Sprintf("a goroutine that calls the function at %s:%d", at.cell, at.line)
	}
	return builtinCall(sym, fun, func(f xreflect.Value) xreflect.Value {
		return xreflect.MakeValue(in.keepPanic(f.ReflectValue(), origin, sym.Name == callbackName))
	}, fun.Type)
}

// keeper keeps the panics of one function.
type keeper struct {
	origin string // where the function is
	sink   Sink   // of its cell
	// needed says that compiled code calls the function for its results. Zeros take
	// their place, so that what called it is wrong: its cell fails, and the panics after the first, of
	// which there may be many, are not reported.
	needed   bool
	reported atomic.Bool
}

// keepPanic returns a function that calls f. Where nothing else would keep a
// panic of f from ending the process, it ends the call with zero results. called
// says that compiled code calls f, and not a go statement.
func (in *interpreter) keepPanic(f reflect.Value, origin string, called bool) reflect.Value {
	if f.IsNil() {
		return f
	}
	k := &keeper{origin: origin, sink: in.sink(), needed: called && f.Type().NumOut() > 0}
	switch f := f.Interface().(type) { // common ones, which reflection would slow down
	case func():
		return reflect.ValueOf(func() {
			defer in.keep(k, in.enter(k.sink))
			f()
		})
	case func(float64) float64:
		return reflect.ValueOf(func(x float64) float64 {
			defer in.keep(k, in.enter(k.sink))
			return f(x)
		})
	case func([]float64) float64:
		return reflect.ValueOf(func(x []float64) float64 {
			defer in.keep(k, in.enter(k.sink))
			return f(x)
		})
	case func(int, int) bool:
		return reflect.ValueOf(func(i, j int) bool {
			defer in.keep(k, in.enter(k.sink))
			return f(i, j)
		})
	}
	t := f.Type()
	return reflect.MakeFunc(t, func(args []reflect.Value) (results []reflect.Value) {
		for i := range t.NumOut() {
			results = append(results, reflect.Zero(t.Out(i)))
		}
		defer in.keep(k, in.enter(k.sink))
		if t.IsVariadic() {
			results = f.CallSlice(args)
		} else {
			results = f.Call(args)
		}
		return results
	})
}

// sink is the sink of the cell that the current goroutine belongs to.
func (in *interpreter) sink() Sink {
	if sink, ok := in.guarded.Load(gls.GoID()); ok && sink != nil {
		return sink.(Sink)
	}
	return in.session.out.last()
}

// enter returns the goroutine, and 0 when a panic on it is kept already: on the
// evaluator, and in calls within calls. Others belong to the cell of a sink.
func (in *interpreter) enter(sink Sink) (goroutine uintptr) {
	goroutine = gls.GoID()
	if goroutine == in.owner.Load().goroutine || in.isLeft() {
		return 0
	}
	if _, entered := in.guarded.LoadOrStore(goroutine, sink); entered {
		return 0
	}
	return goroutine
}

// keep is deferred with what enter returned.
func (in *interpreter) keep(k *keeper, goroutine uintptr) {
	if goroutine == 0 {
		return
	}
	if r := recover(); r != nil && in.session.life.Err() == nil {
		text := fmt.Sprintf("panic in %s: %s", k.origin, panicText(r))
		if first := k.reported.CompareAndSwap(false, true); first || !k.needed {
			fmt.Fprintln(os.Stderr, text)
			in.session.out.panicked(k.sink, text)
		}
		if k.needed && k.sink == in.session.out.last() {
			in.lost.CompareAndSwap(nil, &text)
		}
	}
	in.guarded.Delete(goroutine)
	in.tables.exited()
}

// callback returns what stands for a function of a cell where compiled code
// gets it: as an argument, in a literal of a compiled type, and in a field of
// one. It returns nil for other expressions.
func (c *compiler) callback(x ast.Expr, cur *astutil.Cursor, elements map[*ast.KeyValueExpr]*ast.CompositeLit) ast.Expr {
	if !isFunc(c.info.Types[x].Type) || !c.goesToCompiled(cur, elements) || !isFunc(c.target(cur, elements)) {
		return nil
	}
	if sel, ok := x.(*ast.SelectorExpr); ok {
		if obj := c.info.Uses[sel.Sel]; obj == nil || c.isCompiled(obj) || c.cutOf(sel) != nil {
			return nil
		}
		if with := c.receiver(sel); with != nil {
			x = with
		} else {
			c.methodValue(sel)
		}
	}
	return call(callbackName, x)
}

func isFunc(t types.Type) bool {
	_, ok := underlying(t).(*types.Signature)
	return ok
}

func (c *compiler) isCompiled(obj types.Object) bool {
	return obj.Pkg() != nil && obj.Pkg() != c.world.main
}

// goesToCompiled reports whether compiled code gets the expression at cur.
func (c *compiler) goesToCompiled(cur *astutil.Cursor, elements map[*ast.KeyValueExpr]*ast.CompositeLit) bool {
	ofCompiled := func(t types.Type) bool {
		if p, ok := underlying(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		named, ok := t.(*types.Named)
		return ok && c.isCompiled(named.Obj())
	}
	selected := func(x ast.Expr) bool {
		sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
		if !ok {
			return false
		}
		if s := c.info.Selections[sel]; s != nil && s.Kind() == types.FieldVal {
			return ofCompiled(s.Recv())
		}
		obj := c.info.Uses[sel.Sel]
		return obj != nil && c.isCompiled(obj)
	}
	typeOf := func(lit *ast.CompositeLit) types.Type { return c.info.Types[lit].Type }
	switch parent := cur.Parent().(type) {
	case *ast.CallExpr:
		return cur.Name() == "Args" && selected(parent.Fun)
	case *ast.CompositeLit:
		return cur.Name() == "Elts" && ofCompiled(typeOf(parent))
	case *ast.KeyValueExpr:
		return cur.Name() == "Value" && ofCompiled(typeOf(elements[parent]))
	case *ast.AssignStmt:
		return cur.Name() == "Rhs" && len(parent.Lhs) == len(parent.Rhs) && selected(parent.Lhs[cur.Index()])
	}
	return false
}
