//go:build !noaccel

package accel

import (
	"strings"
	"testing"
)

func TestLibraryWithoutASymbol(t *testing.T) {
	t.Setenv("GOPHERSCOPE_TEST_LIB", "libm.so.6")
	s := source{name: "Lib", env: "GOPHERSCOPE_TEST_LIB"}
	var fn func()
	if _, _, err := s.open([]symbol{{"cblas_sgemm", &fn}}); err == nil || !strings.Contains(err.Error(), "libm.so.6: symbol cblas_sgemm") {
		t.Errorf("got %v, want an error that names the file and the symbol", err)
	}
}
