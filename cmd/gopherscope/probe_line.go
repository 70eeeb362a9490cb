package main

import "github.com/rlx-go/gopherscope/opscope"

// lineFormat is the version of the JSON lines. It changes when a program that reads
// them would have to.
const lineFormat = 1

// probeLine is what a JSON line says of one matrix, or of a tensor that is none.
type probeLine struct {
	Format int    `json:"format"`
	Path   string `json:"path"` // as named on the command line
	File   string `json:"file"` // the part of the model
	// Tensor is the name, with [e] for expert e of a stack.
	Tensor string `json:"tensor"`
	DType  string `json:"dtype"`
	// Shape is the tensor's, all of a stack.
	Shape []int `json:"shape"`
	// Elements and Bytes are those of the matrix, a fair share of a stack.
	Elements int64 `json:"elements"`
	Bytes    int64 `json:"bytes"`
	// Layout is "out,in" or "in,out", and LayoutWhy how it is known.
	Layout    string `json:"layout,omitempty"`
	LayoutWhy string `json:"layout_why,omitempty"`
	// Status is one of the constants, and Reason why it is not statusProbed.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// TiedTo is the tensor that has the same bytes.
	TiedTo string `json:"tied_to,omitempty"`
	// Profile is what was measured, Budget the largest error allowed, and Choices
	// the actions within it, the recommended one first.
	Profile *opscope.Profile `json:"profile,omitempty"`
	Budget  float64          `json:"budget,omitempty"`
	Choices []opscope.Choice `json:"choices,omitempty"`
}

const (
	statusProbed  = "probed"
	statusSkipped = "skipped" // not a matrix, or not decoded
	statusTied    = "tied"    // the same bytes as another tensor
	statusFailed  = "failed"  // could not be read
)

// choice is the recommended action of a line that has a profile.
func (l *probeLine) choice() opscope.Choice { return l.Choices[0] }
