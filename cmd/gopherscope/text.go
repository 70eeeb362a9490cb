package main

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/rlx-go/gopherscope/internal/bytesize"
)

// shortCount writes a number of things with three figures, such as "70.6G".
func shortCount(n int64) string {
	return strings.TrimSuffix(strings.Replace(bytesize.Decimal(n), " ", "", 1), "B")
}

// number returns a value for people, or "-" for none.
func number(format string, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case noun == "matrix":
		noun = "matrice"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// some lists the first names of many.
func some(names []string) string {
	const most = 3
	var first []string
	for _, name := range names[:min(most, len(names))] {
		first = append(first, shortName(name))
	}
	text := strings.Join(first, ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// oneLine is printable without line ends, for what a file names within a line.
func oneLine(text string) string { return strings.ReplaceAll(printable(text), "\n", `\n`) }

// shortName is oneLine of a name for a table or a list. It cuts what no model has: a name
// may fill the whole header, and a table pads every row to the longest.
func shortName(name string) string {
	const most = 200
	if len(name) <= most {
		return oneLine(name)
	}
	return oneLine(strings.ToValidUTF8(name[:most], "")) + "..."
}

var sizeText = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) *([a-zA-Z]*)$`)

var sizeUnits = map[string]float64{
	"": 1, "b": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// parseSize reads a number of bytes: "512MiB" or "512M" in powers of 1024, "512MB"
// in powers of 1000.
func parseSize(text string) (int64, error) {
	m := sizeText.FindStringSubmatch(strings.TrimSpace(text))
	if m != nil {
		unit, known := sizeUnits[strings.ToLower(m[2])]
		value, err := strconv.ParseFloat(m[1], 64)
		if bytes := value * unit; known && err == nil && bytes >= 1 && bytes < 1<<62 {
			return int64(bytes), nil
		}
	}
	return 0, fmt.Errorf("%q is not a size such as 512MiB or 3.5GB", text)
}

// jsonFloat is null in JSON where it is no number or infinite.
type jsonFloat float64

func (f jsonFloat) MarshalJSON() ([]byte, error) {
	if v := float64(f); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}
