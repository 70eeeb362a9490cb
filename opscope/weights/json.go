package weights

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
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

// string reads a string.
func (r *jsonReader) string(what string) (string, error) {
	if r.next() != '"' {
		return "", r.wrongKind(what, "is not a string")
	}
	r.pos++
	begin := r.pos
	for ; r.pos < len(r.text); r.pos++ {
		switch c := r.text[r.pos]; {
		case c == '"':
			s := r.text[begin:r.pos]
			r.pos++
			if known, ok := commonStrings[string(s)]; ok {
				return known, nil
			}
			return string(s), nil
		case c == '\\':
			return r.escaped(append([]byte(nil), r.text[begin:r.pos]...))
		case c < ' ':
			return "", r.unexpected("a character of a string")
		}
	}
	return "", r.unexpected("")
}

// escaped reads the rest of a string that begins with s and goes on with a backslash.
func (r *jsonReader) escaped(s []byte) (string, error) {
	for r.pos < len(r.text) {
		c := r.text[r.pos]
		switch {
		case c == '"':
			r.pos++
			return string(s), nil
		case c < ' ':
			return "", r.unexpected("a character of a string")
		case c != '\\':
			s = append(s, c)
			r.pos++
			continue
		}
		r.pos++
		if r.pos == len(r.text) {
			break
		}
		if r.text[r.pos] == 'u' {
			c, err := r.unicode()
			if err != nil {
				return "", err
			}
			s = utf8.AppendRune(s, c)
			continue
		}
		place := bytes.IndexByte([]byte(`"\/bfnrt`), r.text[r.pos])
		if place < 0 {
			return "", r.unexpected("an escape")
		}
		s = append(s, "\"\\/\b\f\n\r\t"[place])
		r.pos++
	}
	return "", r.unexpected("")
}

// unicode reads uXXXX, or uXXXX\uXXXX for a pair of surrogates.
func (r *jsonReader) unicode() (rune, error) {
	hex := func() (rune, error) {
		r.pos++
		if len(r.text)-r.pos < 4 {
			r.pos = len(r.text)
			return 0, r.unexpected("")
		}
		n, err := strconv.ParseUint(string(r.text[r.pos:r.pos+4]), 16, 16)
		if err != nil {
			return 0, r.unexpected("four hexadecimal digits")
		}
		r.pos += 4
		return rune(n), nil
	}
	c, err := hex()
	if err != nil || !utf16.IsSurrogate(c) {
		return c, err
	}
	if bytes.HasPrefix(r.text[r.pos:], []byte(`\u`)) {
		r.pos++
		low, err := hex()
		if err != nil {
			return 0, err
		}
		c = utf16.DecodeRune(c, low)
	} else {
		c = utf8.RuneError
	}
	if c == utf8.RuneError {
		return 0, r.fail("%s is not JSON: half a surrogate pair", r.what)
	}
	return c, nil
}

// number reads a whole number below 2^width, width at most 63.
func (r *jsonReader) number(what string, width int) (int64, error) {
	if c := r.next(); c != '-' && (c < '0' || c > '9') {
		return 0, r.wrongKind(what, "holds something that is not a number")
	}
	begin := r.pos
	var n uint64
	whole := true
	for ; r.pos < len(r.text); r.pos++ {
		c := r.text[r.pos]
		if c == ',' || c == ']' || c == '}' || c <= ' ' {
			break
		}
		digit := uint64(c - '0')
		whole = whole && c >= '0' && c <= '9' && n <= (1<<width-1-digit)/10
		n = 10*n + digit
	}
	token := r.text[begin:r.pos]
	if !whole || len(token) > 1 && token[0] == '0' {
		return 0, r.fail("%s holds %s, which is not a whole number from 0 to 2^%d-1", what, quote(string(token)), width)
	}
	return int64(n), nil
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

// skipNumber reads a number of any kind and drops it.
func (r *jsonReader) skipNumber() error {
	accept := func(chars string) bool {
		if r.pos < len(r.text) && bytes.IndexByte([]byte(chars), r.text[r.pos]) >= 0 {
			r.pos++
			return true
		}
		return false
	}
	digits := func() error {
		if !accept("0123456789") {
			return r.unexpected("a value")
		}
		for accept("0123456789") {
		}
		return nil
	}
	accept("-")
	if !accept("0") {
		if err := digits(); err != nil {
			return err
		}
	}
	if accept(".") {
		if err := digits(); err != nil {
			return err
		}
	}
	if accept("eE") {
		accept("+-")
		return digits()
	}
	return nil
}

// commonStrings are those that most headers repeat, so that they are made once.
var commonStrings = func() map[string]string {
	m := map[string]string{"dtype": "dtype", "shape": "shape", "data_offsets": "data_offsets"}
	for d := range dtypes {
		m[string(d)] = string(d)
	}
	return m
}()

// keySet holds the keys of an object: a few in place, more in a map.
type keySet struct {
	few  [4]string
	n    int
	more map[string]struct{}
}

// add adds a key and reports whether it is new.
func (s *keySet) add(key string) bool {
	for _, k := range s.few[:s.n] {
		if k == key {
			return false
		}
	}
	if s.n < len(s.few) {
		s.few[s.n] = key
		s.n++
		return true
	}
	if _, twice := s.more[key]; twice {
		return false
	}
	if s.more == nil {
		s.more = make(map[string]struct{})
	}
	s.more[key] = struct{}{}
	return true
}
