// Package testreq is for tests that need what not every machine has.
package testreq

import (
	"os"
	"testing"
)

// Skip skips a test that this machine cannot run. With GOPHERSCOPE_REQUIRE=all
// in the environment, where nothing may be skipped, it fails the test.
func Skip(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("GOPHERSCOPE_REQUIRE") == "all" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}
