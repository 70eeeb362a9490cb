package generics

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// Types that no instance is compiled for.
type (
	number  int16
	numbers []number
	point   struct{ X, Y float32 }
	ages    map[string]number
)

func byX(a, b point) int              { return cmp.Compare(a.X, b.X) }
func sameX(a, b point) bool           { return a.X == b.X }
func odd(n number) bool               { return n%2 != 0 }
func withText(n number, s string) int { return cmp.Compare(fmt.Sprint(n), s) }
func young(_ string, n number) bool   { return n < 20 }
func near(a, b number) bool           { return a-b < 10 && b-a < 10 }

// Sequences as cells have them.
type (
	seq[V any]     = func(func(V) bool)
	seq2[K, V any] = func(func(K, V) bool)
)

func pairs(yield func(string, number) bool) {
	_ = yield("a", 1) && yield("b", 2) && yield("a", 3)
}

// functions are the functions of the standard library, each with arguments.
// spare makes a slice with room behind it, which must be seen to be used, or not.
func functions() []struct {
	name string
	f    any
	args []any
} {
	spare := func(n ...number) numbers { return append(make(numbers, 0, len(n)+8), n...) }
	points := []point{{3, 1}, {1, 2}, {3, 3}, {2, 4}, {1, 5}}
	nan := math.NaN()
	type floats []float64
	return []struct {
		name string
		f    any
		args []any
	}{
		{"cmp.Compare", cmp.Compare[number], []any{number(2), number(3)}},
		{"cmp.Compare", cmp.Compare[float64], []any{nan, math.Inf(-1)}},
		{"cmp.Compare", cmp.Compare[uint16], []any{uint16(9), uint16(3)}},
		{"cmp.Less", cmp.Less[string], []any{"a", "b"}},
		{"cmp.Or", cmp.Or[point], []any{point{}, point{1, 2}, point{3, 4}}},
		{"cmp.Or", cmp.Or[point], []any{}},

		{"maps.All", func(m ages) seq2[string, number] { return maps.All(m) }, []any{ages{"a": 1}}},
		{"maps.Clone", maps.Clone[ages], []any{ages{"a": 1, "b": 2}}},
		{"maps.Clone", maps.Clone[ages], []any{ages(nil)}},
		{"maps.Collect", func(s seq2[string, number]) map[string]number { return maps.Collect(s) }, []any{pairs}},
		{"maps.Copy", maps.Copy[ages, ages], []any{ages{"a": 1}, ages{"a": 2, "b": 3}}},
		{"maps.DeleteFunc", maps.DeleteFunc[ages], []any{ages{"a": 10, "b": 30, "c": 5}, young}},
		{"maps.Equal", maps.Equal[ages, ages], []any{ages{"a": 1}, ages{"a": 1}}},
		{"maps.Equal", maps.Equal[ages, ages], []any{ages{"a": 1}, ages{"b": 1}}},
		{"maps.Equal", maps.Equal[ages, ages], []any{ages{"a": 1}, ages{}}},
		{"maps.EqualFunc", maps.EqualFunc[ages, ages], []any{ages{"a": 1}, ages{"a": 5}, near}},
		{"maps.Insert", func(m ages, s seq2[string, number]) { maps.Insert(m, s) }, []any{ages{"c": 9}, pairs}},
		{"maps.Keys", func(m ages) seq[string] { return maps.Keys(m) }, []any{ages{"a": 1}}},
		{"maps.Values", func(m ages) seq[number] { return maps.Values(m) }, []any{ages{"a": 1}}},

		{"slices.All", func(s numbers) seq2[int, number] { return slices.All(s) }, []any{spare(7, 8)}},
		{"slices.AppendSeq", func(s numbers, q seq[number]) numbers { return slices.AppendSeq(s, q) }, []any{spare(1), seq[number](slices.Values(spare(2, 3)))}},
		{"slices.Backward", func(s numbers) seq2[int, number] { return slices.Backward(s) }, []any{spare(7, 8)}},
		{"slices.BinarySearch", slices.BinarySearch[numbers], []any{spare(1, 3, 5), number(3)}},
		{"slices.BinarySearch", slices.BinarySearch[numbers], []any{spare(1, 3, 5), number(4)}},
		{"slices.BinarySearchFunc", slices.BinarySearchFunc[numbers, number, string], []any{spare(1, 3, 5), "5", withText}},
		{"slices.Chunk", func(s numbers, n int) seq[numbers] { return slices.Chunk(s, n) }, []any{spare(1, 2, 3), 2}},
		{"slices.Chunk", func(s numbers, n int) seq[numbers] { return slices.Chunk(s, n) }, []any{spare(1), 0}},
		{"slices.Clip", slices.Clip[numbers], []any{spare(1, 2)}},
		{"slices.Clone", slices.Clone[numbers], []any{spare(1, 2)}},
		{"slices.Clone", slices.Clone[numbers], []any{numbers(nil)}},
		{"slices.Collect", func(q seq[number]) []number { return slices.Collect(q) }, []any{seq[number](slices.Values(spare(2, 3)))}},
		{"slices.Collect", func(q seq[number]) []number { return slices.Collect(q) }, []any{seq[number](slices.Values(numbers{}))}},
		{"slices.Compact", slices.Compact[numbers], []any{spare(1, 1, 2, 3, 3, 1)}},
		{"slices.CompactFunc", slices.CompactFunc[[]point], []any{points, sameX}},
		{"slices.Compare", slices.Compare[numbers], []any{spare(1, 2), spare(1, 2, 3)}},
		{"slices.CompareFunc", slices.CompareFunc[[]point, []point], []any{points, points[1:], byX}},
		{"slices.Concat", slices.Concat[numbers], []any{spare(1), numbers(nil), spare(2, 3)}},
		{"slices.Concat", slices.Concat[numbers], []any{}},
		{"slices.Contains", slices.Contains[[]point], []any{points, point{2, 4}}},
		{"slices.Contains", slices.Contains[[]any], []any{[]any{1, "a"}, "a"}},
		{"slices.Contains", slices.Contains[[]any], []any{[]any{[]int{1}}, []int{1}}},
		{"slices.ContainsFunc", slices.ContainsFunc[numbers], []any{spare(2, 4), odd}},
		{"slices.Delete", slices.Delete[numbers], []any{spare(1, 2, 3, 4), 1, 3}},
		{"slices.Delete", slices.Delete[numbers], []any{spare(1, 2, 3, 4), 3, 5}},
		{"slices.DeleteFunc", slices.DeleteFunc[numbers], []any{spare(1, 2, 3, 4), odd}},
		{"slices.Equal", slices.Equal[[]point], []any{points, points}},
		{"slices.Equal", slices.Equal[floats], []any{floats{nan}, floats{nan}}},
		{"slices.EqualFunc", slices.EqualFunc[[]point, []point], []any{points, points[1:], sameX}},
		{"slices.Grow", slices.Grow[numbers], []any{spare(1, 2), 100}},
		{"slices.Grow", slices.Grow[numbers], []any{spare(1, 2), -1}},
		{"slices.Index", slices.Index[[]point], []any{points, point{2, 4}}},
		{"slices.Index", slices.Index[[]point], []any{points, point{9, 9}}},
		{"slices.IndexFunc", slices.IndexFunc[numbers], []any{spare(2, 5), odd}},
		{"slices.Insert", slices.Insert[numbers], []any{spare(1, 2), 1, number(8), number(9)}},
		{"slices.Insert", slices.Insert[numbers], []any{numbers{1, 2}, 2, number(8), number(9)}},
		{"slices.Insert", slices.Insert[numbers], []any{numbers{1, 2}, 3, number(8)}},
		{"slices.IsSorted", slices.IsSorted[numbers], []any{spare(1, 3, 2)}},
		{"slices.IsSortedFunc", slices.IsSortedFunc[[]point], []any{points, byX}},
		{"slices.Max", slices.Max[numbers], []any{spare(1, 3, 2)}},
		{"slices.Max", slices.Max[floats], []any{floats{1, nan, 2}}},
		{"slices.Max", slices.Max[numbers], []any{numbers{}}},
		{"slices.MaxFunc", slices.MaxFunc[[]point], []any{points, byX}},
		{"slices.Min", slices.Min[numbers], []any{spare(3, 1, 2)}},
		{"slices.Min", slices.Min[floats], []any{floats{1, nan, -2}}},
		{"slices.Min", slices.Min[numbers], []any{numbers{}}},
		{"slices.MinFunc", slices.MinFunc[[]point], []any{points, byX}},
		{"slices.Repeat", slices.Repeat[numbers], []any{spare(1, 2), 3}},
		{"slices.Repeat", slices.Repeat[numbers], []any{spare(1, 2), -1}},
		{"slices.Replace", slices.Replace[numbers], []any{spare(1, 2, 3), 0, 2, number(7)}},
		{"slices.Replace", slices.Replace[numbers], []any{spare(1, 2, 3), 1, 2, number(7), number(8), number(9)}},
		{"slices.Reverse", slices.Reverse[numbers], []any{spare(1, 2, 3)}},
		{"slices.Sort", slices.Sort[numbers], []any{spare(3, 1, 2)}},
		{"slices.Sort", slices.Sort[floats], []any{floats{3, nan, 1, math.Inf(-1)}}},
		{"slices.SortFunc", slices.SortFunc[[]point], []any{[]point{{3, 1}, {1, 2}, {2, 4}}, byX}},
		{"slices.SortStableFunc", slices.SortStableFunc[[]point], []any{points, byX}},
		{"slices.Sorted", func(q seq[number]) []number { return slices.Sorted(q) }, []any{seq[number](slices.Values(spare(2, 3, 1)))}},
		{"slices.SortedFunc", func(q seq[number], c func(a, b number) int) []number { return slices.SortedFunc(q, c) }, []any{seq[number](slices.Values(spare(2, 3, 1))), cmp.Compare[number]}},
		{"slices.SortedStableFunc", func(q seq[point], c func(a, b point) int) []point { return slices.SortedStableFunc(q, c) }, []any{seq[point](slices.Values(points)), byX}},
		{"slices.Values", func(s numbers) seq[number] { return slices.Values(s) }, []any{spare(7, 8)}},

		// Of common types, which are compiled.
		{"slices.Sort", slices.Sort[[]float64], []any{[]float64{2, 1}}},
		{"slices.Sorted", func(q seq[string]) []string { return slices.Sorted(q) }, []any{seq[string](slices.Values([]string{"b", "a"}))}},
	}
}

// describe shows what a call returned and what became of its arguments, the rest
// of a slice's memory included.
func describe(t *testing.T, f reflect.Value, args []any) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = "panic"
		}
	}()
	var in []reflect.Value
	for _, a := range args {
		v := reflect.ValueOf(a)
		if v.Kind() == reflect.Slice && !v.IsNil() { // the call may change it
			c := reflect.MakeSlice(v.Type(), v.Len(), v.Cap())
			reflect.Copy(c, v)
			v = c
		}
		if v.Kind() == reflect.Map && !v.IsNil() {
			c := reflect.MakeMap(v.Type())
			set(c, v)
			v = c
		}
		in = append(in, v)
	}
	var b strings.Builder
	for _, out := range f.Call(in) {
		b.WriteString(" " + show(out))
	}
	for _, v := range in {
		if v.Kind() == reflect.Slice {
			v = v.Slice(0, v.Cap())
		}
		if v.Kind() != reflect.Func {
			b.WriteString(" | " + show(v))
		}
	}
	return b.String()
}

func show(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Func:
		var b strings.Builder
		stop := 0
		consume(v, func(args []reflect.Value) bool {
			for _, a := range args {
				fmt.Fprintf(&b, "%v,", a)
			}
			stop++
			return stop < 2
		})
		return b.String()
	case reflect.Slice:
		return fmt.Sprintf("%v (nil: %v)", v, v.IsNil())
	}
	return fmt.Sprint(v)
}

func TestLikeTheStandardLibrary(t *testing.T) {
	tested := map[string]bool{}
	for _, test := range functions() {
		f := reflect.ValueOf(test.f)
		got, err := Instance(strings.Split(test.name, ".")[0], strings.Split(test.name, ".")[1], f.Type())
		if err != nil {
			t.Error(err)
			continue
		}
		tested[test.name] = true
		want := describe(t, f, test.args)
		if text := describe(t, got, test.args); text != want {
			t.Errorf("%s(%v):\ngot  %s\nwant %s", test.name, test.args, text, want)
		}
	}
	for name := range reflected {
		if !tested[name] {
			t.Errorf("%s is not tested", name)
		}
	}
}

// What is declared here is what the standard library declares.
func TestDeclaredAsInTheStandardLibrary(t *testing.T) {
	paths := []string{"cmp", "iter", "maps", "slices"}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedSyntax | packages.NeedFiles | packages.NeedCompiledGoFiles}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	byName := func(p *types.Package) string { return p.Name() }
	for _, pkg := range pkgs {
		ours := Declared(pkg.PkgPath)
		for _, name := range pkg.Types.Scope().Names() {
			obj := pkg.Types.Scope().Lookup(name)
			if !obj.Exported() || pkg.PkgPath == "iter" && strings.HasPrefix(name, "Pull") {
				continue
			}
			mine := ours.Scope().Lookup(name)
			if mine == nil {
				if strings.HasPrefix(runtime.Version(), "go1.26") {
					t.Errorf("%s.%s is not declared", pkg.PkgPath, name)
				}
				continue
			}
			if got, want := types.ObjectString(mine, byName), types.ObjectString(obj, byName); got != want {
				t.Errorf("declared as\n%s, want\n%s", got, want)
			}
			if _, ok := obj.(*types.Func); ok && reflected[pkg.PkgPath+"."+name] == nil {
				t.Errorf("%s.%s has no instances", pkg.PkgPath, name)
			}
		}
	}
	if Declared("sort") != nil {
		t.Error("package sort is declared")
	}
}

func TestNoInstance(t *testing.T) {
	if _, err := Instance("slices", "Shuffle", reflect.TypeFor[func([]int)]()); err == nil || !strings.Contains(err.Error(), "slices.Shuffle") {
		t.Errorf("error %v, want one that names slices.Shuffle", err)
	}
}

func TestNames(t *testing.T) {
	if got := Names("cmp"); !slices.Equal(got, []string{"Compare", "Less", "Or"}) {
		t.Errorf("cmp has %v", got)
	}
}
