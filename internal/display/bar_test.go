package display

import (
	"strings"
	"testing"
	"time"
)

func TestBarData(t *testing.T) {
	for _, test := range []struct {
		label       string
		total, done int
		spent       time.Duration
		text, html  string
	}{
		{"epochs", 4, 1, 10 * time.Second, "epochs [#######                       ] 1/4, 10s, 30s left", `epochs <progress max="4" value="1"></progress> 1/4, 10s, 30s left`},
		{"", 2, 2, time.Minute, "[" + strings.Repeat("#", 30) + "] 2/2, 1m0s", `<progress max="2" value="2"></progress> 2/2, 1m0s`},
		{"<a>", 3, 0, 0, "<a> [" + strings.Repeat(" ", 30) + "] 0/3, 0s", `&lt;a&gt; <progress max="3" value="0"></progress> 0/3, 0s`},
		{"over", 2, 5, time.Second, "over [" + strings.Repeat("#", 30) + "] 5/2, 1s", `over <progress max="2" value="2"></progress> 5/2, 1s`},
		{"lines", 0, 12, 3 * time.Second, "lines 12, 3s", "lines 12, 3s"},
	} {
		d := (&Bar{label: test.label, total: test.total, done: test.done}).data(test.spent)
		if d.Data[MIMETypeText] != test.text || d.Data[MIMETypeHTML] != test.html {
			t.Errorf("%+v: %q and %q", test, d.Data[MIMETypeText], d.Data[MIMETypeHTML])
		}
	}
}

func TestBarShows(t *testing.T) {
	var shown []string
	b := NewBar("b", 1000, func(d Data) {
		_, figures, _ := strings.Cut(d.Data[MIMETypeText].(string), "] ")
		count, _, _ := strings.Cut(figures, ",")
		shown = append(shown, count)
	})
	for range 999 {
		b.Add(1)
	}
	if len(shown) > 100 {
		t.Errorf("999 steps in a row are shown %d times", len(shown))
	}
	b.Add(1)
	n := len(shown)
	b.Set(1000)
	b.End()
	b.Add(1)
	b.End()
	if shown[0] != "0/1000" || shown[n-1] != "1000/1000" || len(shown) != n+1 {
		t.Errorf("shown: %v", shown)
	}
}
