package jupyter

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/rlx-go/gopherscope/internal/kernelinfo"
)

//go:generate go run draw_logos.go

//go:embed logos/logo-32x32.png logos/logo-64x64.png logos/logo-svg.svg
var logos embed.FS

// specFile is the file that makes a folder a kernelspec.
const specFile = "kernel.json"

// kernelNames are the names Jupyter accepts, but for those that begin with a
// dot: "." and ".." are folders of their own.
var kernelNames = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

// Spec is an installed kernelspec.
type Spec struct {
	Name        string
	DisplayName string
	Dir         string
}

// specJSON is the content of kernel.json.
type specJSON struct {
	Argv          []string       `json:"argv"`
	DisplayName   string         `json:"display_name"`
	Language      string         `json:"language"`
	InterruptMode string         `json:"interrupt_mode"`
	Metadata      map[string]any `json:"metadata"`
}

// metadataKey marks the kernelspecs that this program wrote.
const metadataKey = "gopherscope"

// Install writes a kernelspec to the folder kernels/NAME of a Jupyter data
// directory, with a copy of the program at binary, and returns the files written.
// An empty display name becomes "Go (NAME)". An earlier kernelspec of this
// program under the name is replaced, another program's is not. The kernelspec
// appears whole or not at all.
func Install(dataDir, name, displayName, binary string) (files []string, err error) {
	dir, err := specDir(dataDir, name)
	if err != nil {
		return nil, err
	}
	if displayName == "" {
		displayName = kernelinfo.DisplayName(filepath.Base(dir))
	}
	existing, err := readSpec(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !existing.ours():
		return nil, fmt.Errorf("%s is the kernelspec of another program (%s): choose another name or remove it first", dir, existing.DisplayName)
	}

	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	staged, err := os.MkdirTemp(filepath.Dir(dir), ".gopherscope-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(staged)
	if err := os.Chmod(staged, 0o755); err != nil {
		return nil, err
	}
	names, err := writeSpec(staged, dir, displayName, binary)
	if err != nil {
		return nil, err
	}
	if err := replaceDir(staged, dir); err != nil {
		return nil, err
	}
	for _, n := range names {
		files = append(files, filepath.Join(dir, n))
	}
	return files, nil
}

// writeSpec writes the files of a kernelspec that will end up in dir, and
// returns their names.
func writeSpec(staged, dir, displayName, binary string) ([]string, error) {
	program := "gopherscope"
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if err := copyProgram(filepath.Join(staged, program), binary); err != nil {
		return nil, err
	}
	names := []string{program}
	entries, err := logos.ReadDir("logos")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		data, err := logos.ReadFile("logos/" + e.Name())
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(staged, e.Name()), data, 0o644); err != nil {
			return nil, err
		}
		names = append(names, e.Name())
	}
	spec, err := json.MarshalIndent(specJSON{
		Argv:        []string{filepath.Join(dir, program), "kernel", "start", "{connection_file}"},
		DisplayName: displayName,
		Language:    kernelinfo.Language,
		// Signals reach neither kernels on other machines nor those on Windows.
		InterruptMode: "message",
		Metadata:      map[string]any{"debugger": false, metadataKey: map[string]string{"version": kernelinfo.Version()}},
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(staged, specFile), append(spec, '\n'), 0o644); err != nil {
		return nil, err
	}
	return append(names, specFile), nil
}

func copyProgram(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// replaceDir renames staged to dir. What was at dir goes, and stays when the
// rename fails.
func replaceDir(staged, dir string) error {
	former := staged + "-former"
	err := os.Rename(dir, former)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.Rename(staged, dir)
	case err != nil:
		return err
	}
	if err := os.Rename(staged, dir); err != nil {
		return errors.Join(err, os.Rename(former, dir))
	}
	return removeSpec(former)
}

// removeSpec removes a kernelspec's folder, beginning with the file that makes
// Jupyter list it.
func removeSpec(dir string) error {
	if err := os.Remove(filepath.Join(dir, specFile)); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// Uninstall removes a kernelspec of this program from a Jupyter data directory
// and returns the folder that went.
func Uninstall(dataDir, name string) (string, error) {
	dir, err := specDir(dataDir, name)
	if err != nil {
		return "", err
	}
	spec, err := readSpec(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no kernelspec in %s", dir)
	case err != nil:
		return "", err
	case !spec.ours():
		return "", fmt.Errorf("%s is the kernelspec of another program (%s) and stays", dir, spec.DisplayName)
	}
	return dir, removeSpec(dir)
}

// List returns the kernelspecs of this program in the Jupyter data directories,
// in the order in which Jupyter looks.
func List(dataDirs []string) ([]Spec, error) {
	var specs []Spec
	for _, d := range dataDirs {
		entries, err := os.ReadDir(filepath.Join(d, "kernels"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			dir := filepath.Join(d, "kernels", e.Name())
			// Others' broken kernelspecs are not this program's to report.
			if spec, err := readSpec(dir); err == nil && spec.ours() {
				specs = append(specs, Spec{Name: e.Name(), DisplayName: spec.DisplayName, Dir: dir})
			}
		}
	}
	return specs, nil
}

// specDir returns the absolute folder of a kernelspec. Jupyter looks names up in
// lower case.
func specDir(dataDir, name string) (string, error) {
	if !kernelNames.MatchString(name) {
		return "", fmt.Errorf("kernel name %q: letters, digits, hyphens, underscores and periods are allowed, and no period at the start", name)
	}
	return filepath.Abs(filepath.Join(dataDir, "kernels", strings.ToLower(name)))
}

func readSpec(dir string) (specJSON, error) {
	var spec specJSON
	file := filepath.Join(dir, specFile)
	data, err := os.ReadFile(file)
	if err != nil {
		return spec, err
	}
	if err := json.Unmarshal(data, &spec); err != nil {
		return spec, fmt.Errorf("%s: %w", file, err)
	}
	return spec, nil
}

func (s specJSON) ours() bool {
	_, marked := s.Metadata[metadataKey]
	return marked
}
