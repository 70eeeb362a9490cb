package jupyter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// UserDataDir returns the Jupyter data directory of the user, where Jupyter
// finds kernels whatever environment it runs in: $JUPYTER_DATA_DIR, else by
// system ~/Library/Jupyter, %APPDATA%\jupyter, or $XDG_DATA_HOME/jupyter, which
// is ~/.local/share/jupyter by default.
func UserDataDir() (string, error) {
	return userDataDir(runtime.GOOS)
}

func userDataDir(goos string) (string, error) {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("APPDATA"); goos == "windows" && dir != "" {
		return filepath.Join(dir, "jupyter"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no place for a user's kernels: %w", err)
	}
	switch goos {
	case "darwin":
		return filepath.Join(home, "Library", "Jupyter"), nil
	case "windows":
		return filepath.Join(home, ".jupyter", "data"), nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "jupyter"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter"), nil
}

// PrefixDataDir returns the Jupyter data directory of an installation prefix.
func PrefixDataDir(prefix string) string {
	return filepath.Join(prefix, "share", "jupyter")
}

// SysPrefix returns the prefix of the active Python environment. Both variables
// are set when a virtual environment was made active inside conda's.
func SysPrefix() (string, error) {
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := os.Getenv(name); dir != "" {
			return dir, nil
		}
	}
	return "", errors.New("no active environment: neither VIRTUAL_ENV nor CONDA_PREFIX is set; activate one, or give --prefix")
}

// DataDirs returns the directories in which Jupyter looks for kernels, first
// found first taken.
func DataDirs() []string {
	dirs := filepath.SplitList(os.Getenv("JUPYTER_PATH"))
	if dir, err := UserDataDir(); err == nil {
		dirs = append(dirs, dir)
	}
	if prefix, err := SysPrefix(); err == nil {
		dirs = append(dirs, PrefixDataDir(prefix))
	}
	if runtime.GOOS == "windows" {
		if dir := os.Getenv("PROGRAMDATA"); dir != "" {
			dirs = append(dirs, filepath.Join(dir, "jupyter"))
		}
	} else {
		dirs = append(dirs, "/usr/local/share/jupyter", "/usr/share/jupyter")
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return dir == "" })
}
