package interp

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"strconv"
	"sync"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/rlx-go/gopherscope/internal/display"
)

// updates are the displays that change in place.
type updates struct {
	sync.Mutex
	cell string // the id of the cell that runs
	run  int    // how many cells ran
	made int    // ids made for bars
	seen map[string]origin
}

// origin is where a display was shown first.
type origin struct {
	cell string
	run  int
}

func (u *updates) begin(cell string) {
	u.Lock()
	defer u.Unlock()
	u.cell = cell
	u.run++
}

// known reports whether a display is on the page. A cell that runs again has
// lost its outputs.
func (u *updates) known(id string) bool {
	u.Lock()
	defer u.Unlock()
	o, seen := u.seen[id]
	if seen && (o.run == u.run || o.cell != "" && o.cell != u.cell) {
		return true
	}
	u.seen[id] = origin{u.cell, u.run}
	return false
}

func (u *updates) newID() string {
	u.Lock()
	defer u.Unlock()
	u.made++
	return "gopherscope-" + strconv.Itoa(u.run) + "-" + strconv.Itoa(u.made)
}

// updateDisplay shows data in the place of what was shown with the same id, or
// after the outputs so far when there is none.
func (s *Session) updateDisplay(id string, data display.Data) {
	transient := display.MIMEMap{}
	maps.Copy(transient, data.Transient)
	transient["display_id"] = id
	data.Transient = transient
	s.out.update(id, data, !s.updates.known(id))
}

// compileUpdate compiles a call of display.Update(id, value), as compileDisplay
// does one of Display.
func (in *interpreter) compileUpdate(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	id, value := c.Expr1(node.Args[0], nil), c.Expr1(node.Args[1], nil)
	id.ConstTo(c.TypeOfString())
	switch {
	case value.Type == nil: // nil
		value.ConstTo(c.TypeOfInterface())
	case value.Const():
		value.ConstTo(value.DefaultType())
	}
	t := c.Universe.FuncOf([]xreflect.Type{id.Type, value.Type}, nil, false)
	sym.Type = t
	of := value.Type
	update := func(id, value xreflect.Value) {
		in.gate()
		in.session.updateDisplay(id.String(), in.shown(concrete(value, of)))
	}
	return &fast.Call{Fun: &fast.Expr{Lit: fast.Lit{Type: t, Value: update}, Sym: &sym}, Args: []*fast.Expr{id, value}}
}

// updateFunc is func Update(id string, value any).
func updateFunc(pkg *types.Package) types.Object {
	id := types.NewParam(token.NoPos, pkg, "id", types.Typ[types.String])
	value := types.NewParam(token.NoPos, pkg, "value", types.Universe.Lookup("any").Type())
	sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(id, value), nil, false)
	return types.NewFunc(token.NoPos, pkg, updateName, sig)
}

// Clear and Progress of package display are the running session's.

func clearOutput(wait bool) {
	if s := current(); s != nil {
		s.in.gate()
		s.out.clear(wait)
	}
}

func newBar(label string, total int) *display.Bar {
	s := current()
	if s == nil {
		return display.NewBar(label, total, func(display.Data) {})
	}
	id := s.updates.newID()
	return display.NewBar(label, total, func(d display.Data) {
		s.in.gate()
		s.updateDisplay(id, d)
	})
}

// current is the session that is open, or nil.
func current() *Session {
	process.Lock()
	defer process.Unlock()
	return process.session
}
