package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// runWith writes the tables of further packages to a folder, to be compiled with
// those that package bindings has. A path may end in /... for all packages below it.
func runWith(paths []string, dir string) error {
	found, err := load(runtime.GOOS, runtime.GOARCH, paths)
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
	for _, path := range slices.Sorted(maps.Keys(found)) {
		if found[path].Name() == "main" || slices.Contains(strings.Split(path, "/"), "internal") {
			if slices.Contains(paths, path) {
				return fmt.Errorf("%s is a program or internal: no other package can import it", path)
			}
			continue
		}
		if _, err := os.Stat(filepath.Join(tablesDir, identifier(path)+suffix)); err == nil {
			continue // built in
		}
		pkgs = append(pkgs, newPkg(path, found))
	}
	files, err := tables(pkgs, proxies)
	if err != nil {
		return err
	}
	return write(dir, files)
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
