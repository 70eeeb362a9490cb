package experiment

import "slices"

// distinct returns the different values of the rows in the order of their first one.
func distinct[R any, T comparable](rows []R, value func(R) T) []T {
	var all []T
	for _, row := range rows {
		if v := value(row); !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
