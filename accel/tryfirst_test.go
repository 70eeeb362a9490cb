//go:build !noaccel && (linux || darwin || windows)

package accel

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTryFirst(t *testing.T) {
	defer tryFirst.Store(nil)
	var tried []any
	TryFirst(func(library, file string, threads int) error {
		tried = append(tried, library, file, threads)
		return errors.New("it crashed")
	})
	t.Setenv("GOPHERSCOPE_TEST_LIB", "lib.so")
	v := vendor{source: source{name: "lib", env: "GOPHERSCOPE_TEST_LIB"}}
	if _, err := v.open(3); err == nil || !strings.Contains(err.Error(), "lib.so: it crashed") {
		t.Errorf("got %v", err)
	}
	if !slices.Equal(tried, []any{"lib", "lib.so", 3}) {
		t.Errorf("tried %v", tried)
	}
	// The process that is called does not call another one.
	if err := Try("openblas", filepath.Join(t.TempDir(), "absent.so"), 1); err == nil || len(tried) > 3 {
		t.Errorf("Try: %v, tried %v", err, tried)
	}
	if err := Try("mkl", "lib.so", 1); err == nil || !strings.Contains(err.Error(), "no library is called") {
		t.Errorf("Try of an unknown library: %v", err)
	}
}
