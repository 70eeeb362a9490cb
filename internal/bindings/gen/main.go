// Command gen writes the tables of package bindings: a file for each package
// that a notebook cell can import. Run it by go generate.
//
// With -with it writes the tables of further packages, for a build that has them
// too; see gopherscope build.
package main

import (
	"flag"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/rlx-go/gopherscope"

// imported lists the packages that are not of the standard library. Their
// exported names are the same on every platform.
var imported = []string{
	module + "/accel",
	module + "/charts",
	module + "/kernels",
	module + "/opscope",
	module + "/opscope/bench",
	module + "/opscope/experiment",
	module + "/opscope/transformer",
	module + "/opscope/weights",

	"gonum.org/v1/gonum/blas",
	"gonum.org/v1/gonum/blas/blas32",
	"gonum.org/v1/gonum/blas/blas64",
	"gonum.org/v1/gonum/cmplxs",
	"gonum.org/v1/gonum/diff/fd",
	"gonum.org/v1/gonum/dsp/fourier",
	"gonum.org/v1/gonum/floats",
	"gonum.org/v1/gonum/floats/scalar",
	"gonum.org/v1/gonum/integrate",
	"gonum.org/v1/gonum/interp",
	"gonum.org/v1/gonum/mat",
	"gonum.org/v1/gonum/optimize",
	"gonum.org/v1/gonum/stat",
	"gonum.org/v1/gonum/stat/combin",
	"gonum.org/v1/gonum/stat/distuv",

	"gonum.org/v1/plot",
	"gonum.org/v1/plot/palette",
	"gonum.org/v1/plot/palette/brewer",
	"gonum.org/v1/plot/palette/moreland",
	"gonum.org/v1/plot/plotter",
	"gonum.org/v1/plot/plotutil",
	"gonum.org/v1/plot/vg",
	"gonum.org/v1/plot/vg/draw",
	"gonum.org/v1/plot/vg/vgimg",
	"gonum.org/v1/plot/vg/vgsvg",

	"github.com/go-echarts/go-echarts/v2/charts",
	"github.com/go-echarts/go-echarts/v2/components",
	"github.com/go-echarts/go-echarts/v2/event",
	"github.com/go-echarts/go-echarts/v2/opts",
	"github.com/go-echarts/go-echarts/v2/render",
	"github.com/go-echarts/go-echarts/v2/types",
}

// leftOut are the packages of the standard library that cells cannot import,
// with the reason.
var leftOut = map[string]string{
	"cmp":                "generic functions, which cells call through package generics",
	"iter":               "generic functions only",
	"maps":               "generic functions, which cells call through package generics",
	"slices":             "generic functions, which cells call through package generics",
	"unique":             "generic functions only",
	"weak":               "generic functions only",
	"unsafe":             "part of the compiler",
	"plugin":             "opens compiled packages, for which the interpreter would start the Go toolchain",
	"runtime/cgo":        "only with cgo",
	"runtime/race":       "has no names",
	"embed":              "part of the compiler",
	"log/syslog":         "not on every platform",
	"syscall":            "another package on every platform",
	"testing/cryptotest": "only with the tests of a program",
	"net/http/pprof":     "serves the process's memory to whoever asks, once imported",
	"expvar":             "serves the process's command line to whoever asks, once imported",
	"time/tzdata":        "half a megabyte of data, which most systems have",
}

// standard returns the packages of the standard library that cells can import.
// What they export depends on the Go release and may depend on the platform.
func standard() ([]string, error) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName}, "std")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, p := range pkgs {
		elements := strings.Split(p.PkgPath, "/")
		if leftOut[p.PkgPath] == "" && elements[0] != "vendor" && !slices.Contains(elements, "internal") {
			paths = append(paths, p.PkgPath)
		}
	}
	return paths, nil
}

func main() {
	with := flag.String("with", "", "write the tables of these packages only, `PATH,PATH,...`")
	out := flag.String("out", "", "the `folder` to write them to")
	flag.Parse()
	var err error
	if *with != "" {
		err = runWith(strings.Split(*with, ","), *out)
	} else {
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run brings package bindings up to date.
func run() error {
	files, err := generate()
	if err != nil {
		return err
	}
	dir, err := outputDir()
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		return err
	}
	for _, file := range old {
		if _, ok := files[filepath.Base(file)]; !ok {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	return write(dir, files)
}

func write(dir string, files map[string][]byte) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// suffix ends the name of every generated file. It also keeps a package path
// that ends in the name of an operating system from becoming a build constraint.
const suffix = "_gen.go"

// generate returns the generated files by name.
func generate() (map[string][]byte, error) {
	one, err := load("linux", "amd64", imported)
	if err != nil {
		return nil, err
	}
	standard, err := standard()
	if err != nil {
		return nil, err
	}
	var all []platformPackages
	for _, p := range [...][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"}, {"windows", "amd64"}} {
		pkgs, err := load(p[0], p[1], standard)
		if err != nil {
			return nil, err
		}
		all = append(all, pkgs)
	}

	var pkgs []pkg
	for _, path := range imported {
		pkgs = append(pkgs, newPkg(path, one))
	}
	for _, path := range standard {
		pkgs = append(pkgs, newPkg(path, all...))
	}
	files, err := tables(pkgs, map[string]bool{})
	if err != nil {
		return nil, err
	}
	files["goversion"+suffix] = versionFile()
	return files, nil
}

// tables returns the files of packages by name. The set proxies has the types that
// implement interfaces of other packages; those of these are added.
func tables(pkgs []pkg, proxies map[string]bool) (map[string][]byte, error) {
	for _, p := range pkgs {
		for _, i := range p.interfaces() {
			proxies[proxyName(i)] = true
		}
	}
	files := map[string][]byte{}
	for _, p := range pkgs {
		text, err := p.file(proxies)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.path, err)
		}
		files[identifier(p.path)+suffix] = text
	}
	return files, nil
}

// goVersion is the Go release that this program was built with, as "go1.26".
func goVersion() string {
	tags := build.Default.ReleaseTags
	return tags[len(tags)-1]
}

func versionFile() []byte {
	return []byte(header + `
// GoVersion is the Go release whose standard library the tables describe. A
// later release has these names too.
const GoVersion = "` + goVersion() + `"
`)
}

// outputDir returns the folder of package bindings.
func outputDir() (string, error) {
	path := module + "/internal/bindings"
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles}, path)
	if err != nil {
		return "", err
	}
	if len(pkgs) != 1 || len(pkgs[0].GoFiles) == 0 {
		return "", fmt.Errorf("%s: not found from this folder", path)
	}
	return filepath.Dir(pkgs[0].GoFiles[0]), nil
}

// identifier makes a Go identifier of an import path.
func identifier(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, path)
}
