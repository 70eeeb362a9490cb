package nb

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/rlx-go/gopherscope/internal/display"
)

// Encode returns the notebook as an nbformat 4.5 document, laid out as
// Jupyter's own writer does: keys sorted, an indent of one space, texts as lists
// of lines. A notebook of a later minor version keeps its number.
func (n *Notebook) Encode() ([]byte, error) {
	n.fillIDs()
	doc := maps.Clone(orEmpty(n.extra))
	cells := make([]any, len(n.Cells))
	for i, c := range n.Cells {
		cells[i] = c.encode()
	}
	doc["cells"] = cells
	doc["metadata"] = orEmpty(n.Metadata)
	doc["nbformat"] = 4
	doc["nbformat_minor"] = max(5, n.minor)

	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(doc); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (c *Cell) encode() map[string]any {
	m := maps.Clone(orEmpty(c.extra))
	m["cell_type"] = c.Type
	m["id"] = c.ID
	m["metadata"] = orEmpty(c.Metadata)
	m["source"] = splitLines(c.Source)
	if c.Type == Code {
		outputs := make([]any, len(c.Outputs))
		for i, o := range c.Outputs {
			outputs[i] = o.encode()
		}
		m["execution_count"] = orNull(c.ExecutionCount)
		m["outputs"] = outputs
	} else if c.Attachments != nil {
		attachments := map[string]any{}
		for name, bundle := range c.Attachments {
			attachments[name] = encodeBundle(bundle)
		}
		m["attachments"] = attachments
	}
	return m
}

func (o *Output) encode() map[string]any {
	m := maps.Clone(orEmpty(o.extra))
	m["output_type"] = o.Type
	switch o.Type {
	case Stream:
		m["name"] = o.Name
		m["text"] = splitLines(o.Text)
	case DisplayData, ExecuteResult:
		m["data"] = encodeBundle(o.Data)
		m["metadata"] = orEmpty(o.Metadata)
		if o.Type == ExecuteResult {
			m["execution_count"] = orNull(o.ExecutionCount)
		}
	case ErrorOutput:
		m["ename"] = o.ErrorName
		m["evalue"] = o.ErrorValue
		m["traceback"] = append([]string{}, o.Traceback...)
	}
	return m
}

func encodeBundle(bundle display.MIMEMap) map[string]any {
	m := map[string]any{}
	for mime, v := range bundle {
		if s, ok := v.(string); ok && inLines(mime) {
			m[mime] = splitLines(s)
		} else {
			m[mime] = v
		}
	}
	return m
}

// inLines tells whether Jupyter's writer writes content of a MIME type as a list
// of lines. Other strings, XML among them, it writes as they are.
func inLines(mime string) bool {
	return strings.HasPrefix(mime, "text/") || mime == display.MIMETypeJavaScript || mime == display.MIMETypeSVG
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func orNull(count int) any {
	if count == 0 {
		return nil
	}
	return count
}

// splitLines splits a text after each line end that Python's str.splitlines
// knows, because Jupyter writes texts so.
func splitLines(s string) []string {
	lines := []string{}
	for s != "" {
		end := strings.IndexAny(s, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		switch {
		case end < 0:
			end = len(s)
		case strings.HasPrefix(s[end:], "\r\n"):
			end += 2
		case strings.HasPrefix(s[end:], "\u0085"):
			end += len("\u0085")
		case strings.HasPrefix(s[end:], "\u2028"), strings.HasPrefix(s[end:], "\u2029"):
			end += len("\u2028")
		default:
			end++
		}
		lines = append(lines, s[:end])
		s = s[end:]
	}
	return lines
}

// fillIDs gives an id to each cell that has none that is valid and its own. It
// is made from the cell's type and source, so that the same notebook always gets
// the same ids and inserting a cell does not change those of others.
func (n *Notebook) fillIDs() {
	used := map[string]bool{}
	var without []*Cell
	for _, c := range n.Cells {
		if validID(c.ID) && !used[c.ID] {
			used[c.ID] = true
		} else {
			without = append(without, c)
		}
	}
	repeats := map[string]int{}
	for _, c := range without {
		sum := sha256.Sum256([]byte(c.Type + "\n" + c.Source))
		base := hex.EncodeToString(sum[:4])
		id := base
		for used[id] {
			repeats[base]++
			id = fmt.Sprintf("%s-%d", base, repeats[base]+1)
		}
		used[id] = true
		c.ID = id
	}
}

func validID(id string) bool {
	if len(id) < 1 || len(id) > 64 {
		return false
	}
	for _, r := range id {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
		default:
			return false
		}
	}
	return true
}
