package interp

import (
	"strings"
	"testing"
)

func wantResult(t *testing.T, s *Session, cell, want string) {
	t.Helper()
	if got := run(t, s, cell).result(); got != want {
		t.Errorf("%s\ngave %s, want %s", cell, got, want)
	}
}

func TestGenericFunctions(t *testing.T) {
	for _, test := range []struct{ name, cell, want string }{
		{"of a common type", `import "slices"
			x := []float64{3, 1, 2}
			slices.Sort(x)
			x`, "[1 2 3]"},
		{"keys in order", `import ("maps"; "slices")
			slices.Sorted(maps.Keys(map[string]int{"b": 1, "a": 2}))`, "[a b]"},
		{"of a type of cells", `import ("cmp"; "slices")
			type layer struct { name string; size int }
			l := []layer{{"q", 3}, {"k", 1}, {"v", 2}}
			slices.SortFunc(l, func(a, b layer) int { return cmp.Compare(a.size, b.size) })
			l[0].name + l[1].name + l[2].name`, "kvq"},
		{"as a value", `import ("cmp"; "slices")
			x := []int{2, 3, 1}
			slices.SortFunc(x, cmp.Compare[int])
			largest := slices.Max[[]int]
			[]int{x[0], largest(x)}`, "[1 3]"},
		{"constants take the type of the elements", `import "slices"
			slices.Index([]float32{0.5, 1, 2}, 1)`, "1"},
		{"variadic", `import "slices"
			slices.Insert([]string{"a", "d"}, 1, "b", "c")`, "[a b c d]"},
		{"two results", `import "slices"
			i, found := slices.BinarySearch([]int{1, 3, 5}, 3)
			i == 1 && found`, "true"},
		{"in a function", `import "slices"
			func top(x []int, n int) []int { y := slices.Clone(x); slices.Sort(y); slices.Reverse(y); return y[:min(n, len(y))] }
			top([]int{4, 9, 1}, 2)`, "[9 4]"},
		{"by name of a named slice", `import "slices"
			type temps []int16
			func (t temps) hottest() int16 { return slices.Max(t) }
			temps{3, 9, 4}.hottest()`, "9"},
		{"of interfaces", `import "slices"
			slices.Contains([]any{1, "a"}, any("a"))`, "true"},
		{"of pointers and maps", `import ("maps"; "slices")
			m := map[string]*int{}
			n := 5
			maps.Copy(m, map[string]*int{"n": &n})
			*slices.Collect(maps.Values(m))[0]`, "5"},
		{"a sequence of one's own", `import "slices"
			func squares(yield func(int) bool) { for i := 1; i <= 4 && yield(i*i); i++ {} }
			slices.Collect(squares)`, "[1 4 9 16]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t)
			wantResult(t, s, test.cell, test.want)
		})
	}
}

func TestGenericFunctionsAcrossCells(t *testing.T) {
	s := open(t)
	run(t, s, `import ("maps"; "slices")
		type point struct{ x, y int }
		keys := maps.Keys(map[int]bool{3: true, 1: true})
		nearest := func(p []point) point { return slices.MinFunc(p, func(a, b point) int { return a.x - b.x }) }`)
	wantResult(t, s, `slices.Sorted(keys)`, "[1 3]")
	wantResult(t, s, `nearest([]point{{5, 1}, {2, 7}}).y`, "7")
}

func TestGenericMistakes(t *testing.T) {
	s := open(t)
	for _, test := range []struct{ cell, want string }{
		{`import "slices"; slices.Sort(5)`, "in call to slices.Sort, cannot infer E"},
		{`import "slices"; slices.Sort([]struct{ a int }{})`, "cmp.Ordered"},
		{`import "slices"; slices.Shuffle([]int{1})`, "Shuffle"},
		{`import "slices"; slices.Max([]int{})`, "empty list"},
	} {
		if err := runCell(s, "cell", test.cell).failure(t); !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "declared at") {
			t.Errorf("%s: error %v, want one with %q", test.cell, err, test.want)
		}
	}
}

func TestGenericFunctionsAreCompleted(t *testing.T) {
	s := open(t)
	if got := complete(t, s, `import "slices"; slices.SortSt|`); strings.Join(got.Matches, " ") != "SortStableFunc" {
		t.Errorf("completed to %v", got)
	}
}
