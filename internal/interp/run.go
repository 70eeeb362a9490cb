package interp

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cosmos72/gomacro/base"
	basereflect "github.com/cosmos72/gomacro/base/reflect"
	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/rlx-go/gopherscope/internal/display"
)

// value is what an expression of a cell gives, with the type it has there.
type value struct {
	xreflect.Value
	typ xreflect.Type
}

// execute runs a compiled cell and returns what its last expression shows.
func (in *interpreter) execute(ctx context.Context, src *source, u *unit) (data *display.Data, failed *Error) {
	in.prepare() // once: it forgets an interrupt
	progress := &running{unit: u}
	in.running.Store(progress)
	in.lost.Store(nil)
	defer in.running.CompareAndSwap(progress, nil)
	in.install(u.instances)
	for _, e := range u.setup {
		in.exec(e)
	}
	for _, s := range u.steps {
		for _, bind := range s.declared {
			in.zero(bind)
		}
	}
	var deferred []reflect.Value
	var values []value // of the last step, or of those that are shown together
	for i, s := range u.steps {
		progress.step.Store(int64(i))
		run := func() {
			if ctx.Err() != nil {
				panic(base.SigInterrupt)
			}
			given := in.step(s)
			if text := in.lost.Swap(nil); text != nil {
				panic(*text)
			}
			if i > len(u.steps)-src.shown {
				values = append(values, given...)
			} else {
				values = given
			}
		}
		if failed = in.attempt(ctx, s.pos, run); failed != nil {
			in.restoreFrom(u, i)
			break
		}
		if s.deferred {
			deferred = append(deferred, values[0].ReflectValue())
		}
	}
	progress.step.Store(int64(len(u.steps)))
	if n := len(u.steps); failed == nil && n > 0 && !src.silent && (src.shown > 0 || in.shows(u.steps[n-1].node)) {
		failed = in.attempt(ctx, u.steps[n-1].pos, func() { data = in.result(values) })
	}
	for _, f := range slices.Backward(deferred) {
		failed = in.runDeferred(ctx, u.steps[len(u.steps)-1].pos, f, failed)
	}
	if failed == nil && declaresMain(src.items) {
		in.session.out.flush()
		in.session.out.text("stderr", "func main is declared but a cell does not run it by itself: end the cell with main()\n")
	}
	if failed == nil && ctx.Err() != nil { // it stopped waiting, and had no more to do
		failed = interrupted(src.name)
	}
	return data, failed
}

// running is a compiled cell and how far it has come.
type running struct {
	unit *unit
	step atomic.Int64
}

// restoreFrom gives the names that the steps from i on declare the meanings that
// they had before.
func (in *interpreter) restoreFrom(u *unit, i int) {
	for _, unreached := range slices.Backward(u.steps[i:]) {
		for _, m := range slices.Backward(unreached.meant) {
			in.restore(m)
		}
	}
}

// giveUp does for a cell whose evaluator is gone what the cell would have done
// itself when it failed.
func (in *interpreter) giveUp() {
	if cell := in.running.Swap(nil); cell != nil {
		in.restoreFrom(cell.unit, int(cell.step.Load()))
	}
}

// places returns the places that a waiting cell is at.
func (in *interpreter) places() []place {
	cell := in.running.Load()
	if cell == nil {
		return nil
	}
	pos := token.NoPos
	if i := int(cell.step.Load()); i < len(cell.unit.steps) {
		pos = cell.unit.steps[i].pos
	}
	return in.stack(pos)
}

// declaresMain reports whether a cell declares func main and has no statement
// that calls it.
func declaresMain(items []ast.Node) bool {
	declared, called := false, false
	for _, item := range items {
		if f, ok := item.(*ast.FuncDecl); ok {
			declared = declared || f.Recv == nil && f.Name.Name == "main" && len(f.Type.Params.List) == 0
			continue
		}
		ast.Inspect(item, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			called = called || ok && id.Name == "main"
			return !called
		})
	}
	return declared && !called
}

// runDeferred runs a deferred function of a cell, which may have failed, and
// returns the failure after it: the function can recover from a panic, or panic
// itself.
func (in *interpreter) runDeferred(ctx context.Context, pos token.Pos, f reflect.Value, failed *Error) *Error {
	run := in.env.Run
	if failed != nil && failed.Name == namePanic {
		run.Panic, run.PanicFun = in.panicked, in.env
	}
	run.DeferOfFun = in.env
	run.ExecFlags.SetStartDefer(true)
	err := in.attempt(ctx, pos, func() { f.Call(nil) })
	recovered := run.PanicFun == nil
	in.reset()
	switch {
	case err != nil:
		return err
	case failed != nil && failed.Name == namePanic && recovered:
		return nil
	}
	return failed
}

// zero gives a variable that has no value yet its zero value: a function may use
// it before it is reached.
func (in *interpreter) zero(bind *fast.Bind) {
	if bind.Desc.Class() == fast.VarBind {
		if slot := &in.env.Vals[bind.Desc.Index()]; !slot.IsValid() {
			*slot = xreflect.New(bind.Type).Elem()
		}
	}
}

// step runs a step and returns the values of its last expression.
func (in *interpreter) step(s *step) (values []value) {
	for _, e := range s.exprs {
		first, all := in.exec(e)
		vs, ts := basereflect.PackValues(first, all), basereflect.PackTypes(e.Type, e.Types)
		values = values[:0]
		for i, v := range vs {
			values = append(values, value{v, ts[i]})
		}
	}
	for _, slot := range s.scratch {
		in.env.Vals[slot] = xreflect.Value{}
	}
	return values
}

// shows reports whether a cell that ends with a statement has a result. What
// the functions of fmt that print return is none.
func (in *interpreter) shows(stmt ast.Stmt) bool {
	expr, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return false
	}
	if call, ok := expr.X.(*ast.CallExpr); ok {
		if fun, ok := call.Fun.(*ast.SelectorExpr); ok {
			if pkg, ok := fun.X.(*ast.Ident); ok {
				imp := in.imported(pkg.Name)
				return imp == nil || imp.Path != "fmt" || !slices.Contains(printers, fun.Sel.Name)
			}
		}
	}
	return true
}

var printers = []string{"Print", "Printf", "Println", "Fprint", "Fprintf", "Fprintln"}

// attempt runs f and makes an error of its panic. pos is the place of f in the
// cell, where nothing more exact is known.
func (in *interpreter) attempt(ctx context.Context, pos token.Pos, f func()) (failed *Error) {
	defer func() {
		r := recover()
		if in.isLeft() {
			runtime.Goexit()
		}
		if r != nil {
			places := in.stack(pos)
			if isOutOfRange(r) {
				if text := in.indexPanic(pos); text != "" {
					r = text
				}
			}
			in.reset()
			in.panicked = r
			if _, ok := r.(base.Signal); ok || ctx.Err() != nil {
				failed = interrupted("", places...)
				return
			}
			text := panicText(r)
			// A method that gives the text may have panicked or been interrupted.
			in.reset()
			failed = newError(namePanic, text, places...)
			if ctx.Err() != nil {
				failed = interrupted("", places...)
			}
		}
	}()
	f()
	return nil
}

// indexPanic says what was out of range, or nothing where that is not known.
func (in *interpreter) indexPanic(pos token.Pos) string {
	env := in.env.Run.CurrEnv
	if env == nil {
		env = in.env
	}
	if p := position(env); p != token.NoPos {
		pos = p
	}
	return in.outOfRange(env, pos)
}

// maxFrames is how many calls of a stack are shown.
const maxFrames = 20

// stack returns the places that the interpreter is at, innermost first. pos is
// the top-level statement.
func (in *interpreter) stack(pos token.Pos) (places []place) {
	for _, p := range positions(in.env.Run, in.env, pos) {
		places = append(places, in.place(p))
	}
	return places
}

// positions is the call stack of a Run, innermost first, up to the environment
// of the cells. The goroutine that it belongs to may be another one, which waits:
// nothing but that orders what it wrote and what is read here.
//
//go:norace
func positions(run *fast.Run, file *fast.Env, pos token.Pos) (list []token.Pos) {
	env := run.CurrEnv
	for env != nil && len(list) < maxFrames {
		top := env
		for top.Caller == nil && top.Outer != nil && top != file {
			top = top.Outer
		}
		if top == file {
			break
		}
		if p := position(env); p != token.NoPos {
			list = append(list, p)
		}
		env = top.Caller
	}
	if len(list) < maxFrames {
		if env == nil {
			env = file
		}
		if p := position(env); p != token.NoPos {
			pos = p
		}
		if pos != token.NoPos {
			list = append(list, pos)
		}
	}
	return list
}

// position is where an environment's code is.
//
//go:norace
func position(env *fast.Env) token.Pos {
	n := len(env.DebugPos)
	if n == 0 || env.IP < 0 {
		return token.NoPos
	}
	ip := env.IP
	if ip >= n { // beyond the end while deferred calls run
		ip = n - 1
	}
	return env.DebugPos[ip]
}

// panicText is what a panic says, the beginning of it when it is long. The
// value's own methods may panic in turn.
func panicText(r any) (text string) {
	defer func() { text = display.Text(text) }()
	defer func() {
		if inner := recover(); inner != nil {
			text = "a value whose text cannot be had: its method panicked"
			if v, t := concrete(xreflect.ValueOf(r), nil); v.Kind() == reflect.Pointer && v.IsNil() {
				text = "<nil>"
			} else if t != nil {
				text = "a " + t.String() + " whose text cannot be had: its method panicked"
			}
		}
	}()
	switch r := r.(type) {
	case refusal:
		return string(r)
	case *reflect.ValueError:
		if r.Kind == reflect.Invalid {
			return "invalid memory address or nil pointer dereference"
		}
	case *runtime.TypeAssertionError:
		return r.Error()
	case error:
		text := r.Error()
		if strings.HasPrefix(text, "interface conversion: ") { // gomacro's
			text = strings.NewReplacer("<interface{}>", "interface", "<", "", ">", "").Replace(text)
		}
		return text
	case string:
		if r == "reflect.Value.Slice: slice index out of bounds" || r == "reflect.Value.Slice: string slice index out of bounds" {
			return "slice bounds out of range"
		}
		if text, ok := strings.CutPrefix(r, "reflect: "); ok && strings.HasSuffix(text, "index out of range") {
			return "index out of range"
		}
		return r
	case fmt.Stringer:
		return r.String()
	}
	return display.Text(r)
}
