package generics

import (
	"cmp"
	"reflect"
	"slices"
)

// instance is a function of one type.
type instance struct {
	name string
	t    reflect.Type
}

// compiled are the instances for slices of the most common types.
var compiled = map[instance]reflect.Value{}

func init() {
	ofOrdered[int]()
	ofOrdered[int32]()
	ofOrdered[int64]()
	ofOrdered[uint8]()
	ofOrdered[float32]()
	ofOrdered[float64]()
	ofOrdered[string]()
}

func ofOrdered[E cmp.Ordered]() {
	type S = []E
	for name, f := range map[string]any{
		"BinarySearch":     slices.BinarySearch[S],
		"BinarySearchFunc": slices.BinarySearchFunc[S, E, E],
		"Clone":            slices.Clone[S],
		"Compact":          slices.Compact[S],
		"Compare":          slices.Compare[S],
		"Concat":           slices.Concat[S],
		"Contains":         slices.Contains[S],
		"ContainsFunc":     slices.ContainsFunc[S],
		"Delete":           slices.Delete[S],
		"DeleteFunc":       slices.DeleteFunc[S],
		"Equal":            slices.Equal[S],
		"Index":            slices.Index[S],
		"IndexFunc":        slices.IndexFunc[S],
		"Insert":           slices.Insert[S],
		"IsSorted":         slices.IsSorted[S],
		"Max":              slices.Max[S],
		"MaxFunc":          slices.MaxFunc[S],
		"Min":              slices.Min[S],
		"MinFunc":          slices.MinFunc[S],
		"Repeat":           slices.Repeat[S],
		"Replace":          slices.Replace[S],
		"Reverse":          slices.Reverse[S],
		"Sort":             slices.Sort[S],
		"SortFunc":         slices.SortFunc[S],
		"SortStableFunc":   slices.SortStableFunc[S],
		// Sequences without their names.
		"Collect": func(seq func(func(E) bool)) S { return slices.Collect(seq) },
		"Sorted":  func(seq func(func(E) bool)) S { return slices.Sorted(seq) },
		"Values":  func(s S) func(func(E) bool) { return slices.Values(s) },
	} {
		compiled[instance{"slices." + name, reflect.TypeOf(f)}] = reflect.ValueOf(f)
	}
}
