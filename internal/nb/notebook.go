// Package nb reads, runs and writes Jupyter notebooks, and makes HTML pages of
// them that need nothing from the network.
package nb

import (
	"strings"

	"github.com/rlx-go/gopherscope/internal/display"
)

// Notebook is one .ipynb document of nbformat 4.
type Notebook struct {
	// Metadata is the notebook's own: kernelspec, language_info and what tools add.
	Metadata map[string]any
	Cells    []*Cell

	minor int            // nbformat_minor as read
	extra map[string]any // fields that nbformat 4.5 does not name
}

// The types of cells.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// Cell is one cell of a notebook.
type Cell struct {
	// Type is Code, Markdown or Raw.
	Type string
	// ID is unique in the notebook: 1 to 64 letters, digits, "-" and "_".
	ID       string
	Source   string
	Metadata map[string]any
	// Attachments maps a file name to its content by MIME type, in the form of
	// Output.Data; Markdown and Raw only.
	Attachments map[string]display.MIMEMap
	// ExecutionCount is the number of a Code cell in the order of execution, from
	// 1; 0 when it has not been run.
	ExecutionCount int
	// Outputs are a Code cell's, in order.
	Outputs []*Output

	extra map[string]any
}

// The types of outputs.
const (
	Stream        = "stream"
	DisplayData   = "display_data"
	ExecuteResult = "execute_result"
	ErrorOutput   = "error"
)

// Output is one output of a code cell.
type Output struct {
	// Type is Stream, DisplayData, ExecuteResult or ErrorOutput.
	Type string

	// Name is "stdout" or "stderr", and Text what was written; Stream only.
	Name, Text string

	// Data holds the same content in one or more MIME types: a string for text
	// types, base64 in a string for binary ones, a JSON value for JSON ones.
	// DisplayData and ExecuteResult only, as is Metadata.
	Data, Metadata display.MIMEMap
	// ExecutionCount is that of the cell; ExecuteResult only.
	ExecutionCount int

	// ErrorName, ErrorValue and Traceback (a line each, ANSI colours allowed)
	// belong to ErrorOutput.
	ErrorName, ErrorValue string
	Traceback             []string

	extra map[string]any
}

// Language returns the programming language that the notebook's metadata
// declares, in lower case, or "" when it declares none.
func (n *Notebook) Language() string {
	for _, field := range [][2]string{{"kernelspec", "language"}, {"language_info", "name"}} {
		section, _ := n.Metadata[field[0]].(map[string]any)
		if language, _ := section[field[1]].(string); language != "" {
			return strings.ToLower(language)
		}
	}
	return ""
}

// CodeCells returns how many cells Execute runs: the code cells that are not blank.
func (n *Notebook) CodeCells() int {
	count := 0
	for _, c := range n.Cells {
		if c.runs() {
			count++
		}
	}
	return count
}

// runs tells whether Execute runs the cell. Jupyter's clients skip blank cells
// too, without a number.
func (c *Cell) runs() bool {
	return c.Type == Code && strings.TrimSpace(c.Source) != ""
}

// tagged tells whether the cell carries a tag.
func (c *Cell) tagged(tag string) bool {
	tags, _ := c.Metadata["tags"].([]any)
	for _, t := range tags {
		if t == tag {
			return true
		}
	}
	return false
}
