package charts

import (
	"strings"
	"testing"
)

// A title of more than one line leaves no word alone on the last.
func TestTitleIsBroken(t *testing.T) {
	for title, want := range map[string]string{
		"one":             "one",
		"aa bb cc dd ee":  "aa bb cc/dd ee",
		"aaaaaaaaaaaa bb": "aaaaaaaaaaaa/bb",
	} {
		width := 1.1 * textWidth(title, titleSize)
		if strings.Contains(want, "/") {
			width = textWidth("aa bb cc dd", titleSize) * 1.1
		}
		if got := strings.Join(wrap(title, width), "/"); got != want {
			t.Errorf("%q in %g: %q, want %q", title, width, got, want)
		}
	}
}
