// Package kernelinfo is what people and notebooks are told of this program.
package kernelinfo

import (
	"runtime"
	"runtime/debug"
	"strings"
)

const (
	// Name is the kernelspec that notebooks of this program ask for.
	Name = "gopherscope"
	// Language is the language of its notebooks.
	Language = "go"
)

// DisplayName is what menus call a kernel.
func DisplayName(name string) string { return "Go (" + name + ")" }

// GoVersion is the version of Go that cells run on, such as "1.26.1".
func GoVersion() string { return strings.TrimPrefix(runtime.Version(), "go") }

// Version is the version of the module that the program was built from, "(devel)"
// when it was built from a working tree.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// LanguageInfo is the language_info of the messaging protocol, which a client
// puts into the notebook's metadata.
func LanguageInfo() map[string]any {
	return map[string]any{
		"name":            Language,
		"version":         GoVersion(),
		"mimetype":        "text/x-go",
		"file_extension":  ".go",
		"pygments_lexer":  "go",
		"codemirror_mode": "go",
	}
}
