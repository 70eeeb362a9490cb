package opscope_test

import (
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/weights"
)

// Figures of real matrices, computed in float64 by another program, those of the
// singular values from the eigenvalues of the Gram matrix. Rows and columns are those of
// the tensor as stored.
func TestReferenceFigures(t *testing.T) {
	tests := []struct {
		file, name                string
		rows, cols                int
		int8                      [3]float64 // per tensor, row, column
		int4                      [3]float64
		int4Group                 float64    // 32 along the rows
		sparse                    [2]float64 // 2:4 along the rows, the columns
		ternary, kurtosis         float64
		largestColumn, largestRow float64 // over the median
		stableRank                float64
		r90, r99                  int     // ranks that hold 90% and 99% of the squared norm
		tolerance                 float64 // of the three before stableRank, from their digits
	}{
		{"silero_vad_v5", "decoder.rnn.weight_ih", 512, 128,
			[3]float64{.019138, .007591, .010536}, [3]float64{.345809, .137875, .190939}, .107525,
			[2]float64{.336654, .328880}, .504863, 5.252, 2.023, 2.830, 9.8604, 68, 115, 5e-4},
		{"silero_vad_v5", "decoder.rnn.weight_hh", 512, 128,
			[3]float64{.020358, .007808, .009325}, [3]float64{.367697, .141409, .169718}, .109310,
			[2]float64{.339940, .342064}, .492425, 4.636, 2.360, 2.834, 10.8973, 66, 115, 5e-4},
		{"silero_vad_v5", "stft.forward_basis_buffer", 130, 128,
			[3]float64{.005030, .004948, .003324}, [3]float64{.088990, .086714, .052295}, .069023,
			[2]float64{.493070, .509051}, .399554, 2.962, 2.000, 1.000, 40.0875, 60, 87, 5e-4},
		{"ppocr_v4_rec_two", "conv2d_180.w_0", 480, 480,
			[3]float64{.286913, .019411, .017926}, [3]float64{.936879, .191801, .216323}, .109735,
			[2]float64{.297553, .275680}, .612820, 1458.5, 28.9, 36.3, 12.8862, 169, 317, 2e-3},
		{"ppocr_v4_rec_two", "linear_85.w_0", 120, 6625,
			[3]float64{.042542, .010749, .006107}, [3]float64{.734996, .187430, .110751}, .097324,
			[2]float64{.377169, .387339}, .453240, 4.517, 7.154, 4.494, 4.4473, 85, 116, 5e-4},
	}
	for _, tt := range tests {
		file, err := weights.Open("../notebooks/data/" + tt.file + ".safetensors")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		m, err := file.Matrix(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		byColumns, err := opscope.ProbeRows(t.Context(), m, opscope.Options{})
		if err != nil {
			t.Fatal(err)
		}
		byRows, err := opscope.ProbeRows(t.Context(), m, opscope.Options{SVDLimit: -1, OutIn: true})
		if err != nil {
			t.Fatal(err)
		}
		if byColumns.Rows != tt.rows || byColumns.Cols != tt.cols || byRows.Rows != tt.cols || byRows.Cols != tt.rows {
			t.Errorf("%s: %d x %d, as rows %d x %d", tt.name, byColumns.Rows, byColumns.Cols, byRows.Rows, byRows.Cols)
		}
		for i, g := range granularities {
			transposed := map[opscope.Granularity]opscope.Granularity{
				opscope.PerTensor: opscope.PerTensor, opscope.PerRow: opscope.PerColumn, opscope.PerColumn: opscope.PerRow}[g]
			for _, p := range []struct {
				opscope.Profile
				g opscope.Granularity
			}{{byColumns, g}, {byRows, transposed}} {
				near(t, tt.name+" int8 per "+string(g), p.QuantError(8, p.g), tt.int8[i], 5e-4)
				near(t, tt.name+" int4 per "+string(g), p.QuantError(4, p.g), tt.int4[i], 5e-4)
			}
		}
		near(t, tt.name+" int4 in groups of 32", byRows.GroupQuantError(4, 32), tt.int4Group, 5e-4)
		near(t, tt.name+" 2:4 along rows", byRows.Sparse[0].Error, tt.sparse[0], 5e-4)
		near(t, tt.name+" 2:4 along columns", byColumns.Sparse[0].Error, tt.sparse[1], 5e-4)
		for _, p := range []opscope.Profile{byColumns, byRows} {
			near(t, tt.name+" ternary", p.Ternary, tt.ternary, 5e-4)
			near(t, tt.name+" kurtosis", p.Kurtosis, tt.kurtosis, 5e-4)
		}
		near(t, tt.name+" largest row", byColumns.Outliers[0].Ratio, tt.largestRow, tt.tolerance)
		near(t, tt.name+" largest column", byColumns.Outliers[1].Ratio, tt.largestColumn, tt.tolerance)
		near(t, tt.name+" largest output channel by rows", byRows.Outliers[1].Ratio, tt.largestRow, tt.tolerance)
		near(t, tt.name+" stable rank", byColumns.StableRank, tt.stableRank, 2e-5)
		near(t, tt.name+" stable rank by Lanczos", byRows.StableRank, tt.stableRank, 2e-5)
		if r90, r99 := byColumns.Spectrum.RankFor(math.Sqrt(0.1)), byColumns.Spectrum.RankFor(0.1); r90 != tt.r90 || r99 != tt.r99 {
			t.Errorf("%s: ranks %d and %d, want %d and %d", tt.name, r90, r99, tt.r90, tt.r99)
		}
		// Some 97 to 100% of the values differ; the table of the formats is far.
		if d := byRows.Cardinality; tt.name != "stft.forward_basis_buffer" && d.Distinct < 1000 {
			t.Errorf("%s: %+v distinct values", tt.name, d)
		}
	}
}
