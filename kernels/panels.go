package kernels

import (
	"unsafe"

	"github.com/rlx-go/gopherscope/internal/pages"
)

// number is the type of an element of a packed weight or of scratch memory.
type number interface {
	~int8 | ~uint8 | ~uint16 | ~int32 | ~int64 | ~float32
}

// alignment is the line of the caches, and the widest vector: a packed weight
// that starts at a multiple of it never has a vector that crosses a line.
const alignment = 64

// aligned returns n zeros that start at a multiple of 64 bytes, in large pages if
// they are many and the system has such pages.
func aligned[T number](n int) []T {
	size := int(unsafe.Sizeof(*new(T)))
	buf := make([]T, n+alignment/size)
	// The address of a heap object does not change.
	start := uintptr(unsafe.Pointer(unsafe.SliceData(buf)))
	pages.Huge(buf)
	off := int(-start%alignment) / size
	return buf[off : off+n : off+n]
}

// ceilDiv returns a/b rounded up, for a >= 0 and b > 0.
func ceilDiv(a, b int) int { return (a + b - 1) / b }

// packPanels arranges a weight [k,n] for kernels that hold the sums of width
// output channels in registers and read group inputs of each at a time:
//
//	[ceil(n/width)][ceil(k/group)][width][group]
//
// in memory that starts at a multiple of 64 bytes. The value of input p and
// channel j is at(p, j); past k and n it is 0. Several goroutines call at.
func packPanels[T number](k, n, width, group int, at func(p, j int) T) []T {
	groups := ceilDiv(k, group)
	packed := aligned[T](ceilDiv(n, width) * groups * width * group)
	pack := func(lo, hi int) {
		for first := lo * width; first < min(n, hi*width); first += width {
			panel := packed[first*groups*group:]
			for p := range k {
				lanes := panel[p/group*width*group+p%group:]
				for c := range min(width, n-first) {
					lanes[c*group] = at(p, first+c)
				}
			}
		}
	}
	split(taskFunc(pack), ceilDiv(n, width), 2*k*n)
	return packed
}
