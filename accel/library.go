package accel

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/rlx-go/gopherscope/kernels"
)

// Library describes an opened library.
type Library struct {
	Name    string // such as "OpenBLAS"
	File    string // as it was opened
	Version string
	Core    string // the processor it was built or chose its code for; "" if it does not say
	Threads int    // that one call uses
}

// source says how to find a library.
type source struct {
	name  string
	env   string              // that overrides the search
	files map[string][]string // by runtime.GOOS, in the order of preference
	hint  string              // how to install it
}

// candidates returns the files to try.
func (s source) candidates() []string {
	if file := os.Getenv(s.env); file != "" {
		return []string{file}
	}
	names := s.files[runtime.GOOS]
	var files []string
	if prefix := os.Getenv("CONDA_PREFIX"); prefix != "" {
		for _, name := range names {
			// Not on the system's path, so it has to exist there.
			if file := filepath.Join(prefix, "lib", name); exists(file) {
				files = append(files, file)
			}
		}
	}
	files = append(files, names...)
	if runtime.GOOS == "darwin" {
		for _, dir := range []string{"/opt/homebrew/lib", "/usr/local/lib", "/opt/homebrew/opt/openblas/lib", "/usr/local/opt/openblas/lib"} {
			for _, name := range names {
				if file := filepath.Join(dir, name); exists(file) {
					files = append(files, file)
				}
			}
		}
	}
	return files
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// symbol is a function of a library and the variable that shall call it.
type symbol struct {
	name string
	fn   any // pointer to a func variable of the C function's types
}

// open opens the first candidate that can be and has all symbols.
func (s source) open(symbols []symbol) (file string, handle uintptr, err error) {
	var failures []error
	for _, file := range s.candidates() {
		handle, err := load(file)
		if err == nil {
			err = bindAll(handle, symbols)
		}
		if err == nil {
			return file, handle, nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", file, err))
	}
	if len(failures) == 0 {
		failures = append(failures, fmt.Errorf("no name for it is known on %s; set %s to its file", runtime.GOOS, s.env))
	}
	return "", 0, fmt.Errorf("accel: %s cannot be opened: %w (%s)", s.name, errors.Join(failures...), s.hint)
}

func bindAll(handle uintptr, symbols []symbol) error {
	for _, sym := range symbols {
		address, err := find(handle, sym.name)
		if err != nil {
			return fmt.Errorf("symbol %s: %w", sym.name, err)
		}
		bind(sym.fn, address)
	}
	return nil
}

// setThreads sets the variables that the libraries read when they are loaded.
func setThreads(threads int) error {
	for _, name := range []string{"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"} {
		if err := os.Setenv(name, fmt.Sprint(threads)); err != nil {
			return err
		}
	}
	return nil
}

// opened keeps the one opening of a library that a process can have.
type opened[T any] struct {
	mu      sync.Mutex
	library *T
	threads int
}

func (o *opened[T]) open(name string, threads int, open func() (*T, error)) (*T, error) {
	if threads < 1 {
		return nil, fmt.Errorf("accel: %s: %d threads, want at least 1", name, threads)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.library != nil {
		if threads != o.threads {
			return nil, fmt.Errorf("accel: %s: is open with %d threads, which cannot be changed to %d in this process", name, o.threads, threads)
		}
		return o.library, nil
	}
	if err := setThreads(threads); err != nil {
		return nil, fmt.Errorf("accel: %s: %w", name, err)
	}
	library, err := open()
	if err != nil {
		return nil, err
	}
	o.library, o.threads = library, threads
	return library, nil
}

// verify multiplies matrices of odd sizes, one row and several, and returns an
// error unless the results are those of the reference. They are integers that every
// scheme represents exactly; pairs of the largest are there, whose products do not
// fit 16 bits.
func verify(prepare func(w kernels.Matrix) (kernels.Multiplier, error)) error {
	const k, n = 13, 7
	integers := func(rows, cols int, large func(i, j int) bool) kernels.Matrix {
		a := kernels.New(rows, cols)
		for i := range rows {
			for j := range cols {
				v := (i*cols+j)*37%255 - 127
				if large(i, j) {
					v = 127
				}
				a.Data[i*a.Stride+j] = float32(v)
			}
		}
		return a
	}
	w := integers(k, n, func(p, _ int) bool { return p < 2 })
	reference, err := kernels.NewDense(w)
	if err != nil {
		return err
	}
	vendor, err := prepare(w)
	if err != nil {
		return err
	}
	for _, m := range []int{1, 5} {
		x := integers(m, k, func(_, p int) bool { return p < 2 })
		// Written so that a NaN fails.
		if e := kernels.RelErr(kernels.Mul(vendor, x), kernels.Mul(reference, x)); !(e <= 1e-6) {
			return fmt.Errorf("a product of [%d,%d] and [%d,%d] has a relative error of %.3g", m, k, k, n, e)
		}
	}
	return nil
}

// A CallError is what MulTo panics with when the library reports a failure.
type CallError struct {
	Function string
	Status   int
}

func (e *CallError) Error() string {
	return fmt.Sprintf("accel: %s returned status %d", e.Function, e.Status)
}

// copyWeight returns w[k,n] without gaps between its rows. It returns a
// *kernels.ShapeError when w is malformed or has a dimension that an int32 does not
// hold.
func copyWeight(op string, w kernels.Matrix) (kernels.Matrix, error) {
	bad := func(got, want string) (kernels.Matrix, error) {
		return kernels.Matrix{}, &kernels.ShapeError{Op: op, Operand: "w", Got: got, Want: want}
	}
	shape := fmt.Sprintf("[%d,%d]", w.Rows, w.Cols)
	switch {
	case w.Rows < 0 || w.Cols < 0 || w.Rows > math.MaxInt32 || w.Cols > math.MaxInt32:
		return bad(shape, "dimensions from 0 to 2^31-1")
	case w.Stride < w.Cols:
		return bad(fmt.Sprintf("stride %d", w.Stride), fmt.Sprintf("at least its %d columns", w.Cols))
	case w.Rows == 0 || w.Cols == 0:
		return kernels.New(w.Rows, w.Cols), nil
	// The product (Rows-1)*Stride can overflow, the quotient cannot.
	case len(w.Data) < w.Cols || (len(w.Data)-w.Cols)/w.Stride < w.Rows-1:
		return bad(fmt.Sprintf("%d values of data", len(w.Data)), fmt.Sprintf("enough for %s with stride %d", shape, w.Stride))
	}
	c := kernels.New(w.Rows, w.Cols)
	for i := range w.Rows {
		copy(c.Data[i*c.Stride:][:w.Cols], w.Data[i*w.Stride:])
	}
	return c, nil
}

// trivial reports whether a product with an inner dimension of k, or a y without
// elements, needs no call, and sets y to the zeros that it is when k = 0.
func trivial(y kernels.Matrix, k int) bool {
	if k == 0 {
		for i := range y.Rows {
			clear(y.Data[i*y.Stride:][:y.Cols])
		}
	}
	return k == 0 || y.Rows == 0 || y.Cols == 0
}
