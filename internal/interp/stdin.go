package interp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sync"
	"unicode/utf8"

	"github.com/cosmos72/gomacro/base"
	"github.com/cosmos72/gomacro/imports"
)

// Stdin is what cells find as os.Stdin: it asks the front end for a line when it
// is read. The process's own input cannot do that, since nothing tells that a
// read of it is waiting.
type Stdin struct {
	*os.File // its other methods

	mu      sync.Mutex
	rest    []byte // of the last line
	last    []byte // what the last ReadRune took, for UnreadRune
	session *Session
}

var cellStdin = &Stdin{File: os.Stdin}

func init() {
	imports.Packages["os"].Binds["Stdin"] = reflect.ValueOf(&cellStdin).Elem()
}

// input is where the lines of a cell come from.
type input struct {
	ctx  context.Context // of Run
	read func() (string, error)
}

var errNoInput = errors.New("read stdin: this front end takes no input for a cell")

// fill has a line to read from, or returns why there is none.
func (f *Stdin) fill() error {
	if len(f.rest) > 0 {
		return nil
	}
	if f.session == nil || f.session.life.Err() != nil {
		return errClosed
	}
	f.session.out.flush() // the question comes before the answer
	input := f.session.input.Load()
	if input == nil || input.read == nil {
		return errNoInput
	}
	line, err := input.read()
	if in := f.session.in; in.onEvaluator() && input.ctx.Err() != nil || in.isLeft() {
		panic(base.SigInterrupt)
	}
	if err != nil {
		return err
	}
	f.rest = append([]byte(line), '\n')
	return nil
}

// Read reads from one line.
func (f *Stdin) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	if err := f.fill(); err != nil {
		return 0, err
	}
	n := copy(p, f.rest)
	f.rest, f.last = f.rest[n:], nil
	return n, nil
}

// ReadRune is what package fmt reads with.
func (f *Stdin) ReadRune() (r rune, size int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.fill(); err != nil {
		return 0, 0, err
	}
	r, size = utf8.DecodeRune(f.rest)
	f.last, f.rest = f.rest[:size], f.rest[size:]
	return r, size, nil
}

// UnreadRune undoes the last ReadRune.
func (f *Stdin) UnreadRune() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil {
		return errors.New("read stdin: no rune to give back")
	}
	f.rest, f.last = append(f.last[:len(f.last):len(f.last)], f.rest...), nil
	return nil
}

// scanners are the functions of fmt that read os.Stdin.
var scanners = map[string]any{
	"Scan":   func(a ...any) (int, error) { return fmt.Fscan(cellStdin, a...) },
	"Scanln": func(a ...any) (int, error) { return fmt.Fscanln(cellStdin, a...) },
	"Scanf":  func(format string, a ...any) (int, error) { return fmt.Fscanf(cellStdin, format, a...) },
}
