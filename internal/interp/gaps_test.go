package interp

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestGaps runs the cells of docs/language.md that do not do what Go does. A gap
// that is closed is to leave the list.
func TestGaps(t *testing.T) {
	page, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, gaps, ok := strings.Cut(string(page), "\n## Gaps\n")
	cells := regexp.MustCompile("(?s)```go\n(.*?)\n```\n\n```text\n(.*?)\n```").FindAllStringSubmatch(gaps, -1)
	if !ok || len(cells) == 0 || len(cells) != strings.Count(gaps, "```go") {
		t.Fatalf("%d cells with what they give, of %d", len(cells), strings.Count(gaps, "```go"))
	}
	for _, c := range cells {
		t.Run(c[1], func(t *testing.T) {
			s := open(t)
			o := runCell(s, "cell", c[1])
			got := o.result()
			if o.err != nil {
				got = o.err.Error()
			}
			if got != c[2] {
				t.Errorf("%s\ngives %s, and docs/language.md says %s", c[1], got, c[2])
			}
		})
	}
}
