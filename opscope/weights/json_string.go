package weights

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

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

// commonStrings are those that most headers repeat, so that they are made once.
var commonStrings = func() map[string]string {
	m := map[string]string{"dtype": "dtype", "shape": "shape", "data_offsets": "data_offsets"}
	for d := range dtypes {
		m[string(d)] = string(d)
	}
	return m
}()
