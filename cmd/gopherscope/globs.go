package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// globs selects names: those that a pattern of include matches, or all if there is
// none, without those that a pattern of exclude matches.
type globs struct {
	include, exclude []*regexp.Regexp
}

func newGlobs(include, exclude []string) (globs, error) {
	var g globs
	var err error
	if g.include, err = compileGlobs("--include", include); err != nil {
		return g, err
	}
	g.exclude, err = compileGlobs("--exclude", exclude)
	return g, err
}

func compileGlobs(flag string, patterns []string) ([]*regexp.Regexp, error) {
	var list []*regexp.Regexp
	for _, p := range patterns {
		re, err := compileGlob(p)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", flag, p, err)
		}
		list = append(list, re)
	}
	return list, nil
}

// compileGlob makes a pattern of a glob that has to match a whole name: * stands
// for any characters, ? for one, [a-c] for one of a set, [!a-c] for one that is not
// in it. Dots and slashes are characters like others.
func compileGlob(glob string) (*regexp.Regexp, error) {
	if glob == "" {
		return nil, errors.New("the pattern is empty")
	}
	var b strings.Builder
	b.WriteString("(?s)^")
	for rest := glob; rest != ""; {
		c, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		switch c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteString(".")
		case '[':
			set, after, closed := strings.Cut(rest, "]")
			if !closed || set == "" || set == "!" {
				return nil, errors.New("a set has no end or is empty")
			}
			rest = after
			set, negated := strings.CutPrefix(set, "!")
			set = strings.NewReplacer(`\`, `\\`, "[", `\[`, "^", `\^`).Replace(set)
			if negated {
				set = "^" + set
			}
			b.WriteString("[" + set + "]")
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	re, err := regexp.Compile(b.String() + "$")
	if err != nil {
		return nil, errors.New("a set is not one")
	}
	return re, nil
}

func (g globs) match(name string) bool {
	return (len(g.include) == 0 || matchAny(g.include, name)) && !matchAny(g.exclude, name)
}

func matchAny(patterns []*regexp.Regexp, name string) bool {
	for _, p := range patterns {
		if p.MatchString(name) {
			return true
		}
	}
	return false
}
