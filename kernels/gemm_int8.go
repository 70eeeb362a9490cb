package kernels

// int8Panels is a weight as int8 codes with one scale per output channel,
// arranged by packPanels for the micro-kernels of one implementation.
type int8Panels struct {
	k, n, width, group int

	codes []int8

	// One a channel, and zeros up to a whole panel.
	scales []float32
	sums   []int64 // of the codes
	starts []int32 // -offset times the sum, modulo 2^32
}

// packChannels arranges c in panels of width channels with group inputs of each
// together, for activations that are multiplied as offset more than they are.
// Panels of 1 and groups of 1 are the output-major order of c.
func packChannels(c channels, width, group, offset int) int8Panels {
	columns := ceilDiv(c.n, width) * width
	w := int8Panels{
		k: c.k, n: c.n, width: width, group: group,
		codes:  packPanels(c.k, c.n, width, group, func(p, j int) int8 { return c.codes[j*c.k+p] }),
		scales: make([]float32, columns),
		sums:   make([]int64, columns),
		starts: make([]int32, columns),
	}
	copy(w.scales, c.scales)
	for j := range c.n {
		for _, code := range c.channel(j) {
			w.sums[j] += int64(code)
		}
		w.starts[j] = int32(-int64(offset) * w.sums[j])
	}
	return w
}

// steps returns the number of groups of inputs.
func (w *int8Panels) steps() int { return ceilDiv(w.k, w.group) }

// panel returns the codes of the panel that channel j is in.
func (w *int8Panels) panel(j int) []int8 {
	size := w.steps() * w.group * w.width
	return w.codes[j/w.width*size:][:size]
}

// dequantize returns the weight [k,n] that the codes and scales stand for.
func (w *int8Panels) dequantize() Matrix {
	a := New(w.k, w.n)
	for j, scale := range w.scales[:w.n] {
		panel := w.panel(j)
		for p := range w.k {
			code := panel[(p/w.group*w.width+j%w.width)*w.group+p%w.group]
			a.Data[p*a.Stride+j] = scale * float32(code)
		}
	}
	return a
}

func (w *int8Panels) bytes() int64 { return int64(w.k)*int64(w.n) + 4*int64(w.n) }

const (
	// int8CallK is the most inputs in one call of a micro-kernel: more would take
	// longer than 100 microseconds, and from 65794 on unsigned bytes times codes
	// might overflow an int32.
	int8CallK = 1 << 14

	// int8RowK is the same for a row by several panels.
	int8RowK = 1 << 13

	// int8Block is the size of the activations that stay in the second-level cache
	// while every panel of the weight passes by.
	int8Block = 128 << 10

	// But a weight in memory should pass by no less than so many rows.
	int8MinBlock = 24
)

type (
	// An int8Tile is the micro-kernel gemmInt8 of docs/kernels.md for a number of
	// rows of activations.
	int8Tile func(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

	// An int8Row is the micro-kernel gemvInt8: one row by several panels, which are
	// apart bytes from each other.
	int8Row func(y *float32, x *int8, ldx int, w *int8, apart, steps int, start *int32, rowScale, scales *float32)

	// An int8Sums is the micro-kernel sumInt8 for a number of rows of codes.
	int8Sums func(sums *int32, x *int8, ldx int, w *int8, steps int)
)

// int8Tiles are the micro-kernels of one instruction set.
type int8Tiles struct {
	width, group int // of a panel; see packPanels
	size         int // bytes of a code of an activation
	offset       int // what the first code of an activation is above its value
	planes       int // codes of an activation, each in a row of its own
	apart        int // rows of codes from one row of activations to the next

	// pairs is set where an odd number of rows takes as long as one more.
	pairs bool

	rows      []int8Tile // rows[i] does i+1 rows of activations
	row       int8Row    // nil if there is none
	rowPanels int
	sums      []int8Sums // sums[i] does i+1 rows of codes, at least planes
}

// rowBytes returns the distance between rows of k codes: at least a cache line
// more than their size, so that the rows of a tile are not all in one set of the
// first-level cache.
func (t *int8Tiles) rowBytes(k int) int { return (ceilDiv(k*t.size, alignment) + 1) * alignment }

// mul overwrites the columns of the panels lo to hi-1 of y with x, rows of codes
// that are ldx apart, times w.
func (t *int8Tiles) mul(y Matrix, x []int8, ldx int, rowScales []float32, w *int8Panels, lo, hi int) {
	if w.k > int8CallK {
		t.mulLong(y, x, ldx, rowScales, w, lo, hi)
		return
	}
	if t.row != nil && y.Rows == 1 && w.k <= int8RowK {
		for ; hi-lo >= t.rowPanels && (lo+t.rowPanels)*t.width <= w.n; lo += t.rowPanels {
			j := lo * t.width
			panel := w.panel(j)
			t.row(&y.Data[j], &x[0], ldx, &panel[0], len(panel), w.steps(), &w.starts[j], &rowScales[0], &w.scales[j])
		}
	}
	// Tiles of nearly equal height, rather than full ones and a low one, which
	// would do less for each load.
	tiles := ceilDiv(y.Rows, len(t.rows))
	for panel := lo; panel < hi; panel++ {
		j := panel * t.width
		cols := min(t.width, w.n-j)
		for tile := range tiles {
			top, bottom := y.Rows*tile/tiles, y.Rows*(tile+1)/tiles
			if t.pairs {
				top, bottom = (top+1)&^1, min(y.Rows, (bottom+1)&^1)
			}
			t.rows[bottom-top-1](
				&y.Data[top*y.Stride+j], y.Stride, &x[top*t.apart*ldx], ldx, &w.panel(j)[0], w.steps(), cols,
				&w.starts[j], &rowScales[top], &w.scales[j])
		}
	}
}

// mulLong is mul for more inputs than one call takes: it adds the sums of several
// calls in integers.
func (t *int8Tiles) mulLong(y Matrix, x []int8, ldx int, rowScales []float32, w *int8Panels, lo, hi int) {
	codes := t.planes // rows of codes in a call
	if t.planes == 1 {
		codes = min(y.Rows, len(t.sums))
	}
	sums := scratchI32.get(codes * t.width)
	totals := scratchI64.get(codes * t.width)
	for j := lo * t.width; j < min(w.n, hi*t.width); j += t.width {
		panel := w.panel(j)
		for i := 0; i < y.Rows; i += codes / t.planes {
			rows := min(codes/t.planes, y.Rows-i)
			clear(totals)
			for p := 0; p < w.k; p += int8CallK {
				steps := ceilDiv(min(int8CallK, w.k-p), t.group)
				t.sums[rows*t.planes-1](&sums[0], &x[i*t.apart*ldx+p*t.size], ldx, &panel[p*t.width], steps)
				for c, sum := range sums[:rows*t.planes*t.width] {
					totals[c] += int64(sum)
				}
			}
			for r := range rows {
				yi, first := row(y, i+r)[j:], totals[r*t.planes*t.width:]
				for c := range min(t.width, len(yi)) {
					total := first[c] - int64(t.offset)*w.sums[j+c]
					for plane := 1; plane < t.planes; plane++ {
						total = total<<8 + first[plane*t.width+c]
					}
					yi[c] = float32(total) * rowScales[i+r] * w.scales[j+c]
				}
			}
		}
	}
	scratchI32.put(sums)
	scratchI64.put(totals)
}

// rowBlock returns how many of m rows of activations, of the given number of
// bytes each, to multiply before the next: blocks of nearly equal size.
func rowBlock(m, bytes int) int {
	block := max(int8MinBlock, int8Block/bytes)
	return ceilDiv(m, ceilDiv(m, block))
}

// rowsOf returns rows i to i+m-1 of a.
func rowsOf(a Matrix, i, m int) Matrix {
	a.Rows = m
	if a.Cols > 0 {
		a.Data = a.Data[i*a.Stride:]
	}
	return a
}
