// Package docs has the documentation of the packages that cells can import, as
// it was when the program was built: at run time there is no source.
package docs

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"sync"
)

//go:generate go run ./gen

//go:embed docs.zip
var archive []byte

// Entry is the documentation of one name.
type Entry struct {
	// Decl is the declaration in Go, without the bodies of functions and what is
	// not exported. It is empty for a package.
	Decl string `json:"decl,omitempty"`
	// Doc is the comment, without the marks of comments.
	Doc string `json:"doc,omitempty"`
}

var open = sync.OnceValues(func() (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
})

// Package returns the entries of a package by name: "" for the package itself,
// "Name", and "Type.Method". It returns nil for a package that it does not know.
// The functions and types that Go predeclares are in the package "builtin".
func Package(importPath string) map[string]Entry {
	r, err := open()
	if err != nil {
		return nil
	}
	f, err := r.Open(importPath + ".json")
	if err != nil {
		return nil
	}
	defer f.Close()
	var entries map[string]Entry
	if err := json.NewDecoder(f).Decode(&entries); err != nil {
		return nil
	}
	return entries
}
