package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rlx-go/gopherscope/accel"
)

// tryFlag is the hidden flag with which this program calls itself to try a library.
const tryFlag = "try"

// The exit statuses of that call other than 0; anything else is that the library
// ended the process.
const (
	exitUsage   = 1
	exitRefused = 86
)

// tryTime is how long a library may take to be loaded and to multiply small matrices.
var tryTime = 20 * time.Second

// tryInChild opens a library in a process of its own, so that one that crashes or
// hangs is an error.
func tryInChild(library, file string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("it cannot be tried: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), tryTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "cpu", "--"+tryFlag, library, file)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("the process that tried it was not done after %v", tryTime)
	case errors.As(err, &exit) && exit.ExitCode() == exitRefused:
		return errors.New(strings.TrimSpace(stdout.String()))
	case errors.As(err, &exit):
		return fmt.Errorf("it ended the process that tried it: %s", lastWords(stderr.String(), exit.Error()))
	}
	return fmt.Errorf("it cannot be tried: %w", err)
}

// lastWords returns what a process printed before the trace of a crash, on one line;
// otherwise what is known of its end.
func lastWords(stderr, end string) string {
	var words []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "PC=") || strings.HasPrefix(line, "goroutine ") || len(words) == 3 {
			break
		}
		if line != "" {
			words = append(words, printable(line))
		}
	}
	if words == nil {
		return end
	}
	return strings.Join(words, "; ")
}

// tryLibrary is the child's part: it prints why the library is refused.
func tryLibrary(stdout io.Writer, library, file string) {
	if err := accel.SetThreads(1); err != nil {
		fmt.Fprintln(stdout, err)
		os.Exit(exitUsage)
	}
	if err := accel.Try(library, file); err != nil {
		fmt.Fprintln(stdout, err)
		os.Exit(exitRefused)
	}
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
