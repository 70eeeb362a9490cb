package generics

import "reflect"

// set puts all of a map into another.
func set(to, from reflect.Value) {
	for entries := from.MapRange(); entries.Next(); {
		to.SetMapIndex(entries.Key(), entries.Value())
	}
}

// sameMaps reports whether two maps have the same keys with equal values.
func sameMaps(a, b reflect.Value, equal func(a, b reflect.Value) bool) bool {
	if a.Len() != b.Len() {
		return false
	}
	for entries := a.MapRange(); entries.Next(); {
		if v := b.MapIndex(entries.Key()); !v.IsValid() || !equal(entries.Value(), v) {
			return false
		}
	}
	return true
}

var ofMaps = map[string]reflection{
	"maps.Clone": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		if a[0].IsNil() {
			return a
		}
		m := reflect.MakeMapWithSize(a[0].Type(), a[0].Len())
		set(m, a[0])
		return one(m)
	},
	"maps.Copy": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		set(a[0], a[1])
		return nil
	},
	"maps.DeleteFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		is := predicate(a[1])
		for entries := a[0].MapRange(); entries.Next(); {
			if is(entries.Key(), entries.Value()) {
				a[0].SetMapIndex(entries.Key(), reflect.Value{})
			}
		}
		return nil
	},
	"maps.Equal": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return value(sameMaps(a[0], a[1], equal))
	},
	"maps.EqualFunc": func(_ reflect.Type, a []reflect.Value) []reflect.Value {
		return value(sameMaps(a[0], a[1], equality(a[2])))
	},
}
