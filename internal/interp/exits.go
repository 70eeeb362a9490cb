package interp

import (
	"errors"
	"flag"
	"go/ast"
	"go/token"
	"go/types"
	"log"
	"slices"
	"sync"
)

// replaced are the methods that end the process, or wait without an end. The
// function that stands for one takes its receiver and has its name.
var replaced = map[string][]string{
	"log":  {"Logger.Fatal", "Logger.Fatalf", "Logger.Fatalln"},
	"flag": {"FlagSet.Init"},
	"sync": {"Mutex.Lock", "Mutex.Unlock", "RWMutex.Lock", "RWMutex.Unlock", "RWMutex.RLock", "RWMutex.RUnlock", "WaitGroup.Wait"},
}

// replacement returns what stands for such a method, or nil for other selectors.
func (c *compiler) replacement(n *ast.SelectorExpr) ast.Expr {
	s := c.info.Selections[n]
	if s == nil || s.Kind() != types.MethodVal || !c.isCompiled(s.Obj()) {
		return nil
	}
	recv := s.Obj().(*types.Func).Signature().Recv().Type()
	if p, ok := recv.(*types.Pointer); ok {
		recv = p.Elem()
	}
	named, ok := recv.(*types.Named)
	if !ok {
		return nil
	}
	method := named.Obj().Name() + "." + n.Sel.Name
	if !slices.Contains(replaced[s.Obj().Pkg().Path()], method) {
		return nil
	}
	x, t, pos := n.X, s.Recv(), n.X.End()
	for _, i := range s.Index()[:len(s.Index())-1] { // of an embedded logger
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		field := t.Underlying().(*types.Struct).Field(i)
		x, t = &ast.SelectorExpr{X: x, Sel: name(field.Name(), pos)}, field.Type()
	}
	if _, ok := t.Underlying().(*types.Pointer); !ok {
		x = &ast.UnaryExpr{OpPos: n.Pos(), Op: token.AND, X: x}
	}
	with := call(hidden+method, x)
	c.info.Types[with] = c.info.Types[n]
	return with
}

func (in *interpreter) declareExits() {
	in.comp.DeclFunc0(hidden+"Logger.Fatal", func(l *log.Logger) func(...any) {
		return func(v ...any) { l.Print(v...); fatal() }
	})
	in.comp.DeclFunc0(hidden+"Logger.Fatalf", func(l *log.Logger) func(string, ...any) {
		return func(format string, v ...any) { l.Printf(format, v...); fatal() }
	})
	in.comp.DeclFunc0(hidden+"FlagSet.Init", func(f *flag.FlagSet) func(string, flag.ErrorHandling) {
		return func(name string, handling flag.ErrorHandling) { f.Init(name, noExit(handling)) }
	})
	in.comp.DeclFunc0(hidden+"Logger.Fatalln", func(l *log.Logger) func(...any) {
		return func(v ...any) { l.Println(v...); fatal() }
	})
}

// declareUnlocks declares what ends the process for a lock that is not held, and
// here panics. A lock that can be taken is not held.
func (in *interpreter) declareUnlocks() {
	in.comp.DeclFunc0(hidden+"Mutex.Unlock", func(m *sync.Mutex) func() {
		return func() { unlock("Mutex", m.TryLock, m.Unlock, m.Unlock) }
	})
	in.comp.DeclFunc0(hidden+"RWMutex.Unlock", func(m *sync.RWMutex) func() {
		return func() { unlock("RWMutex", m.TryRLock, m.RUnlock, m.Unlock) }
	})
	in.comp.DeclFunc0(hidden+"RWMutex.RUnlock", func(m *sync.RWMutex) func() {
		return func() { unlock("RWMutex", m.TryLock, m.Unlock, m.RUnlock) }
	})
}

// unlock calls release, which unlocks a lock. take tries to lock it in a way that
// fails while release has something to unlock, and undo takes that back.
func unlock(name string, take func() bool, undo, release func()) {
	if take() {
		undo()
		panic(errors.New("sync: unlock of a " + name + " that is not locked"))
	}
	release()
}

func fatal() { panic(refusal("log.Fatal would end the notebook's session")) }

// newFlagSet is flag.NewFlagSet, but that a set panics where it would exit.
func newFlagSet(name string, handling flag.ErrorHandling) *flag.FlagSet {
	return flag.NewFlagSet(name, noExit(handling))
}

func noExit(handling flag.ErrorHandling) flag.ErrorHandling {
	if handling == flag.ExitOnError {
		return flag.PanicOnError
	}
	return handling
}
