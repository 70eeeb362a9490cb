package bench

import "unsafe"

// The loops in Go show what compiled code reaches, not what the processor can do:
// the compiler does not use vectors. They return what they compute and are not
// inlined, so that the compiler cannot leave them out.

// refOps is two operations for each of eight independent sums.
const refOps = 16

func fmaF32Ref(steps int) { sumsF32(steps, 0.999) }

//go:noinline
func sumsF32(steps int, x float32) float32 {
	var a, b, c, d, e, f, g, h float32
	for range steps {
		a = a*x + 1
		b = b*x + 1
		c = c*x + 1
		d = d*x + 1
		e = e*x + 1
		f = f*x + 1
		g = g*x + 1
		h = h*x + 1
	}
	return a + b + c + d + e + f + g + h
}

func dotI8Ref(steps int) { sumsI32(steps, 51) }

//go:noinline
func sumsI32(steps int, x int32) int32 {
	var a, b, c, d, e, f, g, h int32
	for range steps {
		a = a*x + 1
		b = b*x + 1
		c = c*x + 1
		d = d*x + 1
		e = e*x + 1
		f = f*x + 1
		g = g*x + 1
		h = h*x + 1
	}
	return a + b + c + d + e + f + g + h
}

func readRef(p *byte, n, passes int) {
	for range passes {
		sumWords(unsafe.Slice((*uint64)(unsafe.Pointer(p)), n/8))
	}
}

//go:noinline
func sumWords(words []uint64) uint64 {
	var a, b, c, d uint64
	for ; len(words) >= 8; words = words[8:] {
		a += words[0] + words[4]
		b += words[1] + words[5]
		c += words[2] + words[6]
		d += words[3] + words[7]
	}
	return a + b + c + d
}
