package kernels

// An f32i8Tile is a micro-kernel for a number of rows of float32 by int8 codes,
// widened as they are read; docs/kernels.md has the contract.
type f32i8Tile func(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

// f32i8Tiles are the micro-kernels of one instruction set.
type f32i8Tiles struct {
	width, group int         // of a panel; see packPanels
	cols         int         // channels of a tile of more than one row
	rows         []f32i8Tile // rows[i] does i+1 rows, rows[0] a whole panel
}

// f32i8BlockK is how many inputs one call may sum: so many that the loads and
// stores of y do not count, so few that a call takes less than 100 microseconds.
const f32i8BlockK = 4096

// mul overwrites the columns of the panels lo to hi-1 of y with x w. Each element
// is one sum in the order of the inputs, whatever the number of rows.
func (t *f32i8Tiles) mul(y, x Matrix, w *int8Panels, lo, hi int) {
	tiles := ceilDiv(y.Rows, len(t.rows))
	for panel := lo; panel < hi; panel++ {
		for p := 0; p < w.k; p += f32i8BlockK {
			k := min(f32i8BlockK, w.k-p)
			last := p+k == w.k
			for tile := range tiles {
				top, bottom := y.Rows*tile/tiles, y.Rows*(tile+1)/tiles
				rows, cols := bottom-top, t.cols
				if rows == 1 {
					cols = t.width
				}
				for j := panel * t.width; j < min(w.n, (panel+1)*t.width); j += cols {
					scales := &ones[0]
					if last {
						scales = &w.scales[j]
					}
					codes := &w.panel(j)[p*t.width+j%t.width*t.group]
					t.rows[rows-1](
						&y.Data[top*y.Stride+j], y.Stride, &x.Data[top*x.Stride+p], x.Stride,
						codes, k, min(cols, w.n-j), scales, p > 0)
				}
			}
		}
	}
}

// ones are the scales of sums that are not complete.
var ones = func() (v [64]float32) {
	fill(v[:], 1)
	return v
}()
