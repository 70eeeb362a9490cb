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

// A Cache is a file in the user's cache directory, os.UserCacheDir, that keeps
// figures measured on this machine. It belongs to the processor, its tier, the number
// of its cores and the Go release as well as to the fields, so that machines that
// share a home directory keep their own.
type Cache struct {
	// Name is the beginning of the name of the file.
	Name string
	// Format is the version of the figures, and of how they are measured.
	Format int
	// Threads is how many threads were measured together.
	Threads int

	dir string // in place of the user's, for tests
}

// A fingerprint is what the figures in a cache depend on.
type fingerprint struct {
	Format  int
	CPU     string
	Arch    string
	Tier    string
	Cores   int
	Go      string
	Threads int
}

func (c Cache) fingerprint() fingerprint {
	return fingerprint{
		Format: c.Format,
		CPU:    cpu.Name(), Arch: runtime.GOARCH, Tier: cpu.Best().String(), Cores: runtime.NumCPU(),
		Go: runtime.Version(), Threads: c.Threads,
	}
}

// path is the name of the file, or "" if the user has no cache directory.
func (c Cache) path(of fingerprint) string {
	dir := c.dir
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(user, "gopherscope")
	}
	text, _ := json.Marshal(of) // strings and numbers only
	sum := sha256.Sum256(text)
	return filepath.Join(dir, fmt.Sprintf("%s-%x.json", c.Name, sum[:8]))
}

// cacheFile is what a cache holds.
type cacheFile struct {
	Fingerprint fingerprint
	Figures     json.RawMessage
}

// Load reads the figures into v, as json.Unmarshal does. It reports whether there
// was a file, whole and of this machine; otherwise v is to be measured.
func (c Cache) Load(v any) bool { return c.load(v, c.fingerprint()) }

func (c Cache) load(v any, of fingerprint) bool {
	text, err := os.ReadFile(c.path(of))
	if err != nil {
		return false
	}
	var file cacheFile
	return json.Unmarshal(text, &file) == nil && file.Fingerprint == of && json.Unmarshal(file.Figures, v) == nil
}

// Save keeps the figures v, which json.Marshal takes. It writes the file whole or not
// at all.
func (c Cache) Save(v any) error { return c.save(v, c.fingerprint()) }

func (c Cache) save(v any, of fingerprint) error {
	path := c.path(of)
	if path == "" {
		return os.ErrNotExist
	}
	figures, err := json.Marshal(v)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(cacheFile{of, figures}, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+c.Name+"-*.tmp")
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

// cachedLimits returns what the cache holds, and otherwise what measure returns, which
// it keeps.
func cachedLimits(c Cache, fresh bool, measure func() (Machine, error)) (Machine, error) {
	var kept Machine
	if !fresh && c.Load(&kept) && kept.complete() {
		return kept, nil
	}
	m, err := measure()
	if err == nil {
		// A cache is a convenience: without it the next call measures again.
		_ = c.Save(m)
	}
	return m, err
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
