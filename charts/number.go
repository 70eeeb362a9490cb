package charts

import (
	"math"
	"strconv"
	"strings"
)

// formatNumber writes v for a reader: whole numbers in full, others with four
// significant digits, very small and very large ones with an exponent.
func formatNumber(v float64) string { return formatDigits(v, 4) }

func formatDigits(v float64, digits int) string {
	a := math.Abs(v)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return strconv.FormatFloat(v, 'g', -1, 64)
	case a >= 1e15 || a > 0 && a < 1e-4:
		return exponent(strconv.FormatFloat(v, 'e', digits-1, 64))
	case v == math.Trunc(v):
		return strconv.FormatFloat(v+0, 'f', 0, 64) // +0 turns -0 into 0
	}
	decimals := max(0, digits-1-int(math.Floor(math.Log10(a))))
	return trimZeros(strconv.FormatFloat(v, 'f', decimals, 64))
}

// formatTogether writes values that are read beside each other: with the same
// number of decimals, that of the one that needs most, unless they differ too
// much in size.
func formatTogether(values []float64, digits int) []string {
	const spread = 1e3
	least, most, decimals := math.Inf(1), 0.0, 0
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = formatDigits(v, digits)
		if a := math.Abs(v); a != 0 {
			least, most = min(least, a), max(most, a)
		}
		_, fraction, _ := strings.Cut(texts[i], ".")
		decimals = max(decimals, len(fraction))
	}
	if !(most <= spread*least) || least < 1e-4 || most >= 1e15 {
		return texts
	}
	for i, v := range values {
		texts[i] = strconv.FormatFloat(v+0, 'f', decimals, 64)
	}
	return texts
}

// formatBeside writes values that do not stand in a column: as formatTogether
// does, but each without the decimals beyond its significant digits.
func formatBeside(values []float64, digits int) []string {
	texts := formatTogether(values, digits)
	for i, text := range texts {
		_, fraction, found := strings.Cut(text, ".")
		if !found || strings.Contains(fraction, "e") {
			continue
		}
		keep := 0
		if a := math.Abs(values[i]); a > 0 {
			keep = max(0, digits-1-int(math.Floor(math.Log10(a))))
		}
		if keep < len(fraction) {
			texts[i] = strconv.FormatFloat(values[i]+0, 'f', keep, 64)
		}
	}
	return texts
}

// exponent shortens "1.500e-07" to "1.5e-7".
func exponent(s string) string {
	mantissa, exp, _ := strings.Cut(s, "e")
	n, err := strconv.Atoi(exp)
	if err != nil {
		return s
	}
	return trimZeros(mantissa) + "e" + strconv.Itoa(n)
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// groupDigits writes "1234567.8" as "1,234,567.8".
func groupDigits(s string) string {
	whole, fraction, hasFraction := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if hasFraction {
		b.WriteString("." + fraction)
	}
	return b.String()
}
