package weights

import (
	"bytes"
	"fmt"
	"math"
	"unicode/utf8"
)

// jsonReader reads JSON (RFC 8259) value by value, from text that is UTF-8. Unlike
// encoding/json it refuses a key that comes twice and half a surrogate pair, and it
// makes nothing but what is asked for, so a header of 100,000 tensors is read at once.
type jsonReader struct {
	src    *source
	text   []byte
	pos    int
	start  int64  // of text in the file
	what   string // text is, in errors
	tensor string // being read, in errors
}

// What this package has no use for must be small: its values may be nested only so deep,
// and one object may have only so many members.
const (
	maxDepth   = 64
	maxMembers = 1 << 16
)

// fail makes an error at the place that has been read up to.
func (r *jsonReader) fail(format string, args ...any) error {
	return &FormatError{File: r.src.name, Tensor: r.tensor, Offset: r.start + int64(r.pos),
		Reason: fmt.Sprintf(format, args...)}
}

// unexpected makes an error about the byte that comes next.
func (r *jsonReader) unexpected(want string) error {
	if r.pos == len(r.text) {
		return r.fail("%s is not JSON: unexpected end of JSON input", r.what)
	}
	c, _ := utf8.DecodeRune(r.text[r.pos:])
	return r.fail("%s is not JSON: %q where %s should be", r.what, c, want)
}

// next skips white space and returns the byte after it, 0 at the end.
func (r *jsonReader) next() byte {
	for ; r.pos < len(r.text); r.pos++ {
		switch c := r.text[r.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// document reads an object that is the whole text, but for white space after it.
func (r *jsonReader) document(member func(key string) error) error {
	if err := r.object(r.what, math.MaxInt, member); err != nil {
		return err
	}
	r.next()
	if r.pos < len(r.text) {
		return r.fail("%s goes on after its JSON object", r.what)
	}
	return nil
}

// object reads an object of at most so many members, calling member to read each value.
func (r *jsonReader) object(what string, most int, member func(key string) error) error {
	if c := r.next(); c != '{' {
		return r.wrongKind(what, "does not begin with {")
	}
	r.pos++
	if r.next() == '}' {
		r.pos++
		return nil
	}
	var seen keySet
	for n := 0; ; n++ {
		if n == most {
			return r.fail("%s has more than %d members", what, most)
		}
		if r.next() != '"' {
			return r.unexpected("a key")
		}
		key, err := r.string("a key")
		if err != nil {
			return err
		}
		if !seen.add(key) {
			return r.fail("%s has the key %s twice", what, quote(key))
		}
		if r.next() != ':' {
			return r.unexpected("a colon")
		}
		r.pos++
		if err := member(key); err != nil {
			return err
		}
		switch r.next() {
		case ',':
			r.pos++
		case '}':
			r.pos++
			return nil
		default:
			return r.unexpected("a comma or }")
		}
	}
}

// array reads an array, calling element to read each value.
func (r *jsonReader) array(what string, element func() error) error {
	if c := r.next(); c != '[' {
		return r.wrongKind(what, "does not begin with [")
	}
	r.pos++
	if r.next() == ']' {
		r.pos++
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		switch r.next() {
		case ',':
			r.pos++
		case ']':
			r.pos++
			return nil
		default:
			return r.unexpected("a comma or ]")
		}
	}
}

// wrongKind makes an error about a value of another kind than wanted.
func (r *jsonReader) wrongKind(what, fault string) error {
	if r.pos == len(r.text) {
		return r.unexpected("")
	}
	return r.fail("%s %s", what, fault)
}

// skip reads a value of any kind and drops it.
func (r *jsonReader) skip(depth int) error {
	if depth > maxDepth {
		return r.fail("values are nested more than %d deep", maxDepth)
	}
	switch c := r.next(); c {
	case '[':
		return r.array("", func() error { return r.skip(depth + 1) })
	case '{':
		return r.object("a nested object", maxMembers, func(string) error { return r.skip(depth + 1) })
	case '"':
		_, err := r.string("")
		return err
	case 't', 'f', 'n':
		for _, word := range []string{"true", "false", "null"} {
			if bytes.HasPrefix(r.text[r.pos:], []byte(word)) {
				r.pos += len(word)
				return nil
			}
		}
		return r.unexpected("a value")
	default:
		return r.skipNumber()
	}
}
