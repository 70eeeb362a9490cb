package interp

import "testing"

func TestArraysThatNoMemoryHolds(t *testing.T) {
	s := open(t)
	const array = "an array of more than 1073741824 bytes: use make for a slice of that length"
	const slice = "a slice of more than 1073741824 bytes: use make for a slice of that length"
	for _, test := range []struct{ cell, want string }{
		{"var a [1 << 40]byte\nlen(a)", array},
		{"type T [1 << 40]int", array},
		{"type T struct{ a, b [1 << 33]int }", array},
		{"type T [1 << 16][1 << 16][1 << 16][1 << 16]int", array},
		{"new([1 << 40]byte)", array},
		{"var f func([1 << 40]byte)", array},
		{"m := map[int][1 << 40]byte{}", array},
		{"q := []int{1 << 33: 1}", slice},
		{"q := [...]int{1 << 33: 1}", array},
	} {
		if e := runCell(s, "cell", test.cell).failure(t); e.Value != test.want {
			t.Errorf("%s gave %q, want %q", test.cell, e.Value, test.want)
		}
	}
	for _, cell := range []string{
		"type Node struct {\n\tnext *Node\n\tall []Node\n\tname [4]string\n}\nvar n [3]Node\nlen(n)",
		"var a [1 << 20]float64\nlen(a)",
		"var z [1 << 40]struct{}\nlen(z)",
		"q := []int{1000: 1}\nlen(q)",
	} {
		run(t, s, cell)
	}
}
