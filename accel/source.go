package accel

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
)

// source says how to find a library.
type source struct {
	name  string
	env   string              // that overrides the search
	files map[string][]string // by runtime.GOOS, in the order of preference
	hint  string              // how to get it
	// symbol is one of its functions.
	symbol string
}

// homebrew is where libraries lie on macOS that are not on the system's path.
var homebrew = []string{"/opt/homebrew/lib", "/usr/local/lib", "/opt/homebrew/opt/openblas/lib", "/usr/local/opt/openblas/lib"}

// candidates returns the files to try.
func (s source) candidates() []string {
	if file := os.Getenv(s.env); file != "" {
		return []string{file}
	}
	names := s.files[runtime.GOOS]
	var dirs []string
	if prefix := os.Getenv("CONDA_PREFIX"); prefix != "" {
		dirs = append(dirs, filepath.Join(prefix, "lib"), filepath.Join(prefix, "Library", "bin"))
	}
	files := append(existing(dirs, names), names...)
	if runtime.GOOS == "darwin" {
		files = append(files, existing(homebrew, names)...)
	}
	return files
}

// existing returns the files of these names in directories that are not on the
// system's path.
func existing(dirs, names []string) []string {
	var files []string
	for _, dir := range dirs {
		for _, name := range names {
			file := filepath.Join(dir, name)
			if _, err := os.Stat(file); err == nil && !filepath.IsAbs(name) {
				files = append(files, file)
			}
		}
	}
	return files
}

// refused is the error of a library none of whose candidates can be used.
func (s source) refused(failures []error) error {
	if len(failures) == 0 {
		failures = append(failures, fmt.Errorf("not known on %s; %s names its file", runtime.GOOS, s.env))
	}
	return fmt.Errorf("accel: %s: %w (%s)", s.name, errors.Join(failures...), s.hint)
}

// ilp64 matches the names of libraries whose integers have 64 bits, such as
// libopenblas64_.so.0 and libmkl_intel_ilp64.so.
var ilp64 = regexp.MustCompile(`(?i)^lib(open)?blasp?_?64p?_?([._-]|$)|ilp64`)

var errILP64 = errors.New("built for 64-bit integers (ILP64), want 32-bit ones (LP64)")

func isILP64(file string) bool { return ilp64.MatchString(filepath.Base(file)) }

// symbol is a function of a library and the variable that shall call it.
type symbol struct {
	name string
	fn   any // pointer to a func variable of the C function's types
}

// bindAll finds all of the functions or returns an error.
func bindAll(handle uintptr, symbols ...symbol) error {
	addresses := make([]uintptr, len(symbols))
	for i, s := range symbols {
		var err error
		if addresses[i], err = find(handle, s.name); err != nil || addresses[i] == 0 {
			return fmt.Errorf("it has no function %s", s.name)
		}
	}
	for i, s := range symbols {
		bind(s.fn, addresses[i])
	}
	return nil
}
