package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// printJSON prints one object on one line.
func printJSON(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// writeError says where a report could not be written to.
func writeError(err error) error {
	if err != nil {
		err = fmt.Errorf("cannot write to the standard output: %w", err)
	}
	return err
}
