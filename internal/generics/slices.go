package generics

import (
	"reflect"
	"slices"
)

// lift returns copies of the elements of a slice.
func lift(s reflect.Value) []reflect.Value {
	items := make([]reflect.Value, s.Len())
	for i := range items {
		items[i] = copied(s.Index(i))
	}
	return items
}

// copied is a value of its own, where v may be an element of a slice.
func copied(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// store makes items the first elements of a slice.
func store(s reflect.Value, items []reflect.Value) {
	for i, v := range items {
		s.Index(i).Set(v)
	}
}

// update returns a slice of items, in the memory of s if they fit; elements of s
// past the end of the result become zero.
func update(s reflect.Value, items []reflect.Value) reflect.Value {
	result := s
	if len(items) > s.Cap() {
		result = reflect.MakeSlice(s.Type(), len(items), len(items)+len(items)/4)
	} else if !s.IsNil() {
		result = s.Slice(0, len(items))
		for i := len(items); i < s.Len(); i++ {
			s.Index(i).SetZero()
		}
	}
	store(result, items)
	return result
}

// fresh returns a new slice of items; nil if there are none.
func fresh(t reflect.Type, items []reflect.Value) reflect.Value {
	s := reflect.Zero(t)
	if len(items) > 0 {
		s = reflect.MakeSlice(t, len(items), len(items))
		store(s, items)
	}
	return s
}

func integer(v reflect.Value) int { return int(v.Int()) }

var ofSlices = map[string]reflection{
	"slices.BinarySearch": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		i, found := slices.BinarySearchFunc(lift(a[0]), a[1], order)
		return append(value(i), value(found)...)
	},
	"slices.BinarySearchFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		i, found := slices.BinarySearchFunc(lift(a[0]), a[1], comparison(a[2]))
		return append(value(i), value(found)...)
	},
	"slices.Clip": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return one(a[0].Slice3(0, a[0].Len(), a[0].Len()))
	},
	"slices.Clone": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		if a[0].IsNil() {
			return a
		}
		return one(reflect.AppendSlice(reflect.MakeSlice(a[0].Type(), 0, a[0].Len()), a[0]))
	},
	"slices.Compact": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return one(update(a[0], slices.CompactFunc(lift(a[0]), equal)))
	},
	"slices.CompactFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return one(update(a[0], slices.CompactFunc(lift(a[0]), equality(a[1]))))
	},
	"slices.Compare": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return value(slices.CompareFunc(lift(a[0]), lift(a[1]), order))
	},
	"slices.CompareFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return value(slices.CompareFunc(lift(a[0]), lift(a[1]), comparison(a[2])))
	},
	"slices.Concat": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		var items []reflect.Value
		for i := range a[0].Len() {
			items = append(items, lift(a[0].Index(i))...)
		}
		return one(fresh(t.Out(0), items))
	},
	"slices.Contains": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return value(index(a[0], func(v reflect.Value) bool { return equal(v, a[1]) }) >= 0)
	},
	"slices.ContainsFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		is := predicate(a[1])
		return value(index(a[0], func(v reflect.Value) bool { return is(v) }) >= 0)
	},
	"slices.Delete": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return one(update(a[0], slices.Delete(lift(a[0]), integer(a[1]), integer(a[2]))))
	},
	"slices.DeleteFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		is := predicate(a[1])
		return one(update(a[0], slices.DeleteFunc(lift(a[0]), func(v reflect.Value) bool { return is(v) })))
	},
	"slices.Equal": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return value(slices.EqualFunc(lift(a[0]), lift(a[1]), equal))
	},
	"slices.EqualFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return value(slices.EqualFunc(lift(a[0]), lift(a[1]), equality(a[2])))
	},
	"slices.Grow": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		s, n := copied(a[0]), integer(a[1])
		if n < 0 {
			panic("cannot be negative")
		}
		s.Grow(n)
		return one(s)
	},
	"slices.Index": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return value(index(a[0], func(v reflect.Value) bool { return equal(v, a[1]) }))
	},
	"slices.IndexFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		is := predicate(a[1])
		return value(index(a[0], func(v reflect.Value) bool { return is(v) }))
	},
	"slices.Insert": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return one(update(a[0], slices.Insert(lift(a[0]), integer(a[1]), lift(a[2])...)))
	},
	"slices.IsSorted": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return value(slices.IsSortedFunc(lift(a[0]), order))
	},
	"slices.IsSortedFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return value(slices.IsSortedFunc(lift(a[0]), comparison(a[1])))
	},
	"slices.Max": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		if a[0].Len() == 0 {
			panic("slices.Max: empty list")
		}
		m := a[0].Index(0)
		for i := 1; i < a[0].Len() && !isNaN(m); i++ {
			if v := a[0].Index(i); isNaN(v) || order(v, m) > 0 {
				m = v
			}
		}
		return one(copied(m))
	},
	"slices.MaxFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return one(slices.MaxFunc(lift(a[0]), comparison(a[1])))
	},
	"slices.Min": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		if a[0].Len() == 0 {
			panic("slices.Min: empty list")
		}
		return one(slices.MinFunc(lift(a[0]), order)) // which has a NaN first
	},
	"slices.MinFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return one(slices.MinFunc(lift(a[0]), comparison(a[1])))
	},
	"slices.Repeat": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		items := slices.Repeat(lift(a[0]), integer(a[1]))
		s := reflect.MakeSlice(a[0].Type(), len(items), len(items))
		store(s, items)
		return one(s)
	},
	"slices.Replace": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return one(update(a[0], slices.Replace(lift(a[0]), integer(a[1]), integer(a[2]), lift(a[3])...)))
	},
	"slices.Reverse": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		items := lift(a[0])
		slices.Reverse(items)
		store(a[0], items)
		return nil
	},
	"slices.Sort": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return sort(a[0], slices.SortFunc, order)
	},
	"slices.SortFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return sort(a[0], slices.SortFunc, comparison(a[1]))
	},
	"slices.SortStableFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return sort(a[0], slices.SortStableFunc, comparison(a[1]))
	},
}

func index(s reflect.Value, is func(reflect.Value) bool) int {
	for i := range s.Len() {
		if is(s.Index(i)) {
			return i
		}
	}
	return -1
}

// sorter is slices.SortFunc or slices.SortStableFunc.
type sorter = func(items []reflect.Value, order func(a, b reflect.Value) int)

func sort(s reflect.Value, by sorter, order func(a, b reflect.Value) int) []reflect.Value {
	items := lift(s)
	by(items, order)
	store(s, items)
	return nil
}

func isNaN(v reflect.Value) bool { return v.CanFloat() && v.Float() != v.Float() }
