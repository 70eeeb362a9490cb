package interp

import (
	"fmt"
	"go/token"
	"runtime"
	"strconv"
	"strings"
)

// problem is one reason why a cell does not compile.
type problem struct {
	pos token.Pos
	msg string
}

func problemf(pos token.Pos, format string, args ...any) problem {
	return problem{pos, fmt.Sprintf(format, args...)}
}

type problems []problem

// problem makes sense of a panic of the compiler.
func (in *interpreter) problem(r any) problem {
	switch r := r.(type) {
	case problem:
		return r
	case runtime.Error:
		return in.fromText("the interpreter cannot compile this: " + r.Error())
	case error:
		// The text of gomacro's errors is made when it is asked for, of the
		// position that is current then.
		return in.fromText(r.Error())
	}
	return in.fromText(fmt.Sprint(r))
}

// fromText splits the position off gomacro's text.
func (in *interpreter) fromText(msg string) problem {
	pos := in.comp.Pos
	at := in.comp.Fileset.Position(pos)
	prefix := at.Filename + ":"
	if at.IsValid() && strings.HasPrefix(msg, prefix) {
		rest := strings.SplitN(msg[len(prefix):], ":", 3)
		if len(rest) == 3 && isNumber(rest[0]) && isNumber(rest[1]) {
			msg = strings.TrimSpace(rest[2])
		}
	}
	if rest, ok := strings.CutPrefix(msg, "undefined identifier: "); ok {
		msg = "undefined: " + rest
	}
	return problem{pos, strings.ReplaceAll(msg, hidden, "")}
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// maxProblems is how many problems an error lists.
const maxProblems = 5

// compileError reports problems in the order given; the first is the error's.
func (in *interpreter) compileError(list problems) *Error {
	e := newError(nameCompile, list[0].msg, in.place(list[0].pos))
	for i, p := range list[1:] {
		if i+1 == maxProblems {
			e.Traceback = append(e.Traceback, fmt.Sprintf("and %d more errors", len(list)-maxProblems))
			break
		}
		e.Traceback = append(e.Traceback, "", red+p.msg+reset)
		e.Traceback = append(e.Traceback, in.place(p.pos).lines(true)...)
	}
	return e
}
