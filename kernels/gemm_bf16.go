package kernels

// A bf16Tile is a micro-kernel: y[mr,cols] = x[mr,k] times a panel of W, or y plus
// that when accumulate is set. mr belongs to the function; w points to the first
// of ceil(k/2) pairs of inputs of the panel, and cols is at least 1 and at most
// its width. docs/kernels.md has the whole contract.
type bf16Tile[X float32 | uint16] func(y *float32, ldy int, x *X, ldx int, w *uint16, k, cols int, accumulate bool)

// A bf16Row is a micro-kernel for one row of x and several whole panels of W, apart
// elements from each other.
type bf16Row[X float32 | uint16] func(y *float32, x *X, w *uint16, apart, k int, accumulate bool)

// bf16Tiles are the micro-kernels of one instruction set, for activations in
// float32 or rounded to bfloat16.
type bf16Tiles[X float32 | uint16] struct {
	width  int           // of a panel, in columns
	rows   []bf16Tile[X] // rows[i] does i+1 rows
	row    bf16Row[X]
	panels int // that row does
}

const (
	// Inputs of a block: what a tile reads of a panel, 64 columns wide, is a
	// quarter of a mebibyte, and stays in the second cache for the next tile.
	bf16BlockK = 2048
	// Values of x in a block of rows, to stay there too.
	bf16BlockX = 64 << 10
)

// gemmBF16 makes an implementation of BF16 out of micro-kernels that widen the
// weight to float32.
func gemmBF16(tiles *bf16Tiles[float32]) bf16Funcs {
	return bf16Funcs{
		width: tiles.width,
		pack:  tiles.pack,
		mul: func(y, x Matrix, w []uint16, lo, hi int) {
			tiles.mul(y, x.Data, x.Stride, x.Cols, w, lo, hi)
		},
	}
}

// gemmBF16Rounded makes one out of micro-kernels that multiply pairs of bfloat16.
func gemmBF16Rounded(tiles *bf16Tiles[uint16], round func(dst []uint16, src []float32)) bf16Funcs {
	return bf16Funcs{width: tiles.width, pack: tiles.pack, mulRounded: tiles.mul, round: round}
}

func (t *bf16Tiles[X]) pack(w Matrix) []uint16 {
	return packPanels(w.Rows, w.Cols, t.width, 2, func(p, j int) uint16 { return toBF16(w.Data[p*w.Stride+j]) })
}

func (t *bf16Tiles[X]) mul(y Matrix, x []X, ldx, k int, w []uint16, lo, hi int) {
	m, n := y.Rows, y.Cols
	blockK := min(k, bf16BlockK)
	blockM := max(len(t.rows), bf16BlockX/blockK)
	panel := 2 * ceilDiv(k, 2) * t.width
	for p := 0; p < k; p += blockK {
		steps := min(blockK, k-p)
		for i := 0; i < m; i += blockM {
			// Tiles of nearly equal height, rather than full ones and a low one,
			// which would do less for each load.
			height := min(blockM, m-i)
			parts := ceilDiv(height, len(t.rows))
			for j := lo; j < hi; j++ {
				if height == 1 && hi-j >= t.panels && (j+t.panels)*t.width <= n {
					t.row(&y.Data[i*y.Stride+j*t.width], &x[i*ldx+p], &w[j*panel+p*t.width], panel, steps, p > 0)
					j += t.panels - 1
					continue
				}
				cols := min(t.width, n-j*t.width)
				wj := &w[j*panel+p*t.width]
				for part := range parts {
					top, bottom := i+height*part/parts, i+height*(part+1)/parts
					t.rows[bottom-top-1](&y.Data[top*y.Stride+j*t.width], y.Stride, &x[top*ldx+p], ldx, wj, steps, cols, p > 0)
				}
			}
		}
	}
}
