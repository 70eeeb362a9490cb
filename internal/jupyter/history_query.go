package jupyter

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// historyQuery is the content of a history request.
type historyQuery struct {
	AccessType string `json:"hist_access_type"`
	Output     bool   `json:"output"`
	Session    int    `json:"session"`
	Start      int    `json:"start"`
	Stop       *int   `json:"stop"`
	N          *int   `json:"n"`
	Pattern    string `json:"pattern"`
	Unique     bool   `json:"unique"`
}

// defaultTail is how many cells a request for the last ones gets when it does not
// say.
const defaultTail = 10

// find returns the cells that a request asks for, oldest first.
func (h *history) find(q historyQuery) ([]past, error) {
	switch q.AccessType {
	case "tail":
		n := defaultTail
		if q.N != nil {
			n = max(*q.N, 0)
		}
		return h.last(n, func(past) bool { return true }), nil
	case "search":
		n := -1
		if q.N != nil {
			n = max(*q.N, 0)
		}
		pattern, err := glob(q.Pattern)
		if err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		return h.last(n, func(cell past) bool {
			if !pattern.MatchString(cell.In) || q.Unique && seen[cell.In] {
				return false
			}
			seen[cell.In] = true
			return true
		}), nil
	case "range":
		return h.between(q), nil
	}
	return nil, fmt.Errorf("hist_access_type is %q, and it can be range, tail or search", q.AccessType)
}

// between returns cells of one session by execution count. Session 0 is this one,
// -1 the one before; negative ends count back from the last cell.
func (h *history) between(q historyQuery) []past {
	session := q.Session
	if session <= 0 {
		session += h.current()
	}
	cells := h.cells(session)
	if len(cells) == 0 {
		return nil
	}
	end := cells[len(cells)-1].Line + 1
	start, stop := q.Start, end
	if start < 0 {
		start += end
	}
	if q.Stop != nil {
		stop = *q.Stop
		if stop < 0 {
			stop += end
		}
	}
	return slices.DeleteFunc(cells, func(c past) bool { return c.Line < start || c.Line >= stop })
}

// glob makes an expression of a pattern, in which * is any text and ? any
// character, both also a line's end. Without a pattern everything matches.
func glob(pattern string) (*regexp.Regexp, error) {
	if pattern == "" {
		pattern = "*"
	}
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.ReplaceAll(quoted, `\*`, ".*")
	quoted = strings.ReplaceAll(quoted, `\?`, ".")
	re, err := regexp.Compile("(?s)^" + quoted + "$")
	if err != nil {
		return nil, errors.New("pattern: not UTF-8, or too long")
	}
	return re, nil
}
