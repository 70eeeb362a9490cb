package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rlx-go/gopherscope/accel"
)

// tryFlag is the hidden flag with which this program calls itself to try a library.
const tryFlag = "try"

// tried precedes, in the output of that call, the reason why the library is refused,
// or nothing if it can be used: the library too may print. Without it the library
// ended the process.
const tried = "\x00tried: "

// tryTime is how long a library may take to be loaded and to multiply small matrices.
var tryTime = 20 * time.Second

// tryInChild opens a library in a process of its own, so that one that crashes or
// hangs is an error.
func tryInChild(library, file string, threads int) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("it cannot be tried: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), tryTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "cpu", "--"+tryFlag, "--", library, file, strconv.Itoa(threads))
	var stdout, stderr tail
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	reason, done := stdout.after(tried)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the process that tried it was not done after %v", tryTime)
	case cmd.ProcessState == nil:
		return fmt.Errorf("it cannot be tried: %w", err)
	case !done:
		return fmt.Errorf("it ended the process that tried it: %s", lastWords(stderr.String(), cmd.ProcessState.String()))
	case reason != "":
		return errors.New(reason)
	case errors.Is(err, exec.ErrWaitDelay):
		return errors.New("it started a process that goes on")
	}
	return err
}

// tail is a writer that keeps the end of what is written.
type tail struct{ end bytes.Buffer }

// maxTail is how much of the end is kept, in bytes.
const maxTail = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.end.Write(p[max(0, len(p)-maxTail):])
	t.end.Next(max(0, t.end.Len()-maxTail))
	return len(p), nil
}

func (t *tail) String() string { return t.end.String() }

// after returns the text after the last place where a mark is.
func (t *tail) after(mark string) (text string, ok bool) {
	i := strings.LastIndex(t.String(), mark)
	if i < 0 {
		return "", false
	}
	return t.String()[i+len(mark):], true
}

// lastWords returns the last lines that a process printed before the trace of a crash,
// as one; otherwise what is known of its end.
func lastWords(stderr, end string) string {
	const lines, length = 3, 200
	var words []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "PC=") || strings.HasPrefix(line, "goroutine ") {
			break
		}
		if line != "" {
			words = append(words, printable(line[:min(length, len(line))]))
		}
	}
	if words == nil {
		return end
	}
	return strings.Join(words[max(0, len(words)-lines):], "; ")
}

// tryLibrary is the child's part.
func tryLibrary(stdout io.Writer, library, file, threads string) error {
	n, err := strconv.Atoi(threads)
	if err != nil {
		return err
	}
	reason := errorText(accel.Try(library, file, n))
	_, err = io.WriteString(stdout, tried+reason)
	return err
}

// accelLibrary is what is reported of a library.
type accelLibrary struct {
	Name    string        `json:"name"`
	File    string        `json:"file"`
	Version string        `json:"version"`
	Core    string        `json:"core"` // the processor or instructions it chose its code for
	Threads int           `json:"threads"`
	Schemes []accelScheme `json:"schemes"`
	Error   string        `json:"error"` // why it is not used, "" if it is
}

type accelScheme struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

func accelLibraries() []accelLibrary {
	var all []accelLibrary
	for _, l := range accel.Available() {
		a := accelLibrary{Name: l.Name, File: l.File, Version: l.Version, Core: l.Core, Threads: l.Threads, Schemes: []accelScheme{}, Error: errorText(l.Err)}
		for _, s := range l.Schemes {
			a.Schemes = append(a.Schemes, accelScheme{s.Name, errorText(s.Err)})
		}
		all = append(all, a)
	}
	return all
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func printAccel(out *tabwriter.Writer, libraries []accelLibrary) {
	fmt.Fprint(out, "\nLIBRARY\tVERSION\tCODE FOR\tTHREADS\tFILE\n")
	for _, l := range libraries {
		if l.Error == "" {
			fmt.Fprintf(out, "%s\t%s\t%s\t%d\t%s\n", l.Name, orDash(l.Version), orDash(l.Core), l.Threads, l.File)
		}
	}
	out.Flush() // long reasons do not widen the columns
	for _, l := range libraries {
		var usable, refused []string
		for _, s := range l.Schemes {
			if s.Error == "" {
				usable = append(usable, s.Name)
			} else {
				refused = append(refused, fmt.Sprintf("%s is not used: %s", s.Name, printable(s.Error)))
			}
		}
		if l.Error != "" {
			refused = append(refused, fmt.Sprintf("%s is not used: %s", l.Name, printable(strings.TrimPrefix(l.Error, "accel: "+l.Name+": "))))
		} else {
			fmt.Fprintf(out, "%s: %s\n", l.Name, strings.Join(usable, " "))
		}
		for _, r := range refused {
			fmt.Fprintln(out, strings.ReplaceAll(r, "\n", "\n  "))
		}
	}
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return printable(text)
}
