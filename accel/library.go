package accel

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rlx-go/gopherscope/kernels"
)

// A Library is one that was opened, or why it was not.
type Library struct {
	Name    string // "accelerate", "openblas" or "onednn"
	File    string // that was loaded
	Version string // of the library; of macOS for Accelerate
	Core    string // the processor or instructions it chose its code for; "" if it does not say
	Threads int    // that one call uses
	// Schemes are those that New can prepare, and those that this build of the
	// library cannot run, in the order of the package comment.
	Schemes []Scheme
	// Err is why the library cannot be used; nil if it can. Then there is a scheme
	// without an error.
	Err error

	callers slots
	prepare map[string]func(w kernels.Matrix) (prepared, error)
}

// A Scheme is one of the products of a library.
type Scheme struct {
	Name string // such as "onednn-s8s8"
	Err  error  // why it cannot be used, nil if it can
}

// A vendor is how to find a library and what to do once it is loaded.
type vendor struct {
	source
	// attach finds the functions in a library that was loaded with a number of
	// threads in the environment, and fills in all of Library but File and Err.
	attach func(handle uintptr, threads int) (*Library, error)
}

var vendors = []vendor{
	{accelerateSource, attachAccelerate},
	{openBLASSource, attachOpenBLAS},
	{oneDNNSource, attachOneDNN},
}

// opened is what this process has loaded.
var opened struct {
	mu        sync.Mutex
	threads   int // 0 until it is chosen
	libraries map[string]*Library
}

// SetThreads sets how many threads each library uses, at least 1. The default is
// kernels.Threads() when the first library is opened; from then on the number cannot
// be changed in this process.
func SetThreads(n int) error {
	opened.mu.Lock()
	defer opened.mu.Unlock()
	switch {
	case n < 1:
		return fmt.Errorf("accel: %d threads, want at least 1", n)
	case len(opened.libraries) > 0 && n != opened.threads:
		return fmt.Errorf("accel: a library is open with %d threads, which cannot be changed to %d in this process", opened.threads, n)
	}
	opened.threads = n
	return nil
}

// Available opens every library that it can and returns them all.
func Available() []Library {
	var all []Library
	for _, v := range vendors {
		l, err := Open(v.name)
		if err != nil {
			l = &Library{Name: v.name, Err: err}
		}
		all = append(all, *l)
	}
	return all
}

// Open opens a library by its name: "accelerate", "openblas" or "onednn". A second
// call returns the same library. The error says of each file that was tried why it is
// not used.
func Open(name string) (*Library, error) {
	opened.mu.Lock()
	defer opened.mu.Unlock()
	if l := opened.libraries[name]; l != nil {
		return l, nil
	}
	v, err := lookUp(name)
	if err != nil {
		return nil, err
	}
	if opened.threads == 0 {
		opened.threads = kernels.Threads()
	}
	l, err := v.open(opened.threads)
	if err != nil {
		return nil, err
	}
	if opened.libraries == nil {
		opened.libraries = map[string]*Library{}
	}
	opened.libraries[name] = l
	return l, nil
}

// setEnvironment sets the variables that the libraries read when they are loaded.
func setEnvironment(threads int) error {
	for _, name := range []string{"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"} {
		if err := os.Setenv(name, fmt.Sprint(threads)); err != nil {
			return fmt.Errorf("accel: %w", err)
		}
	}
	// Threads of OpenBLAS wait for more work in a loop, by default for tens of
	// milliseconds, on the time of whatever runs after a call. The value is the
	// logarithm of the number of ticks: less than a millisecond, which is longer than the
	// time from one call to the next.
	const name = "OPENBLAS_THREAD_TIMEOUT"
	if _, set := os.LookupEnv(name); set {
		return nil
	}
	if err := os.Setenv(name, "20"); err != nil {
		return fmt.Errorf("accel: %w", err)
	}
	return nil
}

// open opens the first candidate that can be used.
func (v vendor) open(threads int) (*Library, error) {
	if errLeftOut != nil {
		return nil, fmt.Errorf("accel: %s: %w", v.name, errLeftOut)
	}
	if err := setEnvironment(threads); err != nil {
		return nil, err
	}
	var failures []error
	for _, file := range v.candidates() {
		l, err := v.tryAndOpen(file, threads)
		if err == nil {
			return l, nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", file, err))
	}
	return nil, v.refused(failures)
}

// openFile loads a file that no other process needs to try.
func (v vendor) openFile(file string, threads int) (*Library, error) {
	if isILP64(file) {
		return nil, errILP64
	}
	// A pipe that nobody writes to would hold up the loader for ever.
	if info, err := os.Stat(file); err == nil && filepath.Base(file) != file && !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	handle, err := load(file)
	if err != nil {
		return nil, err
	}
	l, err := v.attach(handle, threads)
	if err != nil {
		return nil, err
	}
	if l.Threads < 1 {
		return nil, fmt.Errorf("it says that it has %d threads", l.Threads)
	}
	l.Name, l.File = v.name, file
	if path := fileOf(handle, v.symbol); path != "" {
		l.File = path
	}
	var reasons []error
	for i := range l.Schemes {
		s := &l.Schemes[i]
		if s.Err == nil {
			s.Err = l.verify(s.Name)
		}
		if s.Err != nil {
			reasons = append(reasons, fmt.Errorf("%s: %w", s.Name, s.Err))
		}
	}
	if len(reasons) == len(l.Schemes) {
		return nil, errors.Join(reasons...)
	}
	return l, nil
}

// offer adds a scheme, or the reason why it is missing.
func (l *Library) offer(name string, missing error, prepare func(w kernels.Matrix) (prepared, error)) {
	if l.prepare == nil {
		l.prepare = map[string]func(kernels.Matrix) (prepared, error){}
	}
	l.Schemes = append(l.Schemes, Scheme{name, missing})
	l.prepare[name] = prepare
}

// New prepares a weight w[k,n] for one of the library's schemes, copying what it
// needs, and multiplies by it once. It returns the reason where the scheme, or this
// weight, is refused: the scheme's Err, a *CallError, a *kernels.ShapeError when w is
// malformed or too large, a *kernels.NonFiniteError when a scheme in int8 gets a w
// that is not finite.
func (l *Library) New(scheme string, w kernels.Matrix) (*Multiplier, error) {
	if l.Err != nil {
		return nil, l.Err
	}
	for _, s := range l.Schemes {
		if s.Name != scheme {
			continue
		}
		if s.Err != nil {
			return nil, fmt.Errorf("accel: %s: %w", scheme, s.Err)
		}
		m, err := l.new(scheme, w)
		if err != nil {
			return nil, err
		}
		if err := m.multiplyOnce(); err != nil {
			return nil, err
		}
		return m, nil
	}
	return nil, fmt.Errorf("accel: %s has no scheme %q", l.Name, scheme)
}

func (l *Library) new(scheme string, w kernels.Matrix) (*Multiplier, error) {
	dense, err := copyWeight(scheme, w)
	if err != nil {
		return nil, err
	}
	m := &Multiplier{op: scheme + ".MulTo", k: w.Rows, n: w.Cols, callers: l.callers}
	m.info = kernels.Info{Scheme: scheme, Impl: strings.TrimSpace(l.Version + " " + l.Core)}
	if m.info.Impl == "" {
		m.info.Impl = l.Name
	}
	if m.k == 0 || m.n == 0 {
		m.info.Exact = true // all products are zeros, or have no elements
		return m, nil
	}
	if m.prepared, err = l.prepare[scheme](dense); err != nil {
		return nil, err
	}
	m.info.WeightBytes, m.info.Exact = m.weight()
	return m, nil
}
