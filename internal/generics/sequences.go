package generics

import (
	"reflect"
	"slices"
)

// sequence returns a sequence of type t, func(yield func(...) bool), of which each
// hands its values to yield until that returns false.
func sequence(t reflect.Type, each func(yield func(...reflect.Value) bool)) []reflect.Value {
	return one(reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		each(predicate(args[0]))
		return nil
	}))
}

// consume calls a sequence.
func consume(seq reflect.Value, yield func([]reflect.Value) bool) {
	seq.Call(one(reflect.MakeFunc(seq.Type().In(0), func(args []reflect.Value) []reflect.Value {
		return value(yield(args))
	})))
}

// collect returns the values of a sequence.
func collect(seq reflect.Value) (items []reflect.Value) {
	consume(seq, func(v []reflect.Value) bool {
		items = append(items, copied(v[0]))
		return true
	})
	return items
}

func sorted(t reflect.Type, seq reflect.Value, by sorter, order func(a, b reflect.Value) int) []reflect.Value {
	items := collect(seq)
	by(items, order)
	return one(fresh(t.Out(0), items))
}

// insert puts the pairs of a sequence into a map.
func insert(m, seq reflect.Value) {
	consume(seq, func(v []reflect.Value) bool {
		m.SetMapIndex(v[0], v[1])
		return true
	})
}

var ofSequences = map[string]reflection{
	"maps.All": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		return sequence(t.Out(0), func(yield func(...reflect.Value) bool) {
			for entries := a[0].MapRange(); entries.Next() && yield(entries.Key(), entries.Value()); {
			}
		})
	},
	"maps.Keys": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		return sequence(t.Out(0), func(yield func(...reflect.Value) bool) {
			for entries := a[0].MapRange(); entries.Next() && yield(entries.Key()); {
			}
		})
	},
	"maps.Values": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		return sequence(t.Out(0), func(yield func(...reflect.Value) bool) {
			for entries := a[0].MapRange(); entries.Next() && yield(entries.Value()); {
			}
		})
	},
	"maps.Collect": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		m := reflect.MakeMap(t.Out(0))
		insert(m, a[0])
		return one(m)
	},
	"maps.Insert": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		insert(a[0], a[1])
		return nil
	},
	"slices.All": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		return sequence(t.Out(0), func(yield func(...reflect.Value) bool) {
			for i := 0; i < a[0].Len() && yield(reflect.ValueOf(i), a[0].Index(i)); i++ {
			}
		})
	},
	"slices.Backward": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		return sequence(t.Out(0), func(yield func(...reflect.Value) bool) {
			for i := a[0].Len() - 1; i >= 0 && yield(reflect.ValueOf(i), a[0].Index(i)); i-- {
			}
		})
	},
	"slices.Values": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		return sequence(t.Out(0), func(yield func(...reflect.Value) bool) {
			for i := 0; i < a[0].Len() && yield(a[0].Index(i)); i++ {
			}
		})
	},
	"slices.Chunk": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		s, n := a[0], integer(a[1])
		if n < 1 {
			panic("cannot be less than 1")
		}
		return sequence(t.Out(0), func(yield func(...reflect.Value) bool) {
			for from := 0; from < s.Len(); from += n {
				to := min(from+n, s.Len())
				if !yield(s.Slice3(from, to, to)) {
					return
				}
			}
		})
	},
	"slices.AppendSeq": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return one(reflect.Append(a[0], collect(a[1])...))
	},
	"slices.Collect": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		return one(fresh(t.Out(0), collect(a[0])))
	},
	"slices.Sorted": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		return sorted(t, a[0], slices.SortFunc, order)
	},
	"slices.SortedFunc": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		return sorted(t, a[0], slices.SortFunc, comparison(a[1]))
	},
	"slices.SortedStableFunc": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		return sorted(t, a[0], slices.SortStableFunc, comparison(a[1]))
	},
}
