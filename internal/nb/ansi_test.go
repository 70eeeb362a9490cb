package nb

import (
	"strings"
	"testing"
)

func TestANSI(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a < b & c\n", "a &lt; b &amp; c\n"},
		{"colour", "\x1b[31mred\x1b[0m not", `<span class="ansi-fg-1">red</span> not`},
		{"empty reset", "\x1b[32mgreen\x1b[m", `<span class="ansi-fg-2">green</span>`},
		{"bright and background", "\x1b[1;94;43mx\x1b[22;39;49my", `<span class="ansi-bold ansi-fg-12 ansi-bg-3">x</span>y`},
		{"all weights", "\x1b[2;3;4;9mx\x1b[23;24;29my", `<span class="ansi-faint ansi-italic ansi-underline ansi-strike">x</span><span class="ansi-faint">y</span>`},
		{"reverse", "\x1b[7mx\x1b[31my\x1b[27mz", `<span class="ansi-fg-page ansi-bg-text">x</span><span class="ansi-fg-page ansi-bg-1">y</span><span class="ansi-fg-1">z</span>`},
		{"256 colours", "\x1b[38;5;9ma\x1b[38;5;208mb\x1b[48;5;244mc", `<span class="ansi-fg-9">a</span><span style="color:#ff8700">b</span><span style="color:#ff8700;background-color:#808080">c</span>`},
		{"true colour", "\x1b[38;2;1;2;255mx", `<span style="color:#0102ff">x</span>`},
		{"true colour with colons", "\x1b[38:2:1:2:3mx", `<span style="color:#010203">x</span>`},
		{"bad numbers", "\x1b[38;5;999ma\x1b[38;2;1mb\x1b[38mc\x1b[;mx", "abcx"},
		{"no injection", "\x1b[38;5;\"><script>mx", "38;5;&#34;&gt;&lt;script&gt;mx"},
		{"other sequences", "a\x1b[2Kb\x1b]0;title\x07c\x1b]8;;https://e.org\x1b\\d\x1b(Be\x1bMf", "abcdef"},
		{"cut off", "a\x1b[31", "a31"},
		{"carriage returns", "10%\r20%\r\ndone\rok\n", "20%\nok\n"},
		{"spans lines", "\x1b[31ma\nb\x1b[0m", "<span class=\"ansi-fg-1\">a\nb</span>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ansiHTML(c.text); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
			if got := stripANSI(c.text); strings.Contains(got, "\x1b") {
				t.Errorf("stripped: %q", got)
			}
		})
	}
}
