//go:build !noasm

package kernels

// widenedSteps is how many inputs of a panel are widened to float32 at a time: 16 KiB
// that stay in the first-level cache for the tiles of all rows.
const widenedSteps = 256

// widenedI8 overwrites the columns of the panels lo to hi-1 of y with x w, for panels
// of 16 channels in groups of 4 or 8 inputs. Each element is one sum in the order of the
// inputs, whatever the number of rows.
func widenedI8(y, x Matrix, w *int8Panels, lo, hi int) {
	for j := 16 * lo; j < min(w.n, 16*hi); j += 16 {
		cols := min(16, w.n-j)
		if y.Rows == 1 && w.group == 4 {
			wholePanels(&y.Data[j], 0, 1, cols, 16, false, func(y *float32, _ int) {
				for p := 0; p < w.k; p += f32i8BlockK {
					gemvF32I8_1x16_NEON(y, &x.Data[p], &w.panel(j)[16*p], min(f32i8BlockK, w.k-p), p > 0)
				}
			})
		} else {
			var widened [16 * widenedSteps]float32
			for p := 0; p < w.k; p += widenedSteps {
				steps := min(widenedSteps, w.k-p)
				codes := &w.panel(j)[16*p]
				if w.group == 8 {
					var regrouped [16 * widenedSteps]int8
					regroupI8_NEON(&regrouped[0], codes, ceilDiv(steps, 8))
					codes = &regrouped[0]
				}
				widenI8_NEON(&widened[0], codes, ceilDiv(steps, 4))
				mulWidened(y, x, p, steps, j, cols, &widened)
			}
		}
		for i := range y.Rows {
			for c, scale := range w.scales[j:][:cols] {
				y.Data[i*y.Stride+j+c] *= scale
			}
		}
	}
}

// mulWidened sets columns j to j+cols-1 of y to inputs p to p+steps-1 of x times
// float32, steps rows of 16, or adds that to them unless p is 0.
func mulWidened(y, x Matrix, p, steps, j, cols int, w *[16 * widenedSteps]float32) {
	const height = 6
	tiles := ceilDiv(y.Rows, height)
	for tile := range tiles {
		top, bottom := y.Rows*tile/tiles, y.Rows*(tile+1)/tiles
		wholePanels(&y.Data[top*y.Stride+j], y.Stride, bottom-top, cols, 16, p > 0, func(y *float32, ldy int) {
			xi, ldx, accumulate := &x.Data[top*x.Stride+p], x.Stride, p > 0
			// Through a table the weight would escape to the heap.
			switch bottom - top {
			case 1:
				gemmF32_1x16_NEON(y, ldy, xi, ldx, &w[0], steps, accumulate)
			case 2:
				gemmF32_2x16_NEON(y, ldy, xi, ldx, &w[0], steps, accumulate)
			case 3:
				gemmF32_3x16_NEON(y, ldy, xi, ldx, &w[0], steps, accumulate)
			case 4:
				gemmF32_4x16_NEON(y, ldy, xi, ldx, &w[0], steps, accumulate)
			case 5:
				gemmF32_5x16_NEON(y, ldy, xi, ldx, &w[0], steps, accumulate)
			case height:
				gemmF32_6x16_NEON(y, ldy, xi, ldx, &w[0], steps, accumulate)
			}
		})
	}
}

//go:noescape
func widenI8_NEON(dst *float32, w *int8, groups int)

//go:noescape
func regroupI8_NEON(dst, w *int8, groups int)

//go:noescape
func gemvF32I8_1x16_NEON(y, x *float32, w *int8, k int, accumulate bool)
