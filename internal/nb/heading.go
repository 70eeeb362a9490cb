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
// It maps each id in use to the number that the next heading of this text gets.
type headingIDs map[string]int

func (ids headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	base := strings.Join(strings.Fields(string(value)), "-")
	if base == "" {
		base = "section"
	}
	id, next := base, ids[base]
	for ids[id] != 0 {
		id = fmt.Sprintf("%s-%d", base, next)
		next++
	}
	ids[base] = next
	ids.Put([]byte(id))
	return []byte(id)
}

func (ids headingIDs) Put(value []byte) { ids[string(value)] = max(2, ids[string(value)]) }
