// Package bytesize writes numbers of bytes for people: the sizes of caches and memory, which
// come in powers of two, in binary units; those of files and weights in decimal ones, as
// other tools have them.
package bytesize

import "fmt"

// Binary writes a number of bytes in KiB, MiB or GiB, with three figures or all those
// before the point.
func Binary(n int64) string {
	v, unit := float64(n)/(1<<10), "KiB"
	switch {
	case n >= 1<<30:
		v, unit = float64(n)/(1<<30), "GiB"
	case n >= 1<<20:
		v, unit = float64(n)/(1<<20), "MiB"
	}
	if v >= 999.5 {
		return fmt.Sprintf("%.0f %s", v, unit)
	}
	return fmt.Sprintf("%.3g %s", v, unit)
}

// Decimal writes a number of bytes with a decimal unit and three figures, such as "1.05 MB".
func Decimal(n int64) string {
	v, unit := float64(n), "B"
	for _, next := range []string{"kB", "MB", "GB", "TB", "PB", "EB"} {
		if v < 999.5 {
			break
		}
		v, unit = v/1000, next
	}
	switch {
	case unit == "B":
		return fmt.Sprintf("%d B", n)
	case v < 9.995:
		return fmt.Sprintf("%.2f %s", v, unit)
	case v < 99.95:
		return fmt.Sprintf("%.1f %s", v, unit)
	}
	return fmt.Sprintf("%.0f %s", v, unit)
}
