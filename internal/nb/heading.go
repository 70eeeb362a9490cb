package nb

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// heading is an entry of the table of contents.
type heading struct {
	Level    int
	ID, Text string
}

// headingIDs makes the ids of headings as Jupyter does, so that a notebook's
// links to its own sections work here too: the text, with dashes for spaces.
type headingIDs map[string]bool

func (ids headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	base := strings.Join(strings.Fields(string(value)), "-")
	if base == "" {
		base = "section"
	}
	id := base
	for i := 2; ids[id]; i++ {
		id = fmt.Sprintf("%s-%d", base, i)
	}
	ids[id] = true
	return []byte(id)
}

func (ids headingIDs) Put(value []byte) { ids[string(value)] = true }
