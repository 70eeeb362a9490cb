package interp

import (
	"fmt"
	"go/ast"
	"log"
	"os"
	"reflect"
	"time"

	"github.com/cosmos72/gomacro/base"
	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/gls"
	"github.com/cosmos72/gomacro/xreflect"
)

// refusal is a panic that a cell gets instead of the end of the process.
type refusal string

// guard replaces what would end the process or hold up an interrupt.
func (in *interpreter) guard(imp *fast.Import) {
	for name, f := range in.guards()[imp.Path] {
		bind := imp.Binds[name]
		if bind == nil || bind.Desc.Class() != fast.FuncBind || bind.Type.ReflectType() != reflect.TypeOf(f) {
			continue
		}
		imp.Vals[bind.Desc.Index()] = xreflect.ValueOf(f)
	}
}

func (in *interpreter) guards() map[string]map[string]any {
	exit := func(code int) { panic(refusal(fmt.Sprintf("os.Exit(%d) would end the notebook's session", code))) }
	fatal := func() { panic(refusal("log.Fatal would end the notebook's session")) }
	return map[string]map[string]any{
		"os":      {"Exit": exit},
		"syscall": {"Exit": exit},
		"log": {
			"Fatal":   func(v ...any) { log.Print(v...); fatal() },
			"Fatalf":  func(format string, v ...any) { log.Printf(format, v...); fatal() },
			"Fatalln": func(v ...any) { log.Println(v...); fatal() },
		},
		"runtime": {"Goexit": func() { panic(refusal("runtime.Goexit would end the notebook's session")) }},
		"time":    {"Sleep": in.sleep},
	}
}

// sleep is time.Sleep, and ends when the cell that it is called in is
// interrupted. Goroutines of cells are not.
func (in *interpreter) sleep(d time.Duration) {
	if gls.GoID() != in.goroutine {
		time.Sleep(d)
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-in.current.Done():
		panic(base.SigInterrupt)
	}
}

// guardName is the builtin that each go statement of a cell calls its function
// through: a panic that leaves a goroutine ends the process, so it is kept and
// reported.
const guardName = hidden + "go"

// compileGo compiles a call of guardName: it returns its argument, a function,
// with what keeps a panic around it.
func (in *interpreter) compileGo(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	fun := c.Expr1(node.Args[0], nil)
	if fun.Type == nil || fun.Type.Kind() != reflect.Func {
		fail(node.Args[0].Pos(), "go must be followed by a function call")
	}
	started := in.place(node.Pos())
	return builtinCall(sym, fun, func(f xreflect.Value) xreflect.Value {
		return xreflect.MakeValue(in.keepPanic(f.ReflectValue(), started))
	}, fun.Type)
}

func (in *interpreter) keepPanic(f reflect.Value, started place) reflect.Value {
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) (results []reflect.Value) {
		defer in.tables.exited()
		defer func() {
			if r := recover(); r != nil {
				fmt.Fprintf(os.Stderr, "panic in a goroutine started at %s:%d: %s\n", started.cell, started.line, panicText(r))
				for i := range f.Type().NumOut() {
					results = append(results, reflect.Zero(f.Type().Out(i)))
				}
			}
		}()
		if f.Type().IsVariadic() {
			return f.CallSlice(args)
		}
		return f.Call(args)
	})
}
