package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

const modulePath = "github.com/rlx-go/gopherscope"

func buildCommand(stderr *os.File) *cobra.Command {
	var with []string
	var output, source string
	cmd := &cobra.Command{
		Use:   "build --with PACKAGE[@VERSION]... [-o FILE]",
		Short: "Make a gopherscope whose notebooks can import further packages",
		Long: `Cells can import the packages that were compiled into gopherscope. Build makes
another gopherscope with more of them: Go packages by import path and version
(the latest by default), or those of a folder on disk. It calls the Go toolchain
for this, once; the program that it makes needs no toolchain.

  --with example.com/stats/robust         one package
  --with example.com/stats/...@v1.4.0     all packages of a module
  --with ./mylib                          the packages of a folder that has a go.mod

What such a package exports can be used in cells, but for generic functions and
types. Packages that need cgo cannot be built in.

The new program is a complete gopherscope. Install it for Jupyter under a name of
its own:

  gopherscope build --with ./mylib -o gopherscope-mylib
  ./gopherscope-mylib kernel install --name mylib --display-name "Go (mylib)"

Build compiles the source of the gopherscope that runs it: that of its version,
fetched if need be, or of the folder that it was compiled in, as long as that is
there, or of the module in whose folder it is called. --source names another.

Exit status: 0 when the program was written, 2 when the command line is wrong, 1
otherwise.`,
		Example: `  gopherscope build --with ./mylib -o gopherscope-mylib
  gopherscope build --with github.com/montanaflynn/stats@v0.7.1 --with ./mylib`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(with) == 0 {
				return asUsage(errors.New("build: nothing to add: name packages with --with"))
			}
			return build(cmd.Context(), with, output, source, stderr)
		},
	}
	cmd.Flags().StringArrayVar(&with, "with", nil, "add the package `PACKAGE[@VERSION]`, or the packages of a folder; can be repeated")
	cmd.Flags().StringVarP(&output, "output", "o", "gopherscope"+executableSuffix(), "write the program to `FILE`")
	cmd.Flags().StringVar(&source, "source", "", "the `FOLDER` with gopherscope's source")
	return cmd
}

func executableSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// toolchain runs the go command with a go.mod of its own beside gopherscope's.
type toolchain struct {
	ctx    context.Context
	source string // folder of gopherscope's module
	tmp    string // for what the go command leaves behind when it is killed
	flags  string // GOFLAGS
	stderr *os.File
}

// build makes the program: the source stays as it is, and what is added to it is
// in a temporary folder: a go.mod, and the tables and documentation of the new packages.
func build(ctx context.Context, with []string, output, source string, stderr *os.File) error {
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("build: the Go toolchain is not on the PATH; install it from https://go.dev/dl, only build needs it")
	}
	output, err := filepath.Abs(output)
	if err != nil {
		return err
	}
	if info, err := os.Stat(output); err == nil && info.IsDir() {
		return fmt.Errorf("build: %s is a folder: name a file with -o", output)
	}
	goTool := &toolchain{ctx: ctx, stderr: stderr}
	// Where programs can be run, which /tmp may not be.
	executables, err := goTool.run(".", "env", "GOTMPDIR")
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(executables, "gopherscope-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	goTool.tmp = tmp
	if goTool.source, err = findSource(goTool, source); err != nil {
		return err
	}
	mod := filepath.Join(tmp, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(goTool.source, name))
		if err != nil {
			return fmt.Errorf("build: %s is not the source of gopherscope: %w", goTool.source, err)
		}
		if err := os.WriteFile(filepath.Join(tmp, name), text, 0o666); err != nil {
			return err
		}
	}
	goTool.flags = "-mod=mod '-modfile=" + mod + "'"

	var packages []string
	for _, w := range with {
		added, err := goTool.add(w, mod)
		if err != nil {
			return err
		}
		packages = append(packages, added...)
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	generated := filepath.Join(tmp, "generated")
	if err := os.Mkdir(generated, 0o777); err != nil {
		return err
	}
	fmt.Fprintln(stderr, "reading what the packages export")
	if _, err := goTool.run(goTool.source, "run", "./internal/bindings/gen", "-with", strings.Join(packages, ","), "-out", generated); err != nil {
		return err
	}
	overlay, err := overlay(generated, goTool.source)
	if err != nil {
		return err
	}
	overlayFile := filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o666); err != nil {
		return err
	}
	fmt.Fprintln(stderr, "compiling", output)
	if _, err = goTool.run(goTool.source, "build", "-trimpath", "-overlay", overlayFile, "-o", output, "./cmd/gopherscope"); err != nil {
		return err
	}
	fmt.Fprintln(stderr, "its cells can import", strings.Join(packages, ", "))
	return nil
}

// overlay says that the files below one folder are to be compiled as if they were below
// another.
func overlay(from, to string) ([]byte, error) {
	replace := map[string]string{}
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inside, err := filepath.Rel(from, path)
		replace[filepath.Join(to, inside)] = path
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(replace) == 0 {
		return nil, errors.New("build: the packages are all built in already")
	}
	return json.Marshal(map[string]any{"Replace": replace})
}

// run runs the go command in a folder and returns what it prints. Its messages go
// into the error.
func (t *toolchain) run(dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(t.ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" "+t.flags))
	if t.tmp != "" {
		cmd.Env = append(cmd.Env, "GOTMPDIR="+t.tmp)
	}
	// The go command ends what it started when it is interrupted, and not when it is killed.
	// Windows cannot interrupt it.
	cmd.Cancel = func() error {
		if cmd.Process.Signal(os.Interrupt) != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = 5 * time.Second
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	if err := cmd.Run(); err != nil {
		if t.ctx.Err() != nil {
			return "", errors.New("build: interrupted")
		}
		return "", fmt.Errorf("build: go %s: %w\n%s", args[0], err, strings.TrimSpace(messages.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// add makes a package or the packages of a folder known to the go.mod, and returns
// their import paths.
func (t *toolchain) add(with, mod string) ([]string, error) {
	info, err := os.Stat(with)
	isFolder := err == nil && info.IsDir()
	switch {
	case isFolder:
		return t.addFolder(with, mod)
	case err == nil:
		return nil, fmt.Errorf("build: --with %s: it is a file; want the folder of a module, or a package", with)
	case strings.HasPrefix(with, ".") || filepath.IsAbs(with):
		return nil, fmt.Errorf("build: --with %s: %w", with, fs.ErrNotExist)
	}
	path, version, _ := strings.Cut(with, "@")
	if path == "" || path[0] == '-' {
		return nil, asUsage(fmt.Errorf("build: --with %s: want PACKAGE[@VERSION] or a folder", with))
	}
	if version == "" {
		version = "latest"
	}
	fmt.Fprintf(t.stderr, "fetching %s@%s\n", path, version)
	if _, err := t.run(t.source, "get", path+"@"+version); err != nil {
		return nil, err
	}
	return []string{path}, nil
}

func (t *toolchain) addFolder(folder, mod string) ([]string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	own := &toolchain{ctx: t.ctx, tmp: t.tmp, stderr: t.stderr} // with the folder's go.mod
	module, err := own.run(folder, "list", "-m", "-f", "{{.Path}}\n{{.Dir}}")
	if err != nil {
		return nil, err
	}
	path, dir, _ := strings.Cut(module, "\n")
	if dir == "" {
		return nil, fmt.Errorf("build: %s has no go.mod: call \"go mod init PATH\" in it", folder)
	}
	listed, err := own.run(folder, "list", "-f", `{{if ne .Name "main"}}{{.ImportPath}}{{end}}`, "./...")
	if err != nil {
		return nil, err
	}
	var packages []string
	for _, p := range strings.Fields(listed) {
		if !strings.Contains("/"+p+"/", "/internal/") {
			packages = append(packages, p)
		}
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("build: %s has no package that a cell could import: programs, internal packages and those that need cgo are none", folder)
	}
	replaced, err := own.replacements(dir)
	if err != nil {
		return nil, err
	}
	edit := append([]string{"mod", "edit", "-require=" + path + "@v0.0.0", "-replace=" + path + "=" + dir}, replaced...)
	if _, err := t.run(t.source, append(edit, mod)...); err != nil {
		return nil, err
	}
	return packages, nil
}

// replacements returns the replace directives of the module in a folder, as flags
// of go mod edit: the go command follows those of the main module only.
func (t *toolchain) replacements(dir string) ([]string, error) {
	text, err := t.run(dir, "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	type version struct{ Path, Version string }
	var file struct{ Replace []struct{ Old, New version } }
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		return nil, fmt.Errorf("build: go.mod of %s: %w", dir, err)
	}
	at := func(v version) string {
		if v.Version == "" {
			return v.Path
		}
		return v.Path + "@" + v.Version
	}
	var flags []string
	for _, r := range file.Replace {
		if r.Old.Path == modulePath {
			continue // the source that is compiled
		}
		if r.New.Version == "" && !filepath.IsAbs(r.New.Path) {
			r.New.Path = filepath.Join(dir, r.New.Path)
		}
		flags = append(flags, "-replace="+at(r.Old)+"="+at(r.New))
	}
	return flags, nil
}

// findSource returns the folder of gopherscope's source.
func findSource(t *toolchain, given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == modulePath && strings.HasPrefix(info.Main.Version, "v") {
		var module struct{ Dir string }
		text, err := t.run(".", "mod", "download", "-json", modulePath+"@"+info.Main.Version)
		if err == nil && json.Unmarshal([]byte(text), &module) == nil && module.Dir != "" {
			return module.Dir, nil
		}
	}
	// Without -trimpath a program knows the path of its source.
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		dir := filepath.Dir(filepath.Dir(filepath.Dir(file)))
		if path, err := t.run(dir, "list", "-m", "-f", "{{.Path}}"); err == nil && path == modulePath {
			return dir, nil
		}
	}
	if dir, err := t.run(".", "list", "-m", "-f", "{{.Dir}}", modulePath); err == nil && dir != "" {
		return dir, nil
	}
	return "", errors.New("build: the source of this gopherscope was not found: name its folder with --source")
}
