package kernels

import (
	"slices"
	"testing"
	"unsafe"
)

func TestAligned(t *testing.T) {
	for n := range 70 {
		a, b := aligned[int8](n), aligned[float32](n)
		if len(a) != n || len(b) != n || cap(a) != n {
			t.Fatalf("aligned(%d) has length %d and %d", n, len(a), len(b))
		}
		if uintptr(unsafe.Pointer(unsafe.SliceData(a)))%alignment != 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%alignment != 0 {
			t.Fatalf("aligned(%d) starts at %p and %p", n, a, b)
		}
	}
}

func TestPackPanels(t *testing.T) {
	at := func(p, j int) int32 { return int32(10*p + j + 1) }
	for _, c := range []struct {
		k, n, width, group int
		want               []int32
	}{
		{2, 3, 2, 1, []int32{1, 2, 11, 12, 3, 0, 13, 0}},
		{3, 2, 2, 2, []int32{1, 11, 2, 12, 21, 0, 22, 0}},
		{1, 1, 2, 4, []int32{1, 0, 0, 0, 0, 0, 0, 0}},
		{0, 3, 2, 2, nil},
		{3, 0, 2, 2, nil},
	} {
		if got := packPanels(c.k, c.n, c.width, c.group, at); !slices.Equal(got, c.want) {
			t.Errorf("packPanels(%d, %d, %d, %d) = %v, want %v", c.k, c.n, c.width, c.group, got, c.want)
		}
	}
}
