package nb

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/internal/kernelinfo"
)

// MaxCommitted is how many bytes a notebook under version control may have.
const MaxCommitted = 1_500_000

// metadataKey is where a cell's metadata holds what this program records.
const metadataKey = kernelinfo.Name

// Settle makes an executed notebook fit for version control. Outputs keep their
// pictures in place of what needs scripts, and each cell that ran gets a hash of
// the code up to its end, by which CheckCommitted finds outputs of other code.
func (n *Notebook) Settle() {
	for c, hash := range n.sourceHashes() {
		if c.ExecutionCount == 0 {
			delete(c.Metadata, metadataKey)
			continue
		}
		if c.Metadata == nil {
			c.Metadata = map[string]any{}
		}
		c.Metadata[metadataKey] = map[string]any{"source": hash}
		c.Outputs = slices.DeleteFunc(c.Outputs, func(o *Output) bool {
			html, _ := o.Data["text/html"].(string)
			if html == "" {
				return false
			}
			if o.Data["image/png"] != nil || needsMore(html) != "" {
				delete(o.Data, "text/html")
			}
			return len(o.Data) == 0
		})
	}
}

// sourceHashes yields each code cell that runs, with a hash of its source and of
// those before it: an output depends on all of them.
func (n *Notebook) sourceHashes() iter.Seq2[*Cell, string] {
	return func(yield func(*Cell, string) bool) {
		h := sha256.New()
		for _, c := range n.Cells {
			if !c.runs() {
				continue
			}
			fmt.Fprintf(h, "%d\n%s", len(c.Source), c.Source)
			if !yield(c, hex.EncodeToString(h.Sum(nil)[:8])) {
				return
			}
		}
	}
}

var (
	activeHTML = regexp.MustCompile(`(?i)<(script|iframe|object|embed|link|video|audio|svg)\b|\son[a-z]+\s*=`)
	remoteHTML = regexp.MustCompile(`(?i)\b(src|srcset)\s*=\s*["']?(?:https?:)?//`)
	// A slash after a letter or digit divides, as in "GB/s".
	absolutePath = regexp.MustCompile(`(?:^|[\s"'(\[=:,])((?:/[\w.+-]+){2,}|[A-Za-z]:\\[\w.+-]+)`)
)

// needsMore names what a piece of HTML needs beside itself, or is "".
func needsMore(html string) string {
	if found := activeHTML.FindString(html); found != "" {
		return strings.TrimSpace(found)
	}
	return remoteHTML.FindString(html)
}

// CheckCommitted says what is wrong with a notebook under version control:
//
//   - it is larger than MaxCommitted, or does not name this program's kernel;
//   - it does not begin with a title, or a code cell has no prose before it;
//   - a cell has not been run, failed, ended with an error as its value, or was run
//     when it or a cell before it had another source;
//   - an output needs scripts or a network to be seen, or was written to stderr;
//   - an output holds an absolute path or one of the names given, such as a
//     user's; a name that is a word of the notebook's own text does not count.
func CheckCommitted(data []byte, names ...string) error {
	n, err := Decode(data)
	if err != nil {
		return err
	}
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if len(data) > MaxCommitted {
		problem("is %d bytes long, more than %d", len(data), MaxCommitted)
	}
	spec, _ := n.Metadata["kernelspec"].(map[string]any)
	if spec["name"] != kernelinfo.Name || n.Language() != kernelinfo.Language {
		problem("names the kernel %v for %q, not %s for %q", spec["name"], n.Language(), kernelinfo.Name, kernelinfo.Language)
	}
	if len(n.Cells) == 0 || n.Cells[0].Type != Markdown || !strings.HasPrefix(n.Cells[0].Source, "# ") {
		problem("does not begin with a title")
	}
	private := n.privateWords(names)
	hashes := maps.Collect(n.sourceHashes())
	count := 0
	for i, c := range n.Cells {
		if c.Type != Code {
			continue
		}
		count++
		place := cellName(count)
		if i == 0 || n.Cells[i-1].Type != Markdown || strings.TrimSpace(n.Cells[i-1].Source) == "" {
			problem("%s has no prose before it", place)
		}
		recorded, _ := c.Metadata[metadataKey].(map[string]any)
		switch {
		case !c.runs():
			problem("%s is blank", place)
		case c.ExecutionCount != count:
			problem("%s was run as number %d", place, c.ExecutionCount)
		case recorded["source"] != hashes[c]:
			problem("%s: outputs are not of this code: execute the notebook with run --in-place", place)
		}
		for _, o := range c.Outputs {
			if err := o.checkCommitted(private, c.tagged(raisesException)); err != nil {
				problem("%s: %w", place, err)
			}
		}
	}
	return errors.Join(problems...)
}

// privateWords matches the names that are not words of the notebook's sources.
func (n *Notebook) privateWords(names []string) *regexp.Regexp {
	var parts []string
	for _, name := range names {
		word := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(name) + `\b`)
		if name != "" && !slices.ContainsFunc(n.Cells, func(c *Cell) bool { return word.MatchString(c.Source) }) {
			parts = append(parts, regexp.QuoteMeta(name))
		}
	}
	if parts == nil {
		return nil
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(parts, "|") + `)\b`)
}

func (o *Output) checkCommitted(private *regexp.Regexp, mayFail bool) error {
	texts := []string{o.Text}
	switch o.Type {
	case ErrorOutput:
		if !mayFail {
			return fmt.Errorf("failed: %s", oneLine(o.ErrorValue))
		}
		texts = append(o.Traceback, o.ErrorValue)
	case Stream:
		if o.Name != "stdout" {
			return fmt.Errorf("wrote to %s: %.60q", o.Name, o.Text)
		}
	default:
		for mime, content := range o.Data {
			text, _ := content.(string)
			switch mime {
			case "image/png":
				continue
			case "text/html":
				if more := needsMore(text); more != "" {
					return fmt.Errorf("HTML has %q, which is not shown everywhere", more)
				}
			case "text/plain", "text/markdown", "text/latex":
			default:
				return fmt.Errorf("an output of type %s is not shown everywhere", mime)
			}
			texts = append(texts, text)
		}
		// What a call that returned no value and an error leaves as a result.
		if text, _ := o.Data["text/plain"].(string); strings.HasPrefix(text, "<nil> ") {
			return fmt.Errorf("ended with an error: %s", oneLine(text))
		}
	}
	for _, text := range texts {
		if found := absolutePath.FindStringSubmatch(stripANSI(text)); found != nil {
			return fmt.Errorf("output has an absolute path: %s", found[1])
		}
		if private != nil && private.MatchString(text) {
			return fmt.Errorf("output names %s", private.FindString(text))
		}
	}
	return nil
}
