package kernels

// A nonzero is a value of x and the number of its input.
type nonzero struct {
	value float32
	input int32
}

type (
	// A sparseRows is the micro-kernel sparseF32 of docs/kernels.md for a number of
	// vectors of columns: y[rows,columns] = the nonzeros of x[rows,span of inputs] times
	// a panel, or y plus that.
	sparseRows func(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32,
		accumulate bool, last int, next *float32, pace int)

	// A compressRow is the micro-kernel compressF32: the nonzeros of a row of x. It
	// reports whether the row is finite.
	compressRow func(list *nonzero, ends *int32, ldEnds int, x *float32, k int) bool
)

// sparseTiles are the micro-kernels of one instruction set.
type sparseTiles struct {
	lanes    int // of a vector
	compress compressRow
	rows     []sparseRows // rows[i] does i+1 vectors of columns
}

const (
	// endEvery is how many inputs of a row share an entry of ends.
	endEvery = 16

	// The most rows whose nonzeros are listed at a time, and the most values of x in
	// these rows. The more rows, the more often a block of a panel is used once it is in
	// the L1 cache; lists and y should stay in the L2 cache.
	sparseRowsMax = 128
	sparseValues  = 128 << 10

	// The values of the weight in a block of a panel, 32 KiB, that stay in the L1 cache
	// while rows pass by. For few rows a block has more inputs, up to 1 MiB for one row,
	// since they hardly meet the same ones.
	sparseBlock    = 8 << 10
	sparseRowBlock = 2048

	// So many rows use most inputs of a block, even if 9 of 10 values of x are zeros.
	sparseManyRows = 24
)

// gemmSparse makes an implementation of SkipZeros out of micro-kernels.
func gemmSparse(tiles *sparseTiles) skipZerosFuncs {
	return skipZerosFuncs{pack: tiles.pack, mul: tiles.mul}
}

// width returns the columns of a panel.
func (tiles *sparseTiles) width() int { return tiles.lanes * len(tiles.rows) }

// panel returns the columns that the panel of column j holds, which are whole
// vectors, and how many of them the weight has.
func (tiles *sparseTiles) panel(j, n int) (padded, columns int) {
	columns = min(tiles.width(), n-j)
	return ceilDiv(columns, tiles.lanes) * tiles.lanes, columns
}

// pack arranges w as panels [k][width], the last one as narrow as its columns allow.
func (tiles *sparseTiles) pack(w Matrix) []float32 {
	k, n := w.Rows, w.Cols
	packed := aligned[float32](k * ceilDiv(n, tiles.lanes) * tiles.lanes)
	for j := 0; j < n; j += tiles.width() {
		padded, columns := tiles.panel(j, n)
		for p := range k {
			copy(packed[j*k+p*padded:][:columns], row(w, p)[j:])
		}
	}
	return packed
}

// A sparseTask has the nonzeros of some rows and inputs of x, and what to multiply
// them by.
type sparseTask struct {
	tiles *sparseTiles
	y, x  Matrix    // x[m,k] is the part whose nonzeros are listed
	w     []float32 // the whole weight
	p, k  int       // the first input of x, and the inputs of w

	// Row i has its nonzeros at lists[i*ld:], inputs ascending. The first ends[g*m+i] of
	// them are of inputs below g*endEvery.
	lists []nonzero
	ends  []int32
	ld    int
}

var (
	sparseTasks taskList[sparseTask]
	sparseLists freeList[[]nonzero]
)

// mul overwrites y[m,n] with x[m,k] W: some rows and inputs of x at a time, it lists
// their nonzeros, then multiplies these by all panels.
func (tiles *sparseTiles) mul(y, x Matrix, w []float32) {
	k, n := x.Cols, y.Cols
	m := ceilDiv(x.Rows, ceilDiv(x.Rows, sparseRowsMax))
	block := sparseBlock / tiles.width()
	steps := min(ceilDiv(k, block), sparseValues/block/m) * block
	t := sparseTasks.get()
	*t = sparseTask{tiles: tiles, w: w, k: k, ld: steps + endEvery}
	t.takeLists(m)
	for i := 0; i < x.Rows; i += m {
		for p := 0; p < k; p += steps {
			height := min(m, x.Rows-i)
			t.p, t.y, t.x = p, rows(y, i, height), rows(x, i, height)
			t.x.Data, t.x.Cols = t.x.Data[p:], min(steps, k-p)
			split(t, ceilDiv(n, tiles.width()), t.list()*n/32)
		}
	}
	t.putLists()
	sparseTasks.put(t)
}

// takeLists makes room for the nonzeros of m rows.
func (t *sparseTask) takeLists(m int) {
	t.lists, t.ends = sparseLists.take(), scratchI32.get(m*(t.ld/endEvery))
	if len(t.lists) < m*t.ld {
		t.lists = make([]nonzero, m*t.ld)
	}
}

func (t *sparseTask) putLists() {
	sparseLists.put(t.lists)
	scratchI32.put(t.ends)
}

// list lists the nonzeros of x and returns their number.
func (t *sparseTask) list() (nonzeros int) {
	m, groups := t.x.Rows, ceilDiv(t.x.Cols, endEvery)
	for i := range m {
		list, ends := t.lists[i*t.ld:], t.ends[i:]
		ends[0] = 0
		if !t.tiles.compress(&list[0], &ends[m], m, &t.x.Data[i*t.x.Stride], t.x.Cols) {
			// One NaN for the first input makes all of y NaN, as the weight is finite.
			list[0] = nonzero{nan, 0}
			for g := range groups {
				ends[(1+g)*m] = 1
			}
		}
		nonzeros += int(ends[groups*m])
	}
	return nonzeros
}

// run multiplies by the panels lo <= j < hi.
func (t *sparseTask) run(lo, hi int) {
	if lo > 0 { // on another processor, to which the lists would come at a higher cost
		own := sparseTasks.get()
		*own = *t
		own.takeLists(t.x.Rows)
		own.list()
		own.multiply(lo, hi)
		own.putLists()
		sparseTasks.put(own)
		return
	}
	t.multiply(lo, hi)
}

func (t *sparseTask) multiply(lo, hi int) {
	m, n := t.x.Rows, t.y.Cols
	width := t.tiles.width()
	block := sparseBlock / width
	block *= max(1, sparseRowBlock/block/m)
	for j := lo * width; j < min(hi*width, n); j += width {
		padded, columns := t.tiles.panel(j, n)
		vectors := padded / t.tiles.lanes
		panel := t.w[j*t.k+t.p*padded:]
		for p := 0; p < t.x.Cols; p += block {
			// Each of many rows fetches its share of the next block, of which most will be
			// used; few rows fetch what their nonzeros need.
			var next *float32
			pace := 0
			if m >= sparseManyRows {
				next, pace = &panel[0], ceilDiv(block*padded, m*alignment/4)*alignment
				if p+block < t.x.Cols {
					next = &panel[(p+block)*padded]
				} else if j+width < n {
					following, _ := t.tiles.panel(j+width, n)
					next = &t.w[(j+width)*t.k+t.p*following]
				}
			}
			span := ceilDiv(min(block, t.x.Cols-p), endEvery)
			t.tiles.rows[vectors-1](
				&t.y.Data[j], t.y.Stride, m, &t.lists[0], t.ld, &t.ends[p/endEvery*m], span*m,
				&panel[0], t.p+p > 0, columns-(vectors-1)*t.tiles.lanes, next, pace)
		}
	}
}
