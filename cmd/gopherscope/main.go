// Command gopherscope probes the weights of models, measures kernels, and runs Go
// notebooks and serves them to Jupyter.
package main

import (
	"context"
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

// execute runs one command line and returns the exit status: 0 for success, 1
// for a failure, which was reported on stderr.
func execute(ctx context.Context, args []string, stdout, stderr *os.File) int {
	root := &cobra.Command{
		Use:           "gopherscope",
		Short:         "What structure do these weights have, and what does exploiting it buy on this machine?",
		Version:       fmt.Sprintf("%s, Go %s on %s/%s", kernelinfo.Version(), kernelinfo.GoVersion(), runtime.GOOS, runtime.GOARCH),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(commands(stdout, stderr)...)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(stderr, "gopherscope:", printable(message(err)))
		return 1
	}
	return 0
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
