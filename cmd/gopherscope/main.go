// Command gopherscope probes the weights of models, measures kernels, and runs Go
// notebooks and serves them to Jupyter.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/rlx-go/gopherscope/accel"
	"github.com/rlx-go/gopherscope/internal/kernelinfo"
)

func main() {
	accel.TryFirst(tryInChild)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The exit statuses.
const (
	statusOK      = 0
	statusFailure = 1
	statusUsage   = 2 // the command line is wrong; nothing was done
)

// usageError is a fault of the command line that a command finds itself.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// asUsage makes an error, which is not nil, one of the command line.
func asUsage(err error) error { return usageError{err} }

// execute runs one command line, reports on stderr what goes wrong, and returns the exit
// status.
func execute(ctx context.Context, args []string, stdout, stderr *os.File) int {
	root := &cobra.Command{
		Use:   "gopherscope",
		Short: "What structure do these weights have, and what does exploiting it buy on this machine?",
		Long: `What structure do these weights have, and what does exploiting it buy on this machine?

To begin, look at a model, find out what its weights allow, and see how fast that is here:

  gopherscope ls model.safetensors
  gopherscope probe model.safetensors
  gopherscope bench kernels

or make the kernel known to Jupyter and open a notebook: gopherscope kernel install.

Exit status of every command: 0 for success; 1 for a failure, which its help describes;
2 when the command line is wrong, and nothing was done.`,
		Version:       fmt.Sprintf("%s, Go %s on %s/%s", kernelinfo.Version(), kernelinfo.GoVersion(), runtime.GOOS, runtime.GOARCH),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(commands(stdout, stderr)...)
	refuseUnknownCommands(root)
	begun := false
	onRun(root, func() { begun = true })
	err := root.ExecuteContext(ctx)
	if err == nil {
		return statusOK
	}
	fmt.Fprintln(stderr, "gopherscope:", printable(message(err)))
	// What fails before a command begins is its name, a flag or an argument.
	if usage := (usageError{}); !begun || errors.As(err, &usage) {
		return statusUsage
	}
	return statusFailure
}

// onRun has f called when a command below parent begins, which is not when its command
// line has something empty.
func onRun(parent *cobra.Command, f func()) {
	for _, cmd := range parent.Commands() {
		if run := cmd.RunE; run != nil {
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				if err := refuseEmpty(cmd, args); err != nil {
					return err
				}
				f()
				return run(cmd, args)
			}
		}
		onRun(cmd, f)
	}
}

// libraryPrefix is the name of the package that its errors begin with, which is of no
// use to who runs a command.
var libraryPrefix = regexp.MustCompile(`(?m)^opscope: `)

// message is the text of an error, or of several that are joined, for people.
func message(err error) string { return libraryPrefix.ReplaceAllString(err.Error(), "") }

// commands lists the verbs.
func commands(stdout, stderr *os.File) []*cobra.Command {
	return []*cobra.Command{
		runCommand(stdout, stderr),
		kernelCommand(stdout, stderr),
		buildCommand(stderr),
		benchCommand(stdout, stderr),
		reportCommand(stdout, stderr),
		cpuCommand(stdout),
		probeCommand(stdout, stderr),
		lsCommand(stdout),
		diffCommand(stdout, stderr),
	}
}

// printable escapes what a terminal would not print as it stands, since an error
// may quote the name or the content of a hostile file. Line ends and tabs stay.
func printable(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
