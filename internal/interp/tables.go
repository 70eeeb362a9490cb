package interp

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"

	gomacro "github.com/cosmos72/gomacro/go/types"
	"github.com/cosmos72/gomacro/xreflect"
)

// tables is the right to use gomacro's tables of types.
//
// Interpreted code asks them for the type of each variable that it declares, on
// whichever goroutine it runs and without a lock, and the runtime ends a
// process that reads a map while it is written. So while the tables are written
// to, nothing else may run.
type tables struct {
	lock  sync.Mutex
	exits sync.Mutex // what a goroutine of a cell passes when it ends

	converters sync.Map // from conversion to what does it
}

// write runs f alone: for that time there is one processor, and no garbage
// collection that could hand it on. The scheduler can still hand it to a
// goroutine of a cell when f takes longer than its 10 ms, and that could find a
// map half written; gomacro has no place for a lock that would prevent it, as a
// statement that holds one may wait for ever.
func (t *tables) write(f func()) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.exited() // what ended before has happened before
	percent := debug.SetGCPercent(-1)
	processors := runtime.GOMAXPROCS(1)
	defer func() {
		runtime.GOMAXPROCS(processors)
		debug.SetGCPercent(percent)
	}()
	f()
}

// read runs f, which looks methods up.
func (t *tables) read(f func()) {
	t.lock.Lock()
	defer t.lock.Unlock()
	f()
}

// exited orders the end of a goroutine and the next write.
func (t *tables) exited() {
	t.exits.Lock()
	defer t.exits.Unlock()
}

// conversion is from the type of a value, which is interpreted or else compiled,
// to an interface type.
type conversion struct {
	interpreted gomacro.Type
	compiled    reflect.Type
	to          gomacro.Type
}

// converter returns what makes the conversion, made once by find, which may
// return nil.
func (t *tables) converter(v reflect.Value, from, to xreflect.Type, find func() func(reflect.Value) reflect.Value) func(reflect.Value) reflect.Value {
	key := conversion{compiled: v.Type(), to: to.GoType()}
	if from != nil {
		key = conversion{interpreted: from.GoType(), to: to.GoType()}
	}
	if known, ok := t.converters.Load(key); ok {
		return known.(func(reflect.Value) reflect.Value)
	}
	var found func(reflect.Value) reflect.Value
	t.write(func() { found = find() })
	t.converters.Store(key, found)
	return found
}
