package bench

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func someMachine(f32 float64) Machine {
	m := Machine{CPU: "c", Tier: "t", Threads: 1, F32Peak: f32, Int8Peak: 2, BF16Peak: 3}
	for _, size := range workingSets() {
		m.Read = append(m.Read, Bandwidth{size, 4})
	}
	return m
}

func TestCache(t *testing.T) {
	cache := Cache{Name: "limits", Format: 1, Threads: 1, dir: filepath.Join(t.TempDir(), "new", "folder")}
	own := cache.fingerprint()
	measured := 0
	measure := func() (Machine, error) {
		measured++
		return someMachine(float64(measured)), nil
	}
	// get returns which measurement the answer is from.
	get := func(fresh bool) int {
		t.Helper()
		m, err := cachedLimits(cache, fresh, measure)
		if err != nil {
			t.Fatal(err)
		}
		return int(m.F32Peak)
	}
	if got := get(false); got != 1 {
		t.Errorf("got measurement %d from no cache", got)
	}
	if got := get(false); got != 1 {
		t.Errorf("got measurement %d, want the kept one", got)
	}
	if got := get(true); got != 2 {
		t.Errorf("got measurement %d, want a fresh one", got)
	}
	if got := get(false); got != 2 {
		t.Errorf("got measurement %d, want the fresh one, kept", got)
	}

	others := map[string]func(*fingerprint){
		"format":  func(f *fingerprint) { f.Format++ },
		"cpu":     func(f *fingerprint) { f.CPU += "x" },
		"arch":    func(f *fingerprint) { f.Arch += "x" },
		"tier":    func(f *fingerprint) { f.Tier += "x" },
		"cores":   func(f *fingerprint) { f.Cores++ },
		"go":      func(f *fingerprint) { f.Go += "x" },
		"threads": func(f *fingerprint) { f.Threads++ },
	}
	for name, change := range others {
		other := own
		change(&other)
		var m Machine
		if cache.load(&m, other) {
			t.Errorf("another %s is answered from the cache", name)
		}
		if err := cache.save(someMachine(99), other); err != nil {
			t.Fatal(err)
		}
		// A file under the right name that is of something else.
		text, err := os.ReadFile(cache.path(other))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(cache.path(own), text, 0o666); err != nil {
			t.Fatal(err)
		}
		before := measured
		if get(false); measured != before+1 {
			t.Errorf("a cache of another %s is taken for this machine's", name)
		}
	}

	for name, text := range map[string]string{
		"empty":     "",
		"cut":       `{"Fingerprint": {`,
		"not JSON":  "\x00\x01",
		"no figure": `{}`,
	} {
		if err := os.WriteFile(cache.path(own), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		before := measured
		if get(false); measured != before+1 {
			t.Errorf("a cache that is %s was used", name)
		}
		if get(false); measured != before+1 {
			t.Errorf("a cache that is %s was not replaced", name)
		}
	}
	entries, err := os.ReadDir(cache.dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + len(others); len(entries) != want {
		t.Errorf("the folder holds %v, want %d caches and nothing else", entries, want)
	}
}

// Figures of two names do not meet.
func TestCachesHaveNames(t *testing.T) {
	dir := t.TempDir()
	limits, other := Cache{Name: "limits", Threads: 1, dir: dir}, Cache{Name: "other", Threads: 1, dir: dir}
	if err := limits.Save(someMachine(1)); err != nil {
		t.Fatal(err)
	}
	var kept []int
	if other.Load(&kept) {
		t.Errorf("the cache of another name gave %v", kept)
	}
	if err := other.Save([]int{3, 4}); err != nil || !other.Load(&kept) || len(kept) != 2 || kept[1] != 4 {
		t.Errorf("saved [3 4], got %v, %v", kept, err)
	}
	if err := other.Save(func() {}); err == nil {
		t.Error("a function was saved")
	}
	if !other.Load(&kept) {
		t.Error("a save that failed took the file away")
	}
}

func TestIncompleteMachinesAreNotCaches(t *testing.T) {
	for name, change := range map[string]func(*Machine){
		"without a peak":              func(m *Machine) { m.Int8Peak = 0 },
		"without a bandwidth":         func(m *Machine) { m.Read = m.Read[1:] },
		"with a bandwidth of nothing": func(m *Machine) { m.Read[3].GBps = 0 },
		"with other working sets":     func(m *Machine) { m.Read[3].Bytes++ },
	} {
		m := someMachine(1)
		change(&m)
		if m.complete() {
			t.Errorf("a machine %s is complete", name)
		}
	}
	if !someMachine(1).complete() {
		t.Error("a whole machine is not complete")
	}
}

func TestCacheFailures(t *testing.T) {
	measure := func() (Machine, error) { return someMachine(7), nil }

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	// Where a directory would have to be a file.
	if m, err := cachedLimits(Cache{dir: file}, false, measure); err != nil || m.F32Peak != 7 {
		t.Errorf("cache in a file: got %v, %v, want the measurement", m, err)
	}

	dir, failed := t.TempDir(), errors.New("failed")
	if _, err := cachedLimits(Cache{dir: dir}, false, func() (Machine, error) { return Machine{}, failed }); !errors.Is(err, failed) {
		t.Errorf("got %v, want the error of the measurement", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("a failed measurement left %v", entries)
	}
}

// A user without a home has no cache, and that is no error.
func TestNoCacheDirectory(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", "home"} {
		t.Setenv(name, "")
	}
	var m Machine
	if (Cache{}).Load(&m) || (Cache{}).Save(m) == nil {
		t.Error("a cache without a directory")
	}
	if m, err := cachedLimits(Cache{}, false, func() (Machine, error) { return someMachine(7), nil }); err != nil || m.F32Peak != 7 {
		t.Errorf("got %v, %v, want the measurement", m, err)
	}
}
