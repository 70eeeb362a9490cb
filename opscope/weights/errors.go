package weights

import (
	"fmt"
	"strings"
)

// FormatError is a fault in a tensor file, or a failure to read it.
type FormatError struct {
	File   string
	Tensor string // "" if no one tensor is at fault
	Offset int64  // where the fault shows, in bytes from the start of the file
	Reason string
	Err    error // of the reader, if reading failed
}

// Unwrap returns Err.
func (e *FormatError) Unwrap() error { return e.Err }

func (e *FormatError) Error() string {
	if e.Tensor == "" {
		return fmt.Sprintf("%s: byte %d: %s", e.File, e.Offset, e.Reason)
	}
	return fmt.Sprintf("%s: byte %d: tensor %s: %s", e.File, e.Offset, quote(e.Tensor), e.Reason)
}

// quote quotes a string out of a file for a message. It cuts a long one: a name may
// fill the whole header.
func quote(s string) string {
	const most = 100
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q...", strings.ToValidUTF8(s[:most], ""))
}

// shapeString writes a shape as [2, 3]. It cuts a long one.
func shapeString(shape []int) string {
	const most = 8
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range shape {
		if i == most {
			fmt.Fprintf(&b, ", ... %d axes", len(shape))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d", d)
	}
	b.WriteByte(']')
	return b.String()
}
