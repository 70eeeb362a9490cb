package nb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/rlx-go/gopherscope/internal/display"
)

// maxFileSize bounds what ReadFile takes into memory. Jupyter's own front ends
// become unusable well below it.
const maxFileSize = 64 << 20

// ReadFile reads a notebook of nbformat 4. Its errors are one line that names
// the file, the place and the reason.
func ReadFile(path string) (*Notebook, error) {
	// Before opening, because opening a named pipe would wait for its writer.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory, not a notebook", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFileSize {
		return nil, fmt.Errorf("%s: is larger than %d MiB, the most that is read", path, maxFileSize>>20)
	}
	n, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// Decode reads a notebook of nbformat 4 from its JSON text. Cells that have no
// valid id of their own, as before nbformat 4.5, get one. Fields that the format
// does not name are kept. An error names the place in the document.
func Decode(data []byte) (*Notebook, error) {
	doc, err := decodeJSON(data)
	if err != nil {
		return nil, err
	}
	return newNotebook(doc)
}

// decodeJSON returns the one JSON value of a document, numbers as written.
func decodeJSON(data []byte) (any, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("is empty, not a notebook")
	}
	if at := invalidUTF8(data); at >= 0 {
		return nil, fmt.Errorf("%s: not JSON: not UTF-8", position(data, at))
	}
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			// Offset counts the offending byte.
			return nil, fmt.Errorf("%s: not JSON: %w", position(data, int(syntax.Offset)-1), err)
		}
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	return doc, nil
}

func invalidUTF8(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// position returns the line and the column, in code points, of the character that
// a byte offset is in.
func position(data []byte, at int) string {
	at = max(0, min(at, len(data)))
	for at > 0 && at < len(data) && !utf8.RuneStart(data[at]) {
		at--
	}
	before := data[:at]
	line := bytes.Count(before, []byte("\n"))
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("line %d, column %d", line+1, column+1)
}

func newNotebook(doc any) (*Notebook, error) {
	root, ok := doc.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("not a notebook: the JSON value is %s, not an object", kind(doc))
	}
	if _, ok := root["nbformat"]; !ok {
		return nil, errors.New(`not a notebook: it has no "nbformat"`)
	}
	o := object{fields: maps.Clone(root)}
	major, minor := o.integer("nbformat"), o.integer("nbformat_minor")
	if o.err == nil && major != 4 {
		return nil, fmt.Errorf(`nbformat: is %d, but only 4 is read; "jupyter nbconvert --to notebook" converts older notebooks`, major)
	}
	n := &Notebook{Metadata: o.object("metadata"), minor: minor}
	for _, transient := range []string{"orig_nbformat", "orig_nbformat_minor", "signature"} {
		delete(n.Metadata, transient)
	}
	if _, ok := o.fields["cells"]; !ok {
		return nil, errors.New(`not a notebook: it has no "cells"`)
	}
	cells := o.list("cells")
	if o.err != nil {
		return nil, o.err
	}
	for i, v := range cells {
		c, err := newCell(v, fmt.Sprintf("cells[%d]", i))
		if err != nil {
			return nil, err
		}
		n.Cells = append(n.Cells, c)
	}
	n.extra = o.fields
	n.fillIDs()
	return n, nil
}

func newCell(v any, place string) (*Cell, error) {
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: want an object, got %s", place, kind(v))
	}
	o := object{place: place + ".", fields: maps.Clone(fields)}
	c := &Cell{Type: o.text("cell_type"), Source: o.lines("source"), Metadata: o.object("metadata")}
	delete(c.Metadata, "trusted")
	// An id of a wrong type is replaced like one that is missing.
	c.ID, _ = o.take("id").(string)
	switch c.Type {
	case Code:
		c.ExecutionCount = o.count("execution_count")
		for i, v := range o.list("outputs") {
			out, err := newOutput(v, fmt.Sprintf("%s.outputs[%d]", place, i))
			if err != nil {
				return nil, err
			}
			c.Outputs = append(c.Outputs, out)
		}
	case Markdown, Raw:
		for name, v := range o.object("attachments") {
			bundle, ok := v.(map[string]any)
			field := fmt.Sprintf("attachments[%.60q]", name)
			if !ok {
				o.fail(field, "want an object, got "+kind(v))
			}
			if c.Attachments == nil {
				c.Attachments = map[string]display.MIMEMap{}
			}
			c.Attachments[name] = o.bundle(field, bundle)
		}
	default:
		o.fail("cell_type", fmt.Sprintf("is %q, not code, markdown or raw", c.Type))
	}
	c.extra = o.fields
	return c, o.err
}

func newOutput(v any, place string) (*Output, error) {
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: want an object, got %s", place, kind(v))
	}
	o := object{place: place + ".", fields: maps.Clone(fields)}
	out := &Output{Type: o.text("output_type")}
	switch out.Type {
	case Stream:
		out.Name, out.Text = o.text("name"), o.lines("text")
	case ExecuteResult, DisplayData:
		out.Data, out.Metadata = o.bundle("data", o.object("data")), o.object("metadata")
		if out.Type == ExecuteResult {
			out.ExecutionCount = o.count("execution_count")
		}
	case ErrorOutput:
		out.ErrorName, out.ErrorValue = o.text("ename"), o.text("evalue")
		for i, v := range o.list("traceback") {
			line, ok := v.(string)
			if !ok {
				o.fail(fmt.Sprintf("traceback[%d]", i), "want a string, got "+kind(v))
			}
			out.Traceback = append(out.Traceback, line)
		}
	default:
		o.fail("output_type", fmt.Sprintf("is %q, not stream, display_data, execute_result or error", out.Type))
	}
	out.extra = o.fields
	return out, o.err
}

// object takes the named fields out of a JSON object, so that those the format
// does not name remain. It keeps the first error.
type object struct {
	place  string // prefix of a field's name in errors
	fields map[string]any
	err    error
}

func (o *object) fail(field, reason string) {
	if o.err == nil {
		o.err = fmt.Errorf("%s%s: %s", o.place, field, reason)
	}
}

func (o *object) take(field string) any {
	v := o.fields[field]
	delete(o.fields, field)
	return v
}

// text takes a string that must be there.
func (o *object) text(field string) string {
	v := o.take(field)
	s, ok := v.(string)
	if !ok {
		o.fail(field, "want a string, got "+kind(v))
	}
	return s
}

// lines takes a text that must be there, a string or a list of its lines.
func (o *object) lines(field string) string {
	v := o.take(field)
	s, ok := join(v)
	if !ok {
		o.fail(field, "want a string or a list of strings, got "+kind(v))
	}
	return s
}

// integer takes a whole number that must be there.
func (o *object) integer(field string) int {
	v := o.take(field)
	number, _ := v.(json.Number)
	i, err := number.Int64()
	if err != nil || i != int64(int(i)) {
		o.fail(field, "want a whole number, got "+kind(v))
	}
	return int(i)
}

// count takes an execution count; null or none is 0.
func (o *object) count(field string) int {
	if o.fields[field] == nil {
		delete(o.fields, field)
		return 0
	}
	i := o.integer(field)
	if i < 0 {
		o.fail(field, fmt.Sprintf("is %d, below 0", i))
	}
	return i
}

// object takes an object; none is an empty one.
func (o *object) object(field string) map[string]any {
	v := o.take(field)
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		o.fail(field, "want an object, got "+kind(v))
	}
	if m == nil {
		m = map[string]any{}
	}
	return m
}

// list takes a list; none is an empty one.
func (o *object) list(field string) []any {
	v := o.take(field)
	l, ok := v.([]any)
	if !ok && v != nil {
		o.fail(field, "want a list, got "+kind(v))
	}
	return l
}

// bundle joins the texts of a MIME bundle that are lists of lines.
func (o *object) bundle(field string, m map[string]any) display.MIMEMap {
	out := display.MIMEMap{}
	for mime, v := range m {
		if display.IsJSON(mime) {
			out[mime] = v
			continue
		}
		s, ok := join(v)
		if !ok {
			o.fail(fmt.Sprintf("%s[%.60q]", field, mime), "want a string or a list of strings, got "+kind(v))
		}
		out[mime] = s
	}
	return out
}

// join returns a multi-line text, which is a string or a list of strings.
func join(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		var b strings.Builder
		for _, line := range v {
			s, ok := line.(string)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		}
		return b.String(), true
	}
	return "", false
}

// kind says in a few words what a JSON value is, for an error.
func kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case bool:
		return fmt.Sprint(v)
	case json.Number:
		if len(v) > 20 {
			return "a number"
		}
		return v.String()
	case string:
		return "a string"
	case []any:
		return "a list"
	}
	return "an object"
}
