package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/opscope"
)

// extras are the probes on request, by the names of --extra.
var extras = []struct {
	name  string
	probe opscope.Extras
}{
	{"bits", opscope.ExtraBits},
	{"asymmetric", opscope.ExtraAsymmetric},
	{"scale-search", opscope.ExtraScaleSearch},
	{"formats", opscope.ExtraFormats},
	{"sparse", opscope.ExtraSparse},
	{"lut", opscope.ExtraLUT},
}

func extraNames() []string {
	var names []string
	for _, e := range extras {
		names = append(names, e.name)
	}
	return names
}

func parseExtras(text string) (opscope.Extras, error) {
	var sum opscope.Extras
	if text == "" {
		return 0, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "all" {
			return opscope.AllExtras, nil
		}
		i := slices.Index(extraNames(), name)
		if i < 0 {
			return 0, fmt.Errorf("--extra: %q is not one of %s, all", name, strings.Join(extraNames(), ", "))
		}
		sum |= extras[i].probe
	}
	return sum, nil
}
