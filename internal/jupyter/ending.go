package jupyter

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Ending is a file that a kernel leaves when something ends it that it cannot
// tell its clients of, for the kernel that the launcher then starts in its place:
// a line with the cell that runs, if one does, and the line that the end left.
type Ending struct {
	file   *os.File
	before string // what the kernel before left, until a client was told
}

// maxEnding bounds what is read of the kernel before, in bytes.
const maxEnding = 4 << 10

// OpenEnding reads what the last kernel of a connection file left, and begins
// anew. The file is beside the connection file, with a name that clients who look
// for connection files do not find.
func OpenEnding(connectionFile string) (*Ending, error) {
	dir, name := filepath.Split(connectionFile)
	path := filepath.Join(dir, "."+name+".ending")
	e := &Ending{}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", path)
	default:
		old, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(io.LimitReader(old, maxEnding))
		if err := errors.Join(err, old.Close(), os.Remove(path)); err != nil {
			return nil, err
		}
		e.before = string(text)
	}
	var err error
	e.file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	return e, err
}

// File is where the line of what ends the process is to go.
func (e *Ending) File() *os.File { return e.file }

// Close is for a kernel that ends because it was asked to.
func (e *Ending) Close() error { return errors.Join(e.file.Close(), os.Remove(e.file.Name())) }

// printable is text with escapes for what a page or a terminal would not show, or
// would obey.
func printable(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// begin notes the cell that runs.
func (e *Ending) begin(cell string) error {
	if e == nil {
		return nil
	}
	if err := e.end(); err != nil {
		return err
	}
	_, err := e.file.WriteString(cell + "\n")
	return err
}

// end notes that no cell runs.
func (e *Ending) end() error {
	if e == nil {
		return nil
	}
	return e.file.Truncate(0)
}

// tell returns, once, what ended the kernel before, or "" when nothing did.
func (e *Ending) tell() string {
	if e == nil || e.before == "" {
		return ""
	}
	cell, reason, _ := strings.Cut(e.before, "\n")
	if !strings.HasPrefix(cell, "In[") {
		cell, reason = "", e.before
	}
	e.before = ""
	reason, _, _ = strings.Cut(reason, "\n")
	cell, reason = printable(cell), printable(reason)
	while := ""
	if cell != "" {
		while = " while " + cell + " ran"
	}
	if reason == "" {
		return fmt.Sprintf("The kernel before this one was killed%s: by the system if memory ran out, or by a restart. Its variables are gone.\n", while)
	}
	return fmt.Sprintf("The kernel before this one ended%s: %s. Its variables are gone; its last words are in the log of the Jupyter server.\n", while, reason)
}
