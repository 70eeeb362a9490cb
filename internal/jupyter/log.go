package jupyter

import (
	"bytes"
	"io"
)

// maxLog is how many lines a kernel logs at most: strangers are not to fill a disk
// by what is said of them.
const maxLog = 1000

// boundedLog writes lines as long as any are left.
type boundedLog struct {
	to   io.Writer
	left int
}

// Write is called by one log.Logger, which calls it once a line and never twice at
// the same time.
func (l *boundedLog) Write(line []byte) (int, error) {
	if l.left == 0 {
		return len(line), nil
	}
	l.left--
	if l.left == 0 {
		line = append(bytes.TrimRight(line, "\n"), "\n(the last line of the log: it is full)\n"...)
	}
	return l.to.Write(line)
}
