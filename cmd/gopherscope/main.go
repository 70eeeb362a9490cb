// Command gopherscope runs Go notebooks and serves them to Jupyter.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
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
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(commands(stdout, stderr)...)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(stderr, "gopherscope:", err)
		return 1
	}
	return 0
}

// commands lists the verbs, one file each.
func commands(stdout, stderr *os.File) []*cobra.Command {
	return []*cobra.Command{
		runCommand(stdout, stderr),
		kernelCommand(stdout, stderr),
		benchCommand(stdout, stderr),
		cpuCommand(stdout),
	}
}
