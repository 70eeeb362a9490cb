package kernels_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/cpu"
	"github.com/rlx-go/gopherscope/kernels"
)

func TestImplementations(t *testing.T) {
	var usable []string
	for _, tier := range cpu.Usable() {
		usable = append(usable, tier.String())
	}
	for _, s := range kernels.Schemes() {
		impls := kernels.Implementations(s)
		if len(impls) == 0 || impls[0] != kernels.ImplRef {
			t.Errorf("%s: implementations %v, want the reference first", s, impls)
		}
		for _, name := range impls {
			if !slices.Contains(usable, name) {
				t.Errorf("%s: implementation %s, but the usable tiers are %v", s, name, usable)
			}
		}
		t.Logf("%s: %v", s, impls)
	}
	if impls := kernels.Implementations("f64"); impls != nil {
		t.Errorf("an unknown scheme has implementations %v", impls)
	}
}

func TestImplOption(t *testing.T) {
	w := normal(3, 4, 1)
	all := kernels.Implementations(kernels.SchemeF32)
	chosen, err := kernels.NewF32(w)
	if err != nil || chosen.Info().Impl != all[len(all)-1] {
		t.Errorf("NewF32 chooses %q, %v, want the last of %v", chosen.Info().Impl, err, all)
	}
	for _, name := range []string{"f64", "REF", " "} {
		_, err := kernels.NewF32(w, kernels.Impl(name))
		if err == nil || !strings.Contains(err.Error(), "NewF32") || !strings.Contains(err.Error(), strings.Join(all, " ")) {
			t.Errorf("Impl(%q): got error %v, want one that names NewF32 and lists %v", name, err, all)
		}
	}
}
