package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rlx-go/gopherscope/internal/interp"
	"github.com/rlx-go/gopherscope/internal/jupyter"
	"github.com/rlx-go/gopherscope/internal/kernelinfo"
)

func kernelCommand(stdout, stderr *os.File) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kernel",
		Short: "Serve notebooks to Jupyter: install the kernel, list it, remove it",
		Long: `A Jupyter kernel runs the cells of a notebook. Install this one once, and
JupyterLab, Jupyter Notebook, VS Code and nbconvert offer it as "Go (gopherscope)".

Jupyter starts and stops the kernel by itself; nothing stays in the background.
The cells that were run are kept for the consoles' history, the newest 32 MB of
them, in gopherscope-history of the user's Jupyter data directory.`,
		Example: `  gopherscope kernel install
  jupyter lab notebooks/01-sparse.ipynb`,
	}
	cmd.AddCommand(kernelStart(stderr), kernelInstall(stdout, stderr), kernelUninstall(stdout), kernelList(stdout))
	return cmd
}

func kernelStart(stderr *os.File) *cobra.Command {
	return &cobra.Command{
		Use:   "start CONNECTION-FILE",
		Short: "Run the kernel, as Jupyter does",
		Long: `Run one kernel until the client asks it to end or goes away. Jupyter calls this
and writes the connection file: where to listen and how to sign.

SIGINT interrupts the running cell and keeps its variables; SIGTERM ends the kernel.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return startKernel(cmd.Context(), args[0], stderr)
		},
	}
}

// startKernel serves until a shutdown. The session is left to the end of the
// process: a cell that cannot be stopped must not hold it up.
func startKernel(ctx context.Context, file string, stderr *os.File) error {
	connection, err := jupyter.ReadConnection(file)
	if err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // kernels stay open for days beside others
	}
	// What is printed from here on goes to cells, and what is said of the kernel
	// itself to the log of who started it.
	stderr, err = interp.Keep(stderr)
	if err != nil {
		return err
	}
	session, err := interp.NewWithDescriptors()
	if err != nil {
		return err
	}
	// Without a home a kernel works too; it then forgets what was run.
	history, err := jupyter.HistoryDir()
	if err != nil {
		fmt.Fprintln(stderr, "gopherscope kernel: cells are not kept:", err)
	}
	kernel, err := jupyter.Listen(connection, session, history, stderr)
	if err != nil {
		return errors.Join(fmt.Errorf("connection file %s: %w", file, err), session.Close())
	}
	if ending, err := jupyter.OpenEnding(file); err != nil {
		fmt.Fprintln(stderr, "gopherscope kernel: what ends it can be told on stderr only:", err)
	} else {
		defer ending.Close()
		kernel.SetEnding(ending)
		if err := interp.NoteFatal(ending.File()); err != nil {
			return err
		}
		defer interp.NoteFatal(nil) // before the file is closed
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		for range interrupts {
			kernel.Interrupt()
		}
	}()
	// The context of the command line ends with SIGINT, and the kernel does not.
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, release := jupyter.WithParent(ctx)
	defer release()
	kernel.Serve(ctx)
	session.EndCommands()
	jupyter.EndGroup()
	return nil
}

// specLocation holds the flags that say which kernelspec is meant.
type specLocation struct {
	name, prefix    string
	user, sysPrefix bool
}

func (l *specLocation) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.name, "name", kernelinfo.Name, "name of the kernel, the one notebooks ask for")
	f.BoolVar(&l.user, "user", false, "for this user (the default)")
	f.BoolVar(&l.sysPrefix, "sys-prefix", false, "in the active conda or virtual environment")
	f.StringVar(&l.prefix, "prefix", "", "under `DIR`/share/jupyter")
	cmd.MarkFlagsMutuallyExclusive("user", "sys-prefix", "prefix")
}

func (l *specLocation) dataDir() (string, error) {
	switch {
	case l.prefix != "":
		return jupyter.PrefixDataDir(l.prefix), nil
	case l.sysPrefix:
		prefix, err := jupyter.SysPrefix()
		if err != nil {
			return "", err
		}
		return jupyter.PrefixDataDir(prefix), nil
	}
	return jupyter.UserDataDir()
}

func kernelInstall(stdout, stderr *os.File) *cobra.Command {
	var where specLocation
	var displayName string
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Make the kernel known to Jupyter",
		Long: `Write a kernelspec, which tells Jupyter how to start the kernel, with a copy of
this program beside it, and print what was written. Installing again replaces it.

Notebooks written for gophernotes ask for a kernel of that name: --name gophernotes
makes them open with this one.`,
		Example: `  gopherscope kernel install                       # for this user
  gopherscope kernel install --sys-prefix          # in the active conda or virtual environment
  gopherscope kernel install --prefix /usr/local   # for everybody
  gopherscope kernel install --name gophernotes`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := where.dataDir()
			if err != nil {
				return err
			}
			// A copy, since "go run" removes its program when it ends.
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("cannot find this program to copy it: %w", err)
			}
			files, err := jupyter.Install(dir, where.name, displayName, program)
			if err != nil {
				return err
			}
			for _, file := range files {
				fmt.Fprintln(stdout, file)
			}
			if dir, err = filepath.Abs(dir); err == nil && !slices.Contains(jupyter.DataDirs(), dir) {
				fmt.Fprintf(stderr, "Jupyter finds it if Jupyter is installed under the same prefix, or JUPYTER_PATH has %s\n", dir)
			}
			return nil
		},
	}
	where.register(cmd)
	cmd.Flags().StringVar(&displayName, "display-name", "", `name that menus show (default "Go (NAME)")`)
	return cmd
}

func kernelUninstall(stdout *os.File) *cobra.Command {
	var where specLocation
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove the kernel from Jupyter",
		Long: `Remove a kernelspec that "kernel install" wrote, with the copy of the program. The
flags are those it was installed with; "kernel list" shows what there is.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := where.dataDir()
			if err != nil {
				return err
			}
			removed, err := jupyter.Uninstall(dir, where.name)
			if err != nil {
				return err
			}
			fmt.Fprintln(stdout, "removed", removed)
			return nil
		},
	}
	where.register(cmd)
	return cmd
}

func kernelList(stdout *os.File) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Show where the kernel is installed",
		Long: `Show the kernelspecs of this program in the directories Jupyter looks in: those of
JUPYTER_PATH, the user's, the active environment's, the system's.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			specs, err := jupyter.List(jupyter.DataDirs())
			if err != nil {
				return err
			}
			if len(specs) == 0 {
				fmt.Fprintln(stdout, `The kernel is not installed where Jupyter looks; "gopherscope kernel install" does it.`)
				return nil
			}
			w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tDISPLAY NAME\tFOLDER")
			for _, s := range specs {
				fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, s.DisplayName, s.Dir)
			}
			return w.Flush()
		},
	}
}
