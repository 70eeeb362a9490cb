package testreq

import "testing"

// recorder notes which end a test came to.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (*recorder) Helper() {}

func (r *recorder) Skip(args ...any) { r.skipped = args[0].(string) }

func (r *recorder) Fatal(args ...any) {
	r.failed = args[0].(string)
	panic(r) // a failed test goes no further
}

func TestSkip(t *testing.T) {
	for _, c := range []struct{ require, skipped, failed string }{
		{"", "no Python", ""},
		{"some", "no Python", ""},
		{"all", "", "no Python"},
	} {
		t.Setenv("GOPHERSCOPE_REQUIRE", c.require)
		r := &recorder{}
		func() {
			defer func() { recover() }()
			Skip(r, "no Python")
		}()
		if r.skipped != c.skipped || r.failed != c.failed {
			t.Errorf("GOPHERSCOPE_REQUIRE=%q: skipped %q, failed %q", c.require, r.skipped, r.failed)
		}
	}
}
