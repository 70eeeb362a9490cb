package interp

import (
	"context"
	"go/build"
	"io"
	"maps"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/cosmos72/gomacro/base"
	"github.com/cosmos72/gomacro/fast"
	gomacro "github.com/cosmos72/gomacro/go/types"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/rlx-go/gopherscope/internal/display"
)

// interpreter is gomacro, and what cells need that it does not have.
type interpreter struct {
	ir      *fast.Interp
	comp    *fast.Comp
	env     *fast.Env   // of the cells' variables
	envs    []*fast.Env // gomacro's own, those of evaluators that were left behind, and the one above
	session *Session
	tables  tables

	// ctx is the variable that cells find; it is set for each cell until one
	// declares its own.
	ctx     *fast.Bind
	current context.Context // of the cell that runs

	panicked any                    // the last panic of a cell
	guarded  sync.Map               // from the goroutines on which a panic is kept to their cell's sink
	lost     atomic.Pointer[string] // says which function of the cell gave no result since it panicked on a goroutine of compiled code

	cuts    map[*gomacro.Named]cutFields // of the types of cells
	aliases int                          // of types, made so far

	world   *world // what go/types knows of the above
	sources sources

	owner     atomic.Pointer[evaluator]
	left      sync.Map // from goroutine to the evaluator that was left behind
	leftCount atomic.Int32
	capture   func() // sets captured to the Run of the goroutine
	captured  *fast.Run
	sendings  []sending               // of the evaluator, under way
	running   atomic.Pointer[running] // the cell that runs, nil between cells

	declarations map[string]declaration
	initial      map[string]*fast.Bind // before the first cell
}

// Slots for variables that exist from the start. Growing them moves them, which
// a goroutine of an earlier cell may not notice.
const (
	slots    = 4096
	intSlots = 4096
)

func newInterpreter(s *Session, ev *evaluator) *interpreter {
	// With a GOROOT, gomacro asks the go command for the types of each package.
	// Without one it uses reflection, which needs no toolchain.
	build.Default.GOROOT = ""
	ir := fast.New()
	in := &interpreter{ir: ir, sources: sources{next: minBase}, comp: ir.Comp, session: s, world: newWorld(), cuts: map[*gomacro.Named]cutFields{}, declarations: map[string]declaration{}}
	ir.Comp.Options &^= base.OptModuleImport | base.OptTrapPanic
	ir.Comp.Stdout, ir.Comp.Stderr = io.Discard, io.Discard

	binds := &ir.Comp.CompBinds
	binds.BindNum, binds.IntBindNum = slots, intSlots
	in.env = ir.PrepareEnv()
	in.envs = []*fast.Env{in.env}
	binds.BindNum, binds.IntBindNum = 0, 0
	ev.run = in.env.Run
	in.owner.Store(ev)

	ir.Comp.Types = map[string]xreflect.Type{}
	in.declareBuiltins()
	in.ctx = ir.Comp.DeclVar0("ctx", ir.Comp.TypeOf((*context.Context)(nil)).Elem(), nil)
	ir.PrepareEnv()
	in.exec(ir.Comp.Code.AsExpr())
	in.declareCapture()
	in.newEnv()
	in.succeed(ev.run)
	in.initial = maps.Clone(in.comp.Binds)
	return in
}

// setContext gives the cell its ctx, unless a cell has declared its own.
func (in *interpreter) setContext(ctx context.Context) {
	in.current = ctx
	in.sendings = nil
	if in.comp.Binds["ctx"] == in.ctx {
		in.env.Vals[in.ctx.Desc.Index()].Set(xreflect.ValueOf(ctx))
	}
}

// run runs a cell on the evaluator.
func (in *interpreter) run(ctx context.Context, cell Cell) (*display.Data, *Error) {
	in.setContext(ctx)
	before, code, after := splitCommands(cell.Source)
	src, err := in.load(cell.Name, cell.Source, code)
	if err != nil {
		return nil, err
	}
	if err := in.runCommands(ctx, src, before); err != nil {
		return nil, err
	}
	declared := in.declarationsOf(src)
	u, err := in.compile(src)
	if err != nil {
		return nil, err
	}
	maps.Copy(in.declarations, declared)
	data, err := in.execute(ctx, src, u)
	if err == nil {
		err = in.runCommands(ctx, src, after)
	}
	return data, err
}

// exec runs a compiled expression. Unlike gomacro's RunExpr it leaves the call
// stack as it is when the expression panics.
func (in *interpreter) exec(e *fast.Expr) (xreflect.Value, []xreflect.Value) {
	if e == nil {
		return xreflect.Value{}, nil
	}
	in.env.IP, in.env.Code, in.env.DebugPos = 0, nil, nil
	in.env.Run.CurrEnv = in.env
	return e.AsXV(fast.COptKeepUntyped)(in.env)
}

// reset makes the interpreter fit for the next statement after a panic.
func (in *interpreter) reset() { resetRun(in.env.Run, in.env) }

func resetRun(run *fast.Run, env *fast.Env) {
	run.Interrupt = nil
	run.Signals = base.Signals{}
	run.ExecFlags = 0
	run.CurrEnv = env
	run.InstallDefer = nil
	run.DeferOfFun, run.PanicFun, run.Panic = nil, nil, nil
}

var errorType = reflect.TypeFor[error]()
