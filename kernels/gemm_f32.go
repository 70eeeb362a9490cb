package kernels

type (
	// An f32Tile is the micro-kernel gemmF32 of docs/kernels.md for a number of
	// rows: y[rows,cols] = x[rows,k] times k steps of a panel, or y plus that.
	f32Tile func(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

	// An f32Row is the micro-kernel gemvF32: one row by four panels, which are apart
	// values of w from each other.
	f32Row func(y, x, w *float32, apart, k, cols int, accumulate bool)
)

// f32Tiles are the micro-kernels of one instruction set.
type f32Tiles struct {
	width int       // of a panel, in columns
	rows  []f32Tile // rows[i] does i+1 rows
	half  []f32Tile // the same for the first half of a panel's columns, or nil
	row   f32Row
}

const (
	// The most steps of k in one call of a micro-kernel, for a tile and for one
	// row: so many that the loads and stores of y do not count, so few that a call
	// takes less than 50 microseconds, even if the weight comes from memory at 10
	// GB/s.
	f32BlockK    = 2048
	f32RowBlockK = 1024

	// The values of x, 192 KiB, that meet a panel before the next one: they and
	// two panels stay in the L2 cache.
	f32BlockX = 48 << 10
)

// gemmF32 makes an implementation of F32 out of micro-kernels.
func gemmF32(tiles *f32Tiles) f32Funcs {
	return f32Funcs{
		width: tiles.width,
		pack: func(w Matrix) []float32 {
			return packPanels(w.Rows, w.Cols, tiles.width, 1, func(p, j int) float32 { return w.Data[p*w.Stride+j] })
		},
		mul: func(y, x Matrix, w []float32, lo, hi int) {
			if x.Rows == 1 {
				tiles.mulRow(y.Data[:y.Cols], x.Data[:x.Cols], w, lo, hi)
			} else {
				tiles.mul(y, x, w, lo, hi)
			}
		},
	}
}

// mulRow is mul for one row of x.
func (t *f32Tiles) mulRow(y, x, w []float32, lo, hi int) {
	k, n := len(x), len(y)
	for j := lo; j < hi; {
		panels := 1
		if hi-j >= 4 {
			panels = 4
		}
		start := j * t.width
		cols := min(panels*t.width, n-start)
		for p := 0; p < k; p += f32RowBlockK {
			steps, panel := min(f32RowBlockK, k-p), &w[start*k+p*t.width]
			if panels > 1 {
				t.row(&y[start], &x[p], panel, k*t.width, steps, cols, p > 0)
			} else {
				t.rows[0](&y[start], 0, &x[p], 0, panel, steps, cols, panel, 0, p > 0)
			}
		}
		j += panels
	}
}

// mul overwrites the columns of panels lo <= j < hi of y[m,n].
func (t *f32Tiles) mul(y, x Matrix, w []float32, lo, hi int) {
	k, n := x.Cols, y.Cols
	blockK := min(k, f32BlockK)
	blockM := max(f32BlockX/blockK, len(t.rows))
	blockM = ceilDiv(x.Rows, ceilDiv(x.Rows, blockM))

	// The rows of a tile that are a multiple of 4 KiB apart share a set of the L1
	// cache and push each other out of it. A copy spreads them.
	var copied []float32
	if x.Rows > 4 && hi-lo > 4 && 4*x.Stride%4096 == 0 {
		copied = scratchF32.get(blockM * (blockK + alignment/4))
		defer scratchF32.put(copied)
	}

	for p := 0; p < k; p += blockK {
		steps := min(blockK, k-p)
		for i := 0; i < x.Rows; i += blockM {
			m := min(blockM, x.Rows-i)
			xi, ldx := x.Data[i*x.Stride+p:], x.Stride
			if copied != nil {
				ldx = blockK + alignment/4
				for r := range m {
					copy(copied[r*ldx:][:steps], xi[r*x.Stride:])
				}
				xi = copied
			}
			// Tiles of nearly equal height, rather than full ones and a low one,
			// which would do less for each load of the panel.
			tiles := ceilDiv(m, len(t.rows))
			for j := lo; j < hi; j++ {
				cols := min(t.width, n-j*t.width)
				rows := t.rows
				if t.half != nil && 2*cols <= t.width {
					rows = t.half
				}
				panel := w[(j*k+p)*t.width:][:steps*t.width]
				// Each tile fetches its share of the next panel, except that few rows
				// read so fast that the processor fetches better by itself.
				next, pace := panel, 0
				if m > 4 && j+1 < hi {
					next, pace = w[((j+1)*k+p)*t.width:][:steps*t.width], len(panel)/tiles
				}
				for tile := range tiles {
					top, bottom := m*tile/tiles, m*(tile+1)/tiles
					rows[bottom-top-1](
						&y.Data[(i+top)*y.Stride+j*t.width], y.Stride, &xi[top*ldx], ldx, &panel[0], steps, cols,
						&next[tile*pace], 4*4*pace/steps, p > 0)
				}
			}
		}
	}
}
