package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a library's go.mod replaces is replaced when the library is built in.
func TestBuildReplacements(t *testing.T) {
	dir := library(t, map[string]string{
		"lib/go.mod": "module example.com/lib\n\ngo 1.26\n\nrequire example.com/dep v1.2.0\n\n" +
			"replace example.com/dep v1.2.0 => \"../a dep\"\n\nreplace example.com/far => example.com/fork v1.0.0\n\n" +
			"replace " + modulePath + " => ../elsewhere\n",
		"lib/lib.go":   "package lib\n\nimport \"example.com/dep\"\n\nvar X = dep.X",
		"a dep/go.mod": "module example.com/dep\n\ngo 1.26\n",
		"a dep/dep.go": "package dep\n\nvar X = 1",
		"go.mod":       "module example.com/main\n\ngo 1.26\n",
	})
	mod := filepath.Join(dir, "go.mod")
	goTool := &toolchain{ctx: t.Context(), source: dir, stderr: os.Stderr}
	packages, err := goTool.addFolder(filepath.Join(dir, "lib"), mod)
	if err != nil || len(packages) != 1 || packages[0] != "example.com/lib" {
		t.Fatalf("packages %q, %v", packages, err)
	}
	edited, err := os.ReadFile(mod)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`example.com/dep v1.2.0 => "` + filepath.Join(dir, "a dep") + `"`,
		"example.com/far => example.com/fork v1.0.0",
		"example.com/lib => " + filepath.Join(dir, "lib"),
	} {
		if !strings.Contains(string(edited), want) {
			t.Errorf("no %s in\n%s", want, edited)
		}
	}
	if strings.Contains(string(edited), "elsewhere") {
		t.Errorf("gopherscope itself is replaced:\n%s", edited)
	}
}
