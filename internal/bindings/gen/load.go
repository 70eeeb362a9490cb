package main

import (
	"errors"
	"fmt"
	"go/types"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

// platformPackages holds packages as they are on one platform, by import path.
type platformPackages map[string]*types.Package

// load type-checks packages from their source for one platform. Nothing is
// compiled, so that it also works for platforms this machine never built for. A
// path may end in /... for all packages below it.
func load(goos, goarch string, paths []string) (platformPackages, error) {
	pkgs, err := loadSyntax(goos, goarch, paths)
	found := make(platformPackages)
	for _, p := range pkgs {
		found[p.PkgPath] = p.Types
	}
	return found, err
}

// loadSyntax is load with the syntax trees.
func loadSyntax(goos, goarch string, paths []string) ([]*packages.Package, error) {
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
			packages.NeedImports | packages.NeedDeps | packages.NeedSyntax | packages.NeedTypes,
		Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch),
	}
	pkgs, err := packages.Load(config, paths...)
	if err != nil {
		return nil, err
	}
	var errs []error
	found := map[string]bool{}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			errs = append(errs, e)
		}
		found[p.PkgPath] = true
	}
	for _, path := range paths {
		if !found[path] && !strings.HasSuffix(path, "/...") {
			errs = append(errs, fmt.Errorf("%s: no such package", path))
		}
	}
	return pkgs, errors.Join(errs...)
}
