package kernels

import "encoding/binary"

// The packed weight of W4A16. Panels of as many columns as the implementation wants
// follow each other. A panel has for each group of inputs
//
//	[width] uint16                          the scales
//	[blocks of the group][4][width] uint32  8 codes of one column, each plus 8
//
// where a block is 32 inputs; past k, codes are 0. In the 8 codes from input p, those
// of p to p+3 are the low halves of bytes 0 to 3 and those of p+4 to p+7 the high
// halves: two masks give four bytes each, for a dot product of bytes.
const int4Block = 32

// groups returns the number of groups of a column.
func (q *W4A16) groups() int { return ceilDiv(q.k, q.group) }

// blocks returns the number of blocks of a column.
func (q *W4A16) blocks() int { return ceilDiv(q.k, int4Block) }

func (q *W4A16) panelBytes() int {
	return q.impl.funcs.width * (2*q.groups() + int4Block/2*q.blocks())
}

// groupStart returns where the bytes of group g of the panel of column j begin.
func (q *W4A16) groupStart(g, j int) int {
	return j/q.impl.funcs.width*q.panelBytes() + q.impl.funcs.width*g*(2+q.group/2)
}

func (q *W4A16) scaleAt(g, j int) []uint8 {
	return q.w[q.groupStart(g, j)+2*(j%q.impl.funcs.width):][:2]
}

func (q *W4A16) scale(g, j int) uint16 { return binary.LittleEndian.Uint16(q.scaleAt(g, j)) }

func (q *W4A16) setScale(g, j int, s uint16) { binary.LittleEndian.PutUint16(q.scaleAt(g, j), s) }

// codesAt returns the four bytes of the codes of column j from input p, a multiple of 8.
func (q *W4A16) codesAt(p, j int) []uint8 {
	width := q.impl.funcs.width
	return q.w[q.groupStart(p/q.group, j)+2*width+4*(p%q.group/8*width+j%width):][:4]
}

func (q *W4A16) setCodes(p, j int, codes *[8]int) {
	at := q.codesAt(p, j)
	for i := range at {
		at[i] = uint8(codes[i]+8) | uint8(codes[i+4]+8)<<4
	}
}

func (q *W4A16) code(p, j int) int {
	b := q.codesAt(p&^7, j)[p%4]
	if p%8 >= 4 {
		b >>= 4
	}
	return int(b&15) - 8
}

// A row of activations for W4A16: for each block of 32 inputs
//
//	int32    -8 times the sum of the integers of the block
//	float32  the scale, a power of two; NaN if a value of the block is not finite
//	[8]{[4]int8, [4]int8}  the integers of 4 inputs: 256 times the first and the second
//
// The sum makes up for the 8 that is added to every code.
const int4RecordBytes = 8 + 2*int4Block

// int4RecordStride returns the distance between rows of k inputs: an odd number of
// lines, so that rows do not compete for the same sets of the caches.
func int4RecordStride(k int) int {
	return 64 * (ceilDiv(ceilDiv(k, int4Block)*int4RecordBytes, 64) | 1)
}

// quantizeInt4Row sets dst to the records of a row. The last block is filled up with
// zeros.
func quantizeInt4Row(quantize func(dst []uint8, x []float32), dst []uint8, x []float32) {
	whole := len(x) / int4Block * int4Block
	if whole > 0 {
		quantize(dst, x[:whole])
	}
	if whole < len(x) {
		last := scratchF32.get(int4Block)
		clear(last[copy(last, x[whole:]):])
		quantize(dst[whole/int4Block*int4RecordBytes:], last)
		scratchF32.put(last)
	}
}

// An int4Tile is a micro-kernel: y[mr,cols] = x[mr,k] times a panel of W, or y plus
// that when accumulate is set. mr belongs to the function. x points to the records of a
// block, with ldx bytes between rows, w to a group of the panel; a group has perGroup
// blocks, unless it is the last of the blocks. cols is at least 1 and at most the width
// of the panel. docs/kernels.md has the whole contract.
type int4Tile func(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)

// An int4Row is a micro-kernel: y[panels][width] += x[1,k] times several panels of W,
// which are apart bytes from each other.
type int4Row func(y *float32, x, w *uint8, blocks, perGroup, panels, apart int)

// int4Tiles are the micro-kernels of one instruction set.
type int4Tiles struct {
	width int        // of a panel, in columns
	rows  []int4Tile // rows[i] does i+1 rows
	row   int4Row
}

const (
	// The most blocks of a panel in a call, which bound its time: at least those of
	// the largest group.
	int4MaxBlocks = 256

	// The columns of a call for one row. As many panels are read in turn: more streams
	// than four or eight do not come faster from memory, and one does by a third less.
	int4RowColumns = 128
)

// gemmInt4 makes an implementation of W4A16 out of micro-kernels.
func gemmInt4(tiles *int4Tiles, quantize func(dst []uint8, x []float32)) int4Funcs {
	return int4Funcs{width: tiles.width, mul: tiles.mul, quantize: quantize}
}

func (ts *int4Tiles) mul(t *int4Task, lo, hi int) {
	if t.y.Rows == 1 {
		ts.mulRow(t, lo, hi)
		return
	}
	q, m := t.q, t.y.Rows
	perGroup := q.group / int4Block
	step := int4MaxBlocks / perGroup // groups of a call
	parts := ceilDiv(m, len(ts.rows))
	for j := lo; j < hi; j++ {
		cols := min(ts.width, q.n-j*ts.width)
		for g := 0; g < q.groups(); g += step {
			w := &q.w[q.groupStart(g, j*ts.width)]
			first := g * perGroup
			blocks := min(step*perGroup, q.blocks()-first)
			for part := range parts {
				top, bottom := m*part/parts, m*(part+1)/parts
				ts.rows[bottom-top-1](&t.y.Data[top*t.y.Stride+j*ts.width], t.y.Stride,
					&t.records[top*t.ldx+first*int4RecordBytes], t.ldx, w, blocks, perGroup, cols, g > 0)
			}
		}
	}
}

// mulRow is mul for one row of x.
func (ts *int4Tiles) mulRow(t *int4Task, lo, hi int) {
	q, perGroup := t.q, t.q.group/int4Block
	step := int4MaxBlocks / perGroup
	for j := lo; j < hi; {
		start := j * ts.width
		panels := min(int4RowColumns/ts.width, hi-j, q.n/ts.width-j) // whole ones
		y := t.y.Data[start:min(q.n, start+max(1, panels)*ts.width)]
		clear(y)
		for g := 0; g < q.groups(); g += step {
			first := g * perGroup
			blocks := min(step*perGroup, q.blocks()-first)
			x, w := &t.records[first*int4RecordBytes], &q.w[q.groupStart(g, start)]
			if panels > 0 {
				ts.row(&y[0], x, w, blocks, perGroup, panels, q.panelBytes())
			} else {
				ts.rows[0](&y[0], 0, x, 0, w, blocks, perGroup, len(y), true)
			}
		}
		j += max(1, panels)
	}
}
