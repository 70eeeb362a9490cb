package interp

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"sync"

	"github.com/cosmos72/gomacro/base"
	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/gls"
	"github.com/cosmos72/gomacro/xreflect"
)

// A cell that waits for a channel, a lock or a group also waits for its own
// interrupt: it then leaves no one behind who would take a value or a lock that
// others wait for.
const (
	recvName        = hidden + "recv"        // chan to one that can be received from now
	carrierName     = hidden + "carrier"     // chan to a new one, for what is to be sent
	sendName        = hidden + "send"        // sends what has been sent to a carrier
	interruptedName = hidden + "interrupted" // a channel that is ready after an interrupt
	stopName        = hidden + "stop"        // ends the cell
	foreverName     = hidden + "forever"     // select {}
)

func (in *interpreter) declareWaits() {
	sameType := func(f func(reflect.Value) reflect.Value) fast.Builtin {
		return fast.Builtin{ArgMin: 1, ArgMax: 1, Compile: func(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
			arg := c.Expr1(node.Args[0], nil)
			return builtinCall(sym, arg, func(v xreflect.Value) xreflect.Value {
				return xreflect.MakeValue(f(v.ReflectValue()))
			}, arg.Type)
		}}
	}
	in.comp.DeclBuiltin0(recvName, sameType(in.recv))
	in.comp.DeclBuiltin0(carrierName, sameType(in.carrier))
	in.declareAction(sendName, func(*fast.Env) { in.send() })
	in.comp.DeclFunc0(interruptedName, in.interrupted)
	in.declareAction(stopName, func(*fast.Env) { panic(base.SigInterrupt) })
	in.declareAction(foreverName, func(*fast.Env) {
		<-in.interrupted()
		panic(base.SigInterrupt)
	})
	in.comp.DeclFunc0(hidden+"Mutex.Lock", func(m *sync.Mutex) func() {
		return func() { in.lock(m.TryLock, m.Lock, m.Unlock) }
	})
	in.comp.DeclFunc0(hidden+"RWMutex.Lock", func(m *sync.RWMutex) func() {
		return func() { in.lock(m.TryLock, m.Lock, m.Unlock) }
	})
	in.comp.DeclFunc0(hidden+"RWMutex.RLock", func(m *sync.RWMutex) func() {
		return func() { in.lock(m.TryRLock, m.RLock, m.RUnlock) }
	})
	in.comp.DeclFunc0(hidden+"WaitGroup.Wait", func(wg *sync.WaitGroup) func() {
		return func() { in.lock(func() bool { return false }, wg.Wait, func() {}) }
	})
}

// onEvaluator reports whether the current goroutine is the one that runs the
// cell, and not one that a cell started.
func (in *interpreter) onEvaluator() bool { return gls.GoID() == in.owner.Load().goroutine }

// interrupted returns a channel that is closed when the cell is interrupted.
// Goroutines that a cell started are not interrupted.
func (in *interpreter) interrupted() <-chan struct{} {
	if in.onEvaluator() {
		return in.current.Done()
	}
	return nil
}

// recv waits until it has received from a channel, and returns a channel that
// gives what it received.
func (in *interpreter) recv(c reflect.Value) reflect.Value {
	if !in.onEvaluator() || c.Len() > 0 {
		return c
	}
	v, ok := c.TryRecv()
	if !v.IsValid() {
		var chosen int
		chosen, v, ok = reflect.Select([]reflect.SelectCase{
			{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(in.current.Done())},
			{Dir: reflect.SelectRecv, Chan: c},
		})
		if chosen == 0 {
			panic(base.SigInterrupt)
		}
	}
	if !ok {
		return c // it is closed
	}
	with := makeChan(c.Type())
	with.Send(v)
	return with.Convert(c.Type())
}

func makeChan(t reflect.Type) reflect.Value {
	return reflect.MakeChan(reflect.ChanOf(reflect.BothDir, t.Elem()), 1)
}

// sending is a channel, and what carries the value that is to be sent to it.
type sending struct{ to, carrier reflect.Value }

// carrier returns a new channel for what is to be sent to c. On other goroutines
// than the evaluator that is c.
func (in *interpreter) carrier(c reflect.Value) reflect.Value {
	if !in.onEvaluator() {
		return c
	}
	made := makeChan(c.Type())
	in.sendings = append(in.sendings, sending{c, made})
	return made.Convert(c.Type())
}

// send sends what the last carrier holds. One that holds nothing is of a
// statement that panicked before it had the value.
func (in *interpreter) send() {
	if !in.onEvaluator() {
		return
	}
	last := len(in.sendings) - 1
	for last > 0 && in.sendings[last].carrier.Len() == 0 {
		last--
	}
	c := in.sendings[last].to
	v, _ := in.sendings[last].carrier.Recv()
	in.sendings = in.sendings[:last]
	if c.TrySend(v) {
		return
	}
	chosen, _, _ := reflect.Select([]reflect.SelectCase{
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(in.current.Done())},
		{Dir: reflect.SelectSend, Chan: c, Send: v},
	})
	if chosen == 0 {
		panic(base.SigInterrupt)
	}
}

// lock locks, or waits. When an interrupt comes first, what it gets later is
// given back at once.
func (in *interpreter) lock(try func() bool, wait, undo func()) {
	if !in.onEvaluator() {
		wait()
		return
	}
	if try() {
		return
	}
	ended := in.current.Done()
	done := make(chan struct{})
	go func() {
		wait()
		select {
		case done <- struct{}{}:
		case <-ended:
			undo()
		}
	}()
	select {
	case <-done:
	case <-ended:
		panic(base.SigInterrupt)
	}
}

// received is what a case of a select receives with, or nil.
func received(comm ast.Stmt) (x ast.Expr) {
	switch comm := comm.(type) {
	case *ast.ExprStmt:
		x = comm.X
	case *ast.AssignStmt:
		x = comm.Rhs[0]
	default:
		return nil
	}
	return ast.Unparen(x)
}

// receive makes an expression that receives one that can be interrupted.
func (c *compiler) receive(n *ast.UnaryExpr) {
	n.X = call(recvName, n.X)
}

// sendStatement returns what stands for a statement that sends.
func (c *compiler) sendStatement(n *ast.SendStmt) ast.Stmt {
	n.Chan = call(carrierName, n.Chan)
	return block(n, n, callAction(sendName, n.Pos()))
}

// rangeOverChan returns the loop that stands for one over a channel, or nil.
func (c *compiler) rangeOverChan(n *ast.RangeStmt) *ast.ForStmt {
	if _, ok := underlying(c.info.Types[n.X].Type).(*types.Chan); !ok {
		return nil
	}
	pos := n.For
	from, value, ok := c.fresh("chan"), c.fresh("value"), c.fresh("ok")
	if id, isIdent := n.Key.(*ast.Ident); isIdent && id.Name != "_" {
		value = id.Name
	}
	received := &ast.UnaryExpr{OpPos: pos, Op: token.ARROW, X: call(recvName, name(from, pos))}
	end := &ast.IfStmt{
		If:   pos,
		Cond: &ast.UnaryExpr{OpPos: pos, Op: token.NOT, X: name(ok, pos)},
		Body: block(n, &ast.BranchStmt{TokPos: pos, Tok: token.BREAK}),
	}
	return &ast.ForStmt{
		For:  pos,
		Init: define(pos, []ast.Expr{name(from, pos)}, []ast.Expr{n.X}),
		Body: block(n.Body, append([]ast.Stmt{
			define(pos, []ast.Expr{name(value, pos), name(ok, pos)}, []ast.Expr{received}),
			end,
		}, inner(n.Body)...)...),
	}
}

// selectStatement makes a select one that can be interrupted, or returns what
// stands for one that gomacro has not: without cases, which waits for ever, or
// with one that asks whether its channel is closed.
func (c *compiler) selectStatement(n *ast.SelectStmt) ast.Stmt {
	if len(n.Body.List) == 0 {
		return callAction(foreverName, n.Pos())
	}
	if asksOK(n) {
		return c.selectSwitch(n)
	}
	for _, clause := range n.Body.List {
		if clause.(*ast.CommClause).Comm == nil {
			return nil
		}
	}
	pos := n.Body.Rbrace
	interrupted := &ast.CallExpr{Fun: name(interruptedName, pos), Lparen: pos, Rparen: pos}
	n.Body.List = append(n.Body.List, &ast.CommClause{
		Case:  pos,
		Comm:  &ast.ExprStmt{X: &ast.UnaryExpr{OpPos: pos, Op: token.ARROW, X: interrupted}},
		Colon: pos,
		Body:  []ast.Stmt{callAction(stopName, pos)},
	})
	return nil
}
