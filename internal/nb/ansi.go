package nb

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// escapeSequence matches what a terminal does not print: CSI sequences (the
// first group holds the parameters, the second the command), OSC sequences and
// two-character escapes.
var escapeSequence = regexp.MustCompile("\x1b\\[([0-9;:?<=>]*)[ -/]*([@-~])|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]?")

// stripANSI returns the text without terminal escape sequences.
func stripANSI(s string) string { return escapeSequence.ReplaceAllString(s, "") }

// ansiHTML returns terminal output as HTML: colours and weights as spans, all
// other escape sequences left out, carriage returns applied.
func ansiHTML(s string) string {
	s = applyReturns(s)
	var b strings.Builder
	var style ansiStyle
	for s != "" {
		m := escapeSequence.FindStringSubmatchIndex(s)
		if m == nil {
			style.write(&b, s)
			break
		}
		style.write(&b, s[:m[0]])
		if m[4] >= 0 && s[m[4]:m[5]] == "m" {
			style.apply(s[m[2]:m[3]])
		}
		s = s[m[1]:]
	}
	return b.String()
}

// applyReturns keeps of each line what a terminal would show after its last
// carriage return, as of a progress bar that redraws itself.
func applyReturns(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
	}
	return strings.Join(lines, "\n")
}

// ansiStyle is the state that SGR sequences change.
type ansiStyle struct {
	fg, bg                                          ansiColour
	bold, faint, italic, underline, strike, reverse bool
}

// ansiColour is "" for the default, "0" to "15" for a colour of the page's
// palette, else a CSS colour.
type ansiColour string

func (s *ansiStyle) write(b *strings.Builder, text string) {
	text = escape(text)
	if *s == (ansiStyle{}) || text == "" {
		b.WriteString(text)
		return
	}
	var classes, css []string
	for _, c := range []struct {
		on   bool
		name string
	}{{s.bold, "ansi-bold"}, {s.faint, "ansi-faint"}, {s.italic, "ansi-italic"}, {s.underline, "ansi-underline"}, {s.strike, "ansi-strike"}} {
		if c.on {
			classes = append(classes, c.name)
		}
	}
	fg, bg := s.fg, s.bg
	if s.reverse {
		fg, bg = bg, fg
		if fg == "" {
			classes = append(classes, "ansi-fg-page")
		}
		if bg == "" {
			classes = append(classes, "ansi-bg-text")
		}
	}
	for _, c := range []struct {
		colour          ansiColour
		class, property string
	}{{fg, "ansi-fg-", "color"}, {bg, "ansi-bg-", "background-color"}} {
		switch {
		case c.colour == "":
		case c.colour[0] == '#':
			css = append(css, c.property+":"+string(c.colour))
		default:
			classes = append(classes, c.class+string(c.colour))
		}
	}
	b.WriteString("<span")
	if classes != nil {
		b.WriteString(` class="` + strings.Join(classes, " ") + `"`)
	}
	if css != nil {
		b.WriteString(` style="` + strings.Join(css, ";") + `"`)
	}
	b.WriteString(">" + text + "</span>")
}

// apply changes the style by the parameters of one SGR sequence (ECMA-48, and
// the 256 and 24 bit colours of xterm).
func (s *ansiStyle) apply(parameters string) {
	codes := strings.FieldsFunc(parameters, func(r rune) bool { return r == ';' || r == ':' })
	if len(codes) == 0 {
		*s = ansiStyle{}
	}
	for len(codes) > 0 {
		code, err := strconv.Atoi(codes[0])
		codes = codes[1:]
		if err != nil {
			return
		}
		switch {
		case code == 0:
			*s = ansiStyle{}
		case code == 1:
			s.bold = true
		case code == 2:
			s.faint = true
		case code == 3:
			s.italic = true
		case code == 4:
			s.underline = true
		case code == 7:
			s.reverse = true
		case code == 9:
			s.strike = true
		case code == 22:
			s.bold, s.faint = false, false
		case code == 23:
			s.italic = false
		case code == 24:
			s.underline = false
		case code == 27:
			s.reverse = false
		case code == 29:
			s.strike = false
		case 30 <= code && code <= 37:
			s.fg = palette(code - 30)
		case code == 38:
			s.fg, codes = extended(codes)
		case code == 39:
			s.fg = ""
		case 40 <= code && code <= 47:
			s.bg = palette(code - 40)
		case code == 48:
			s.bg, codes = extended(codes)
		case code == 49:
			s.bg = ""
		case 90 <= code && code <= 97:
			s.fg = palette(code - 90 + 8)
		case 100 <= code && code <= 107:
			s.bg = palette(code - 100 + 8)
		}
	}
}

// palette returns colour i of the 256: 16 of the page's own, a cube of 6 x 6 x 6
// and 24 greys.
func palette(i int) ansiColour {
	switch {
	case i < 16:
		return ansiColour(strconv.Itoa(i))
	case i < 232:
		i -= 16
		level := func(n int) int {
			if n == 0 {
				return 0
			}
			return 55 + 40*n
		}
		return rgb(level(i/36), level(i/6%6), level(i%6))
	}
	grey := 8 + 10*(i-232)
	return rgb(grey, grey, grey)
}

func rgb(r, g, b int) ansiColour { return ansiColour(fmt.Sprintf("#%02x%02x%02x", r, g, b)) }

// extended reads "5;n" or "2;r;g;b" and returns the codes after it. What is not
// one of them ends the sequence.
func extended(codes []string) (ansiColour, []string) {
	var n [4]int
	for i := range min(len(codes), len(n)) {
		v, err := strconv.Atoi(codes[i])
		if err != nil || v < 0 || v > 255 {
			return "", nil
		}
		n[i] = v
	}
	switch {
	case len(codes) >= 2 && n[0] == 5:
		return palette(n[1]), codes[2:]
	case len(codes) >= 4 && n[0] == 2:
		return rgb(n[1], n[2], n[3]), codes[4:]
	}
	return "", nil
}
