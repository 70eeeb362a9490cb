package kernels

// A dotTile is the micro-kernel dotF32 of docs/kernels.md for a number of rows:
// t[rows,columns] = x[rows,k] times k inputs of a group of columns, or t plus that.
type dotTile func(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)

// dotTiles are the micro-kernels of one instruction set.
type dotTiles struct {
	lanes   int       // of a vector
	columns int       // of a tile
	rows    []dotTile // rows[i] does i+1 rows
}

// dotBlockK is the most inputs in one call of a micro-kernel: one of 8 columns
// then reads 256 KiB of weight, which takes 26 microseconds at 10 GB/s.
const dotBlockK = 8192

// A skinnyF32 is a float32 weight [k,r] of few columns, which would leave most of
// a panel of F32 empty.
type skinnyF32 struct {
	k, r  int
	tiles *dotTiles
	// [ceil(r/columns)][ceil(k/lanes)][columns][lanes], zero past k and r
	u []float32
}

func newSkinnyF32(w Matrix, tiles *dotTiles) *skinnyF32 {
	s := &skinnyF32{k: w.Rows, r: w.Cols, tiles: tiles}
	s.u = packPanels(s.k, s.r, tiles.columns, tiles.lanes, func(p, j int) float32 { return w.Data[p*w.Stride+j] })
	return s
}

// MulTo overwrites t[m,r] with x[m,k] U, k > 0. It also writes what is between r and
// a multiple of the columns of a tile, which the stride of t must leave room for.
func (s *skinnyF32) MulTo(t, x Matrix) {
	task := skinnyTasks.get()
	*task = skinnyTask{s, t, x}
	split(task, ceilDiv(x.Rows, skinnyRows), f32Nanoseconds(x.Rows, s.k, s.r))
	skinnyTasks.put(task)
}

// skinnyRows is the number of rows of a unit of work: several of the highest tiles.
const skinnyRows = 12

type skinnyTask struct {
	s    *skinnyF32
	t, x Matrix
}

var skinnyTasks taskList[skinnyTask]

// run multiplies the rows of units lo <= i < hi.
func (task *skinnyTask) run(lo, hi int) {
	s, t, x := task.s, task.t, task.x
	tiles := s.tiles
	padded := ceilDiv(s.k, tiles.lanes) * tiles.lanes
	end := min(hi*skinnyRows, x.Rows)
	for p := 0; p < s.k; p += dotBlockK {
		steps := min(dotBlockK, s.k-p)
		for i := lo * skinnyRows; i < end; {
			m := min(len(tiles.rows), end-i)
			for j := 0; j < s.r; j += tiles.columns {
				tiles.rows[m-1](&t.Data[i*t.Stride+j], t.Stride, &x.Data[i*x.Stride+p], x.Stride,
					&s.u[j*padded+p*tiles.columns], steps, p > 0)
			}
			i += m
		}
	}
}
