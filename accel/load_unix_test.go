//go:build !noaccel && (linux || darwin)

package accel

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// dlerror knows only of the calls of its own thread, between which goroutines move.
func TestLoadSaysWhyItFails(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.so")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 2000 {
				if _, err := load(missing); err == nil || !strings.Contains(err.Error(), missing) {
					t.Errorf("got %v", err)
					return
				}
			}
		})
	}
	all.Wait()
}
