package weights

import "bytes"

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
