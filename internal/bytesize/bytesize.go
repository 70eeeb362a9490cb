// Package bytesize writes the sizes of caches and memory, which come in powers of two, for
// people. Sizes of files are written in decimal units, as other tools have them.
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
