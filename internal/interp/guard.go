package interp

import (
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cosmos72/gomacro/base"
	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/rlx-go/gopherscope/internal/display"
)

// refusal is a panic that a cell gets instead of the end of the process.
type refusal string

// guard replaces what would end the process or hold up an interrupt.
func (in *interpreter) guard(imp *fast.Import) {
	if imp.Path == "flag" {
		flag.CommandLine.Init(flag.CommandLine.Name(), flag.PanicOnError)
	}
	replace := in.guards()[imp.Path]
	if imp.Path == "fmt" {
		maps.Copy(replace, scanners)
	}
	for name, f := range replace {
		bind := imp.Binds[name]
		if bind == nil || bind.Desc.Class() != fast.FuncBind || bind.Type.ReflectType() != reflect.TypeOf(f) {
			continue
		}
		imp.Vals[bind.Desc.Index()] = xreflect.ValueOf(f)
	}
}

func (in *interpreter) guards() map[string]map[string]any {
	exit := func(code int) { panic(refusal(fmt.Sprintf("os.Exit(%d) would end the notebook's session", code))) }
	return map[string]map[string]any{
		"os": {"Exit": exit},
		"log": {
			"Print":   func(v ...any) { printable(v); in.log(log.Print, v) },
			"Println": func(v ...any) { printable(v); in.log(log.Println, v) },
			"Printf": func(format string, v ...any) {
				printableBy(format, v)
				in.log(func(v ...any) { log.Printf(format, v...) }, v)
			},
			"Fatal":   func(v ...any) { printable(v); log.Print(v...); fatal() },
			"Fatalf":  func(format string, v ...any) { printableBy(format, v); log.Printf(format, v...); fatal() },
			"Fatalln": func(v ...any) { printable(v); log.Println(v...); fatal() },
			"Panic":   func(v ...any) { printable(v); log.Panic(v...) },
			"Panicf":  func(format string, v ...any) { printableBy(format, v); log.Panicf(format, v...) },
			"Panicln": func(v ...any) { printable(v); log.Panicln(v...) },
		},
		"fmt": {
			"Print":   func(a ...any) (int, error) { printable(a); return in.print(fmt.Fprint, a) },
			"Println": func(a ...any) (int, error) { printable(a); return in.print(fmt.Fprintln, a) },
			"Printf": func(format string, a ...any) (int, error) {
				return in.print(func(w io.Writer, a ...any) (int, error) { return fprintf(w, format, a...) }, a)
			},
			"Fprint":   func(w io.Writer, a ...any) (int, error) { printable(a); return fmt.Fprint(w, a...) },
			"Fprintln": func(w io.Writer, a ...any) (int, error) { printable(a); return fmt.Fprintln(w, a...) },
			"Fprintf":  fprintf,
			"Sprint":   func(a ...any) string { printable(a); return fmt.Sprint(a...) },
			"Sprintln": func(a ...any) string { printable(a); return fmt.Sprintln(a...) },
			"Sprintf":  sprintf,
			"Append":   func(b []byte, a ...any) []byte { printable(a); return fmt.Append(b, a...) },
			"Appendln": func(b []byte, a ...any) []byte { printable(a); return fmt.Appendln(b, a...) },
			"Appendf": func(b []byte, format string, a ...any) []byte {
				printableBy(format, a)
				return fmt.Appendf(b, format, a...)
			},
			"Errorf": func(format string, a ...any) error { printableBy(format, a); return fmt.Errorf(format, a...) },
		},
		"flag": {"NewFlagSet": newFlagSet},
		"testing": {"Main": func(func(string, string) (bool, error), []testing.InternalTest, []testing.InternalBenchmark, []testing.InternalExample) {
			panic(refusal("testing.Main would end the notebook's session"))
		}},
		"runtime": {"Goexit": func() { panic(refusal("runtime.Goexit would end the notebook's session")) }},
		"time":    {"Sleep": in.sleep},
	}
}

// sprintf is fmt.Sprintf, but that it has the names of fields as cells do.
func sprintf(format string, a ...any) string {
	printableBy(format, a)
	text := fmt.Sprintf(format, a...)
	if strings.Contains(format, "%+v") || strings.Contains(format, "%#v") {
		text = withoutMarks(text)
	}
	return text
}

func fprintf(w io.Writer, format string, a ...any) (int, error) {
	if strings.Contains(format, "%+v") || strings.Contains(format, "%#v") {
		return io.WriteString(w, sprintf(format, a...))
	}
	printableBy(format, a)
	return fmt.Fprintf(w, format, a...)
}

// withoutMarks is text with the names of fields as cells have them.
func withoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(display.FieldMarks, r) {
			return -1
		}
		return r
	}, text)
}

// print prints, unless the session is closed: what a goroutine of it prints would
// go to the outputs of the next session, or of the program. A goroutine that
// outlives its cell prints to the outputs of that cell.
func (in *interpreter) print(print func(io.Writer, ...any) (int, error), args []any) (int, error) {
	in.gate()
	if in.session.life.Err() != nil {
		return 0, errClosed
	}
	if sink := in.lateSink(); sink != nil {
		return print(lateWriter{in.session.out, sink, "stdout"}, args...)
	}
	return print(os.Stdout, args...)
}

func (in *interpreter) log(log func(...any), args []any) {
	in.gate()
	if in.session.life.Err() == nil {
		log(args...)
	}
}

// lateSink is the sink of the current goroutine when its cell is an earlier one,
// and else nil.
func (in *interpreter) lateSink() Sink {
	if in.onEvaluator() {
		return nil
	}
	return in.session.out.late(in.sink())
}

// lateWriter writes to the outputs of an earlier cell.
type lateWriter struct {
	out  *outputs
	sink Sink
	name string
}

func (w lateWriter) Write(p []byte) (int, error) {
	w.out.lateText(w.sink, w.name, strings.ToValidUTF8(string(p), "\uFFFD"))
	return len(p), nil
}

// sleep is time.Sleep, and ends when the cell that it is called in is
// interrupted. Goroutines of cells are not.
func (in *interpreter) sleep(d time.Duration) {
	in.gate()
	if !in.onEvaluator() {
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
