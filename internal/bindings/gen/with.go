package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/internal/interp/docs/extract"
)

// runWith writes the tables of further packages, and the documentation with theirs added,
// to a folder laid out as the module; nothing if all are built in. A path may end in /...
// for all packages below it.
func runWith(paths []string, dir string) error {
	loaded, err := loadSyntax(runtime.GOOS, runtime.GOARCH, paths)
	if err != nil {
		return err
	}
	tablesDir, err := outputDir()
	if err != nil {
		return err
	}
	proxies, err := knownProxies(tablesDir)
	if err != nil {
		return err
	}
	var pkgs []pkg
	documented := extract.Archive{}
	for _, p := range loaded {
		path := p.PkgPath
		if p.Name == "main" || slices.Contains(strings.Split(path, "/"), "internal") {
			if slices.Contains(paths, path) {
				return fmt.Errorf("%s is a program or internal: no other package can import it", path)
			}
			continue
		}
		if _, err := os.Stat(filepath.Join(tablesDir, identifier(path)+suffix)); err == nil {
			continue // built in
		}
		pkgs = append(pkgs, newPkg(path, platformPackages{path: p.Types}))
		if documented[path], err = extract.Entries(p); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if len(pkgs) == 0 {
		return nil
	}
	files, err := tables(pkgs, proxies)
	if err != nil {
		return err
	}
	tables := filepath.Join(dir, "internal", "bindings")
	if err := os.MkdirAll(tables, 0o777); err != nil {
		return err
	}
	if err := write(tables, files); err != nil {
		return err
	}
	return writeDocs(documented, filepath.Join(tablesDir, docsFolder), filepath.Join(tables, docsFolder))
}

// docsFolder is where the documentation is, seen from the tables.
var docsFolder = filepath.Join("..", "interp", "docs")

// writeDocs writes the archive of one folder to another, with further packages.
func writeDocs(further extract.Archive, from, to string) error {
	older, err := zip.OpenReader(filepath.Join(from, "docs.zip"))
	if err != nil {
		return err
	}
	defer older.Close()
	var text bytes.Buffer
	if err := further.Write(&text, &older.Reader); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "docs.zip"), text.Bytes(), 0o666)
}

var proxyDeclaration = regexp.MustCompile(`(?m)^type (proxy_\w+) struct`)

// knownProxies returns the proxies that package bindings declares.
func knownProxies(dir string) (map[string]bool, error) {
	known := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range proxyDeclaration.FindAllSubmatch(text, -1) {
			known[string(m[1])] = true
		}
	}
	return known, nil
}
