package interp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// A cell can have commands to the notebook before and after its code: lines that
// begin with % or, for the system's shell, with $.

// command is one such line.
type command struct {
	offset int // of the line's first byte
	text   string
}

// splitCommands takes the commands off a cell. The code is as long as the cell:
// blanks stand for the commands.
func splitCommands(source string) (before []command, code string, after []command) {
	type line struct {
		from, to int
		text     string
	}
	var lines []line
	for at := 0; at < len(source); {
		end := len(source)
		if i := strings.IndexByte(source[at:], '\n'); i >= 0 {
			end = at + i
		}
		lines = append(lines, line{at, end, strings.TrimSpace(source[at:end])})
		at = end + 1
	}
	isCommand := func(l line) bool { return strings.HasPrefix(l.text, "%") || strings.HasPrefix(l.text, "$") }
	passed := func(l line) bool { return l.text == "" || strings.HasPrefix(l.text, "//") || isCommand(l) }
	first := 0
	for first < len(lines) && passed(lines[first]) {
		first++
	}
	last := len(lines)
	for last > first && passed(lines[last-1]) {
		last--
	}
	blank := []byte(source)
	take := func(lines []line) (list []command) {
		for _, l := range lines {
			if !isCommand(l) {
				continue
			}
			list = append(list, command{l.from + strings.Index(source[l.from:l.to], l.text), l.text})
			for i := l.from; i < l.to; i++ {
				blank[i] = ' '
			}
		}
		return list
	}
	before = take(lines[:first])
	after = take(lines[last:])
	return before, string(blank), after
}

// commandHelp is what each command does.
var commandHelp = [][2]string{
	{"%cd [DIR]", "go to a folder, the home folder without DIR"},
	{"%doc NAME", "documentation: of a package, of pkg.Name, of a name of the notebook"},
	{"%help", "this list"},
	{"%packages [WORD]", "what can be imported, with WORD in its path"},
	{"%reset [NAME...]", "forget these names, or all of the notebook"},
	{"%who", "the names of the notebook"},
	{"$ COMMAND", "run a command of the system's shell"},
}

// runCommands runs commands up to the first that fails.
func (in *interpreter) runCommands(ctx context.Context, src *source, list []command) *Error {
	for _, c := range list {
		if ctx.Err() != nil {
			return interrupted(src.name, in.place(src.pos(c.offset)))
		}
		if err := in.command(ctx, c.text); err != nil {
			if ctx.Err() != nil {
				return interrupted(src.name, in.place(src.pos(c.offset)))
			}
			return newError(nameCommand, err.Error(), in.place(src.pos(c.offset)))
		}
	}
	return nil
}

func (in *interpreter) command(ctx context.Context, text string) error {
	if shell, ok := strings.CutPrefix(text, "$"); ok {
		return in.shell(ctx, strings.TrimSpace(shell))
	}
	words := strings.Fields(text[1:])
	if len(words) == 0 {
		words = []string{"help"}
	}
	args := words[1:]
	switch words[0] {
	case "cd":
		return in.changeFolder(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text[1:]), "cd")))
	case "doc":
		if len(args) != 1 {
			return errors.New("%doc takes one name, such as %doc strings.Cut")
		}
		return in.doc(args[0])
	case "go111module": // of gophernotes: how it builds what it imports
		return nil
	case "help":
		in.table(func(w *tabwriter.Writer) {
			for _, h := range commandHelp {
				fmt.Fprintf(w, "%s\t%s\n", h[0], h[1])
			}
		})
		return nil
	case "packages":
		return in.listPackages(args)
	case "reset":
		return in.resetNames(args)
	case "who":
		in.who()
		return nil
	}
	return fmt.Errorf("unknown command %%%s: %%help lists them", words[0])
}

func (in *interpreter) table(rows func(w *tabwriter.Writer)) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 4, 3, ' ', 0)
	rows(w)
	w.Flush()
	in.print1(b.String())
}

// print1 prints what a command says.
func (in *interpreter) print1(text string) {
	in.session.out.flush()
	in.session.out.text("stdout", text)
}

func (in *interpreter) changeFolder(dir string) error {
	home, err := os.UserHomeDir()
	switch {
	case dir == "" || dir == "~":
		if err != nil {
			return err
		}
		dir = home
	case strings.HasPrefix(dir, "~/"):
		if err != nil {
			return err
		}
		dir = filepath.Join(home, dir[2:])
	}
	if err := os.Chdir(dir); err != nil {
		return err
	}
	now, err := os.Getwd()
	if err == nil {
		in.print1(now + "\n")
	}
	return err
}

// shell runs a command of the system's shell; what it prints is shown at once.
func (in *interpreter) shell(ctx context.Context, text string) error {
	if text == "" {
		return errors.New("$ takes a command, such as $ ls")
	}
	name, flag := "sh", "-c"
	if runtime.GOOS == "windows" {
		name, flag = "cmd", "/c"
	}
	c := exec.CommandContext(ctx, name, flag, text)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.WaitDelay = time.Second
	return in.session.commands.run(c)
}

func (in *interpreter) listPackages(words []string) error {
	var found []string
	for _, path := range importable() {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(path, w) }) {
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("no package has %s in its path", strings.Join(words, " and "))
	}
	in.print1(strings.Join(found, "\n") + "\n")
	return nil
}

// named is a name that cells declared.
type named struct{ name, typ, value string }

// declaredNames lists the names that cells declared, sorted.
func (in *interpreter) declaredNames() (list []named) {
	in.world.begin(in, types.NewPackage(mainPath, mainPath))
	for name, bind := range in.comp.Binds {
		if strings.HasPrefix(name, hidden) || in.initial[name] == bind {
			continue
		}
		n := named{name: name}
		if imp, ok := bind.Value.(*fast.Import); ok && bind.Const() {
			n.typ, n.value = "package", imp.Path
		} else {
			n.typ = in.typeText(bind)
			if c, ok := in.world.object(in.world.main, name, bind, nil).(*types.Const); ok {
				n.value = c.Val().String()
			} else if bind.Desc.Class() == fast.FuncBind {
				n.typ = "func"
				if d, ok := in.declarations[name]; ok {
					n.typ += d.signature
				}
			} else {
				n.value = in.summary(bind)
			}
		}
		list = append(list, n)
	}
	for name, t := range in.comp.Types {
		if !strings.HasPrefix(name, hidden) {
			list = append(list, named{name, "type", types.TypeString(in.world.typ(t.GoType()).Underlying(), shortNames)})
		}
	}
	slices.SortFunc(list, func(a, b named) int { return cmp.Compare(a.name, b.name) })
	return list
}

// typeText is the type of a variable or constant.
func (in *interpreter) typeText(bind *fast.Bind) string {
	if c, ok := in.world.object(in.world.main, bind.Name, bind, nil).(*types.Const); ok {
		return "const " + types.TypeString(c.Type(), shortNames)
	}
	return types.TypeString(in.world.typ(bind.Type.GoType()), shortNames)
}

// maxSummary is how much of a value %who shows, in characters.
const maxSummary = 60

// summary is the beginning of the value of a variable or constant.
func (in *interpreter) summary(bind *fast.Bind) (text string) {
	defer func() {
		if recover() != nil { // a method of the value
			text = ""
		}
	}()
	v := bind.RuntimeValue(in.comp.CompGlobals, in.env)
	if !v.IsValid() {
		return ""
	}
	rv, t := concrete(v, bind.Type)
	text, _, _ = strings.Cut(in.text(rv, t), "\n")
	if runes := []rune(text); len(runes) > maxSummary {
		text = string(runes[:maxSummary]) + "..."
	}
	return text
}

func (in *interpreter) who() {
	names := in.declaredNames()
	if len(names) == 0 {
		in.print1("no names yet\n")
		return
	}
	in.table(func(w *tabwriter.Writer) {
		for _, n := range names {
			fmt.Fprintf(w, "%s\t%s\t%s\n", n.name, n.typ, n.value)
		}
	})
}

// resetNames forgets names, or all that cells declared.
func (in *interpreter) resetNames(names []string) error {
	for _, name := range names {
		if in.comp.Binds[name] == nil && in.comp.Types[name] == nil || strings.HasPrefix(name, hidden) {
			return fmt.Errorf("no such name: %s", name)
		}
	}
	if len(names) == 0 {
		for _, n := range in.declaredNames() {
			names = append(names, n.name)
		}
	}
	for _, name := range names {
		if bind := in.comp.Binds[name]; bind != nil && bind.Desc.Class() == fast.VarBind && bind != in.ctx {
			// What functions and goroutines may still see is a variable without a value.
			in.env.Vals[bind.Desc.Index()] = xreflect.New(bind.Type).Elem()
		}
		in.forget(name)
		delete(in.declarations, name)
		if bind := in.initial[name]; bind != nil {
			in.comp.Binds[name] = bind
		}
	}
	return nil
}
