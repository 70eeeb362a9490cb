package jupyter

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rlx-go/gopherscope/internal/atomicfile"
)

// Bounds of what is kept of the cells that were run, in bytes but for the number
// of sessions.
const (
	maxHistory        = 32 << 20 // of all sessions; the oldest go
	maxHistorySession = 4 << 20  // of one session; its oldest half goes
	maxHistoryCell    = 256 << 10
	maxHistoryOutput  = 8 << 10
	maxSessions       = 1000
)

// HistoryDir returns the folder in which kernels keep the cells that a user ran:
// gopherscope-history in the user's Jupyter data directory.
func HistoryDir() (string, error) {
	dir, err := UserDataDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "gopherscope-history"), nil
}

// history keeps cells across sessions, in a folder with one file a session:
// kernels that run side by side need no lock. It is the executor's own.
type history struct {
	dir string // empty: nothing is kept
	log *log.Logger

	session int      // number of this session, 0 before its first cell
	file    *os.File // of this session
	size    int      // of file
}

// past is one cell that was run.
type past struct {
	session int
	Line    int     `json:"line"` // the execution count
	In      string  `json:"in"`
	Out     *string `json:"out,omitempty"` // the result as text, nil when there is none
}

const historySuffix = ".jsonl"

func (h *history) path(session int) string {
	return filepath.Join(h.dir, strconv.Itoa(session)+historySuffix)
}

// add keeps a cell. A history that cannot be written ends, and the log says why:
// the cell itself ran.
func (h *history) add(cell past) {
	if h.dir == "" || len(cell.In) > maxHistoryCell || strings.TrimSpace(cell.In) == "" {
		return
	}
	if cell.Out != nil && len(*cell.Out) > maxHistoryOutput {
		cell.Out = nil
	}
	if err := h.write(cell); err != nil {
		h.log.Printf("cells are no longer kept in %s: %v", h.dir, err)
		h.dir = ""
	}
}

func (h *history) write(cell past) error {
	line, err := json.Marshal(cell)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if h.file == nil {
		if err := h.begin(); err != nil {
			return err
		}
	}
	if h.size+len(line) > maxHistorySession {
		if err := h.shorten(); err != nil {
			return err
		}
	}
	n, err := h.file.Write(line)
	h.size += n
	return err
}

// begin makes the file of this session. The number is taken by whoever makes the
// file first.
func (h *history) begin() error {
	// What cells hold is nobody else's to read.
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return err
	}
	for {
		sessions := h.sessions()
		h.prune(sessions)
		next := 1
		if len(sessions) > 0 {
			next = sessions[0] + 1
		}
		f, err := os.OpenFile(h.path(next), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		h.session, h.file, h.size = next, f, 0
		return nil
	}
}

// shorten drops the older half of this session.
func (h *history) shorten() error {
	data, err := os.ReadFile(h.path(h.session))
	if err != nil {
		return err
	}
	data = data[len(data)/2:]
	data = data[bytes.IndexByte(data, '\n')+1:]
	if err := h.file.Close(); err != nil {
		return err
	}
	if err := atomicfile.Write(h.path(h.session), data); err != nil {
		return err
	}
	f, err := os.OpenFile(h.path(h.session), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	h.file, h.size = f, len(data)
	return f.Chmod(0o600)
}

// sessions lists the sessions that are kept, newest first.
func (h *history) sessions() (numbers []int) {
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), historySuffix)
		if n, err := strconv.Atoi(name); ok && err == nil && n > 0 && strconv.Itoa(n) == name {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	slices.Reverse(numbers)
	return numbers
}

// prune removes the oldest sessions beyond what is to be kept.
func (h *history) prune(newestFirst []int) {
	total := int64(0)
	for i, n := range newestFirst {
		if info, err := os.Stat(h.path(n)); err == nil {
			total += info.Size()
		}
		if i >= maxSessions-1 || total > maxHistory {
			os.Remove(h.path(n)) // another kernel may have
		}
	}
}

// cells reads a session, oldest first. Lines that are no cells, such as one that
// a crash cut short, are left out.
func (h *history) cells(session int) (list []past) {
	f, err := os.Open(h.path(session))
	if err != nil {
		return nil
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, maxHistorySession+maxHistoryCell))
	for line := range bytes.Lines(data) {
		cell := past{session: session}
		if json.Unmarshal(line, &cell) == nil && cell.In != "" {
			cell.session = session
			list = append(list, cell)
		}
	}
	return list
}

// last returns the newest limit cells that are wanted, oldest first; all of them
// with a negative limit.
func (h *history) last(limit int, wanted func(past) bool) (found []past) {
	for _, session := range h.sessions() {
		for _, cell := range slices.Backward(h.cells(session)) {
			if len(found) == limit {
				break
			}
			if wanted(cell) {
				found = append(found, cell)
			}
		}
	}
	slices.Reverse(found)
	return found
}

// current is the number of this session, also when it has no cells yet.
func (h *history) current() int {
	if h.session > 0 {
		return h.session
	}
	if sessions := h.sessions(); len(sessions) > 0 {
		return sessions[0] + 1
	}
	return 1
}
