package interp

import (
	"go/ast"
	"go/token"
	"math"
	"reflect"
	"strconv"

	"github.com/cosmos72/gomacro/base"
	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// gomacro does not tell the cases of a select whether a channel is closed. A
// select that asks becomes a switch over which case was chosen, with the channel
// and the value of each case as arguments of what chooses, and a case receives
// again what was received for it.
const (
	selectName   = hidden + "select"   // chooses, and returns a *selected
	chosenName   = hidden + "chosen"   // *selected to the number of the case
	selectedName = hidden + "selected" // *selected and a channel to one like it that gives what was received
)

// selected is the outcome of a select.
type selected struct {
	number int
	value  reflect.Value
	ok     bool
}

func (in *interpreter) declareSelect() {
	in.comp.DeclBuiltin0(selectName, fast.Builtin{Compile: in.compileSelect, ArgMin: 1, ArgMax: math.MaxUint16})
	in.comp.DeclFunc0(chosenName, func(s any) int { return s.(*selected).number })
	in.comp.DeclBuiltin0(selectedName, fast.Builtin{Compile: compileSelected, ArgMin: 2, ArgMax: 2})
}

// asksOK reports whether a case receives with v, ok := or the like.
func asksOK(n *ast.SelectStmt) bool {
	for _, clause := range n.Body.List {
		if comm, ok := clause.(*ast.CommClause).Comm.(*ast.AssignStmt); ok && len(comm.Lhs) == 2 {
			return true
		}
	}
	return false
}

// selectSwitch returns the switch that stands for a select. The first argument of
// selectName has a letter for each case, r, s or d; those that send have two more.
func (c *compiler) selectSwitch(n *ast.SelectStmt) ast.Stmt {
	pos := n.Select
	outcome := c.fresh("selected")
	kinds := ""
	args := []ast.Expr{nil}
	body := &ast.BlockStmt{Lbrace: n.Body.Lbrace, Rbrace: n.Body.Rbrace}
	for i, stmt := range n.Body.List {
		clause := stmt.(*ast.CommClause)
		list := clause.Body
		switch comm := clause.Comm.(type) {
		case nil:
			kinds += "d"
		case *ast.SendStmt:
			kinds += "s"
			args = append(args, comm.Chan, comm.Value)
		default:
			kinds += "r"
			receipt := received(comm).(*ast.UnaryExpr)
			args = append(args, receipt.X)
			if assign, ok := comm.(*ast.AssignStmt); ok {
				again := *assign
				again.Rhs = []ast.Expr{&ast.UnaryExpr{OpPos: receipt.OpPos, Op: token.ARROW, X: call(selectedName, name(outcome, receipt.OpPos), receipt.X)}}
				list = append([]ast.Stmt{&again}, list...)
			}
		}
		number := &ast.BasicLit{ValuePos: clause.Case, Kind: token.INT, Value: strconv.Itoa(i)}
		body.List = append(body.List, &ast.CaseClause{Case: clause.Case, List: []ast.Expr{number}, Colon: clause.Colon, Body: list})
	}
	args[0] = &ast.BasicLit{ValuePos: pos, Kind: token.STRING, Value: strconv.Quote(kinds)}
	return &ast.SwitchStmt{
		Switch: pos,
		Init:   define(pos, []ast.Expr{name(outcome, pos)}, []ast.Expr{call(selectName, args...)}),
		Tag:    call(chosenName, name(outcome, pos)),
		Body:   body,
	}
}

func (in *interpreter) compileSelect(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	kinds, _ := strconv.Unquote(node.Args[0].(*ast.BasicLit).Value)
	rest := node.Args[1:]
	type operands struct {
		channel, value func(*fast.Env) xreflect.Value
	}
	list := make([]operands, len(kinds))
	for i, kind := range kinds {
		if kind == 'd' {
			continue
		}
		channel := c.Expr1(rest[0], nil)
		rest = rest[1:]
		list[i].channel = channel.AsX1()
		if kind == 's' {
			value := c.Expr1(rest[0], nil)
			rest = rest[1:]
			if elem := channel.Type.Elem(); value.Const() {
				value.ConstTo(elem)
			} else {
				value.To(c, elem)
			}
			list[i].value = value.AsX1()
		}
	}
	choose := func(env *fast.Env) xreflect.Value {
		cases := make([]reflect.SelectCase, 0, len(list)+1)
		waits := true
		for i, kind := range kinds {
			switch kind {
			case 'd':
				waits = false
				cases = append(cases, reflect.SelectCase{Dir: reflect.SelectDefault})
			case 's':
				ch := list[i].channel(env).ReflectValue()
				v := list[i].value(env).ReflectValue()
				if !v.IsValid() {
					v = reflect.Zero(ch.Type().Elem())
				}
				cases = append(cases, reflect.SelectCase{Dir: reflect.SelectSend, Chan: ch, Send: v})
			default:
				cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: list[i].channel(env).ReflectValue()})
			}
		}
		if waits {
			cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(in.interrupted())})
		}
		s := &selected{}
		s.number, s.value, s.ok = reflect.Select(cases)
		if s.number == len(list) {
			panic(base.SigInterrupt)
		}
		var held any = s
		return xreflect.MakeValue(reflect.ValueOf(&held).Elem())
	}
	look := &fast.Expr{Lit: fast.Lit{Type: c.TypeOfInterface()}, Fun: choose}
	return builtinCall(sym, look, func(v xreflect.Value) xreflect.Value { return v }, look.Type)
}

func compileSelected(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	outcome := c.Expr1(node.Args[0], nil)
	channel := c.Expr1(node.Args[1], nil).Type // not evaluated again
	return builtinCall(sym, outcome, func(v xreflect.Value) xreflect.Value {
		s := v.ReflectValue().Interface().(*selected)
		with := makeChan(channel.ReflectType())
		if s.ok {
			with.Send(s.value)
		} else {
			with.Close()
		}
		return xreflect.MakeValue(with.Convert(channel.ReflectType()))
	}, channel)
}
