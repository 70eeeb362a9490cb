package bench

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

// A fingerprint is what the limits of a machine depend on.
type fingerprint struct {
	Format  int // of the file, and of how the figures are measured
	CPU     string
	Arch    string
	Tier    string
	Cores   int
	Go      string
	Threads int
}

func newFingerprint(threads int) fingerprint {
	return fingerprint{
		Format: 2,
		CPU:    cpu.Name(), Arch: runtime.GOARCH, Tier: cpu.Best().String(), Cores: runtime.NumCPU(),
		Go: runtime.Version(), Threads: threads,
	}
}

// file is the name of the cache of a fingerprint, so that machines that share a
// home directory do not overwrite each other's.
func (f fingerprint) file() string {
	text, _ := json.Marshal(f) // strings and numbers only
	sum := sha256.Sum256(text)
	return fmt.Sprintf("limits-%x.json", sum[:8])
}

// cacheFile is what a cache holds.
type cacheFile struct {
	Fingerprint fingerprint
	Machine     Machine
}

// cacheDir returns the directory of the caches, or "" if the user has none.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "gopherscope")
}

// cached returns what the cache in dir holds for a fingerprint, and otherwise what
// measure returns, which it keeps.
func cached(dir string, of fingerprint, fresh bool, measure func() (Machine, error)) (Machine, error) {
	path := filepath.Join(dir, of.file())
	if dir != "" && !fresh {
		if m, ok := readCache(path, of); ok {
			return m, nil
		}
	}
	m, err := measure()
	if err == nil && dir != "" {
		// A cache is a convenience: without it the next call measures again.
		_ = writeCache(path, cacheFile{of, m})
	}
	return m, err
}

func readCache(path string, of fingerprint) (Machine, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Machine{}, false
	}
	var c cacheFile
	if json.Unmarshal(text, &c) != nil || c.Fingerprint != of || !c.Machine.complete() {
		return Machine{}, false
	}
	return c.Machine, true
}

// complete reports whether m has every figure of Limits.
func (m Machine) complete() bool {
	sizes := workingSets()
	if m.F32Peak <= 0 || m.Int8Peak <= 0 || m.BF16Peak <= 0 || len(m.Read) != len(sizes) {
		return false
	}
	for i, b := range m.Read {
		if b.Bytes != sizes[i] || b.GBps <= 0 {
			return false
		}
	}
	return true
}

// writeCache writes the file whole or not at all.
func writeCache(path string, c cacheFile) error {
	text, err := json.MarshalIndent(c, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".limits-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(text)
	if closeErr := temporary.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
