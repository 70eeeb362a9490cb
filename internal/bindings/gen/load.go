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
	found := make(platformPackages)
	for _, p := range pkgs {
		for _, e := range p.Errors {
			errs = append(errs, e)
		}
		found[p.PkgPath] = p.Types
	}
	for _, path := range paths {
		if found[path] == nil && !strings.HasSuffix(path, "/...") {
			errs = append(errs, fmt.Errorf("%s: no such package", path))
		}
	}
	return found, errors.Join(errs...)
}
