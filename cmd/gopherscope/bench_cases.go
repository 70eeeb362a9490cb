package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// benchCases is what to measure.
type benchCases struct {
	shapes  []benchShape
	schemes []benchScheme
	// structuredOnly keeps the schemes that need structure to structuredShape.
	structuredOnly bool
}

// of returns the one shape with its schemes.
func (c benchCases) of(s benchShape) benchCases {
	schemes := c.schemes
	if c.structuredOnly && s != structuredShape {
		schemes = slices.DeleteFunc(slices.Clone(schemes), func(s benchScheme) bool { return s.structured })
	}
	return benchCases{shapes: []benchShape{s}, schemes: schemes}
}

// cases reads the flags.
func (b *kernelsBench) cases() (benchCases, error) {
	switch cores := runtime.NumCPU(); {
	case b.threads < 1 || b.threads > cores:
		return benchCases{}, fmt.Errorf("--threads %d: want 1 to %d, the number of cores", b.threads, cores)
	case b.rounds < minBenchRounds:
		return benchCases{}, fmt.Errorf("--rounds %d: want at least %d", b.rounds, minBenchRounds)
	}
	c := benchCases{shapes: defaultShapes, structuredOnly: b.shapes == ""}
	if b.shapes != "" {
		c.shapes = nil
		for text := range strings.SplitSeq(b.shapes, ",") {
			shape, err := parseShape(text)
			if err != nil {
				return benchCases{}, err
			}
			if slices.Contains(c.shapes, shape) {
				return benchCases{}, fmt.Errorf("--shapes: %v is there twice", shape)
			}
			c.shapes = append(c.shapes, shape)
		}
	}
	var names []string
	if b.schemes != "" {
		names = strings.Split(b.schemes, ",")
		for i, name := range names {
			names[i] = strings.TrimSpace(name)
		}
	}
	known := map[string]bool{}
	for i, s := range benchSchemes {
		known[s.name] = true
		named := slices.Contains(names, s.name)
		// The first is f32, which the others are compared with.
		if i == 0 || named || (s.peer && b.peers) || (!s.peer && names == nil) {
			c.schemes = append(c.schemes, s)
		}
	}
	for _, name := range names {
		if !known[name] {
			return benchCases{}, fmt.Errorf("--schemes: %q is not one of %s", name, strings.Join(schemeNames(), " "))
		}
	}
	return c, nil
}
