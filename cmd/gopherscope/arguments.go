package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// refuseUnknownCommands makes each command that only has others below it show its help,
// and take a name that is none of them for an error. cobra's own commands help and
// completion show a help for it instead, as if all was well.
func refuseUnknownCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var below func(*cobra.Command)
	below = func(cmd *cobra.Command) {
		if cmd.Name() == "help" {
			cmd.Args = func(_ *cobra.Command, args []string) error {
				topic, rest, err := root.Find(args)
				if err != nil {
					return err
				}
				return noArguments(topic, rest)
			}
		} else if cmd.HasSubCommands() {
			cmd.Args = noArguments
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
		for _, c := range cmd.Commands() {
			below(c)
		}
	}
	below(root)
}

// noArguments is cobra.NoArgs with the suggestions that cobra makes at the root only.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2 // of letters
	if like := cmd.SuggestionsFor(args[0]); args[0] != "" && len(like) > 0 {
		text += "; did you mean " + strings.Join(like, " or ") + "?"
	}
	return errors.New(text)
}

// refuseEmpty refuses arguments and values of flags that are empty, as those of a script
// whose variable is not set: no command has a use for them.
func refuseEmpty(cmd *cobra.Command, args []string) error {
	if i := slices.Index(args, ""); i >= 0 {
		return fmt.Errorf("argument %d is empty", i+1)
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.String() == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values := list.GetSlice()
			empty = len(values) == 0 || slices.Contains(values, "")
		}
		if empty && err == nil {
			err = fmt.Errorf("--%s: the value is empty", f.Name)
		}
	})
	return err
}
