package weights_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/weights"
)

// counting returns a file with one F32 tensor of that shape, whose values are 0, 1, 2...
func counting(t *testing.T, name string, shape ...int) *weights.File {
	t.Helper()
	n := 1
	for _, d := range shape {
		n *= d
	}
	var values []byte
	for i := range n {
		values = binary.LittleEndian.AppendUint32(values, math.Float32bits(float32(i)))
	}
	header := fmt.Sprintf(`{%q:{"dtype":"F32","shape":[%s],"data_offsets":[0,%d]}}`,
		name, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ","), "[]"), 4*n)
	return mustParse(t, header, values)
}

func TestViews(t *testing.T) {
	tests := []struct {
		name       string
		shape      []int
		matrices   []string // name
		rows, cols int
		view       string // of the last one
		skipped    string // reason
	}{
		{"w", []int{2, 3}, []string{"w"}, 2, 3, "[out, in] = [2, 3]", ""},
		{"w", []int{1, 3}, []string{"w"}, 1, 3, "[out, in] = [1, 3]", ""},
		{"conv.weight", []int{4, 5, 3}, []string{"conv.weight"}, 4, 15, "[4, 5, 3] as [o, i*k] = [4, 15]", ""},
		{"conv.weight", []int{4, 2, 3, 5}, []string{"conv.weight"}, 4, 30, "[4, 2, 3, 5] as [o, i*kh*kw] = [4, 30]", ""},
		{"mlp.experts.down_proj", []int{2, 3, 4}, []string{"mlp.experts.down_proj[0]", "mlp.experts.down_proj[1]"}, 3, 4,
			"expert 1 of [2, 3, 4], [out, in] = [3, 4]", ""},
		{"experts", []int{2, 3, 4}, []string{"experts[0]", "experts[1]"}, 3, 4, "expert 1 of [2, 3, 4], [out, in] = [3, 4]", ""},
		{"mlp.experts.2.conv", []int{2, 3, 4}, []string{"mlp.experts.2.conv"}, 2, 12, "[2, 3, 4] as [o, i*k] = [2, 12]", ""},
		{"mlp.experts_gate.conv", []int{2, 3, 4}, []string{"mlp.experts_gate.conv"}, 2, 12, "[2, 3, 4] as [o, i*k] = [2, 12]", ""},
		{"mlp.experts.2.w1", []int{3, 4}, []string{"mlp.experts.2.w1"}, 3, 4, "[out, in] = [3, 4]", ""},

		{"blk.0.ffn_up_exps.weight", []int{2, 3, 4}, []string{"blk.0.ffn_up_exps.weight[0]", "blk.0.ffn_up_exps.weight[1]"}, 3, 4,
			"expert 1 of [2, 3, 4], [out, in] = [3, 4]", ""},
		{"blk.0.ffn_up_exps", []int{1, 3, 4}, []string{"blk.0.ffn_up_exps[0]"}, 3, 4, "expert 0 of [1, 3, 4], [out, in] = [3, 4]", ""},
		{"ffn_up_exps.weight", []int{3, 4}, []string{"ffn_up_exps.weight"}, 3, 4, "[out, in] = [3, 4]", ""},
		{"ffn_up_expsome.weight", []int{2, 3, 4}, []string{"ffn_up_expsome.weight"}, 2, 12, "[2, 3, 4] as [o, i*k] = [2, 12]", ""},
		{"conv.kernel", []int{3, 5, 2, 4}, []string{"conv.kernel"}, 30, 4, "[3, 5, 2, 4] as [kh*kw*i, o] = [30, 4]", ""},
		{"conv/kernel:0", []int{3, 2, 4}, []string{"conv/kernel:0"}, 6, 4, "[3, 2, 4] as [k*i, o] = [6, 4]", ""},
		{"a[0]", []int{2, 3}, []string{"a[0]"}, 2, 3, "[out, in] = [2, 3]", ""},

		{"experts.bias", []int{9, 1, 3}, nil, 0, 0, "", "a stack of vectors, not of matrices"},
		{"experts.bias", []int{9, 3, 1}, nil, 0, 0, "", "a stack of vectors, not of matrices"},
		{"s", nil, nil, 0, 0, "", "a scalar"},
		{"b", []int{7}, nil, 0, 0, "", "1-D: a vector, not a matrix"},
		{"c", []int{1, 1, 2, 2, 2}, nil, 0, 0, "", "5-D: not known how to see it as a matrix"},
		{"e", []int{3, 0}, nil, 0, 0, "", "empty: shape [3, 0] has no value"},
		{"e", []int{0}, nil, 0, 0, "", "empty: shape [0] has no value"},
		{"experts.e", []int{9, 0, 3}, nil, 0, 0, "", "empty: shape [9, 0, 3] has no value"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.name, tt.shape), func(t *testing.T) {
			f := counting(t, tt.name, tt.shape...)
			var names []string
			for i, m := range f.Matrices() {
				names = append(names, m.Name())
				if rows, cols := m.Dims(); rows != tt.rows || cols != tt.cols {
					t.Errorf("%s is %d x %d, want %d x %d", m.Name(), rows, cols, tt.rows, tt.cols)
				}
				w, err := m.Load()
				if err != nil {
					t.Fatal(err)
				}
				if w.View != m.View() {
					t.Errorf("the view is %q before and %q after loading", m.View(), w.View)
				}
				for j, v := range w.Matrix.Data {
					if want := i*tt.rows*tt.cols + j; v != float32(want) {
						t.Fatalf("value %d of %s is %g, want %d", j, m.Name(), v, want)
					}
				}
				if i == len(tt.matrices)-1 && m.View() != tt.view {
					t.Errorf("the view of %s is %q, want %q", m.Name(), m.View(), tt.view)
				}
				found, err := f.Matrix(m.Name())
				if err != nil || found != m {
					t.Errorf("by its name: %v, %v", found, err)
				}
			}
			if !slices.Equal(names, tt.matrices) {
				t.Errorf("matrices are %q, want %q", names, tt.matrices)
			}
			skipped := f.Skipped()
			if tt.skipped == "" {
				if len(skipped) > 0 {
					t.Errorf("skipped: %s", skipped[0].Reason)
				}
				return
			}
			if len(skipped) != 1 || skipped[0].Tensor.Name != tt.name || skipped[0].Reason != tt.skipped {
				t.Fatalf("skipped are %v, want the reason %q", skipped, tt.skipped)
			}
			if _, err := f.Matrix(tt.name); err == nil || !strings.Contains(err.Error(), tt.skipped) {
				t.Errorf("by its name: %v", err)
			}
			if strings.HasPrefix(tt.skipped, "a stack") {
				return // the tensor alone does not tell
			}
			if _, err := (weights.Matrix{Tensor: skipped[0].Tensor}).Load(); err == nil || !strings.Contains(err.Error(), tt.skipped) {
				t.Errorf("loading it: %v", err)
			}
		})
	}
}

// A convolution that is set to [in, out] is a transposed one.
func TestViewOfTransposedConvolution(t *testing.T) {
	for want, shape := range map[string][]int{"[4, 2, 3, 5] as [i, o*kh*kw] = [4, 30]": {4, 2, 3, 5}, "[4, 2, 3] as [i, o*k] = [4, 6]": {4, 2, 3}} {
		m := counting(t, "up.weight", shape...).Matrices()[0]
		m.Layout = weights.InOut
		if got := m.View(); got != want {
			t.Errorf("the view is %q, want %q", got, want)
		}
	}
}

func TestMatrixByNameMissing(t *testing.T) {
	_, err := counting(t, "w", 2, 2).Matrix("v")
	if want := `test.safetensors: no matrix is named "v"`; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

// A tensor whose name is that of an expert goes before the expert.
func TestMatrixByName(t *testing.T) {
	f := shapes(t, map[string][]int{"experts": {3, 2, 2}, "experts[1]": {5, 6}, "w": {2, 2}})
	for name, rows := range map[string]int{"experts[0]": 2, "experts[1]": 5, "experts[2]": 2, "w": 2} {
		m, err := f.Matrix(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := m.Dims(); got != rows {
			t.Errorf("%s has %d rows, want %d", name, got, rows)
		}
	}
	for _, name := range []string{"experts[3]", "experts[-1]", "experts[00]", "experts[+1]", "experts[]", "experts[0", "w[0]", "[0]", "]", "["} {
		if m, err := f.Matrix(name); err == nil || !strings.Contains(err.Error(), "no matrix is named") {
			t.Errorf("%q is %v, %v", name, m, err)
		}
	}
	if _, err := f.Matrix("experts"); err == nil || !strings.Contains(err.Error(), "is a stack of 3 matrices: add [0] to [2] to its name") {
		t.Errorf("a stack by its name: %v", err)
	}
}

func TestSetStacks(t *testing.T) {
	f := shapes(t, map[string][]int{"moe.input_linear.weight": {3, 2, 4}, "conv.weight": {3, 2, 4}, "moe.linear.weight": {3, 2}})
	names := func() string {
		var list []string
		for _, m := range f.Matrices() {
			list = append(list, m.Name())
		}
		slices.Sort(list)
		return strings.Join(list, " ")
	}
	if got, want := names(), "conv.weight moe.input_linear.weight moe.linear.weight"; got != want {
		t.Errorf("matrices are %s, want %s", got, want)
	}
	if err := f.SetStacks("nothing", "moe.*"); err != nil {
		t.Fatal(err)
	}
	want := "conv.weight moe.input_linear.weight[0] moe.input_linear.weight[1] moe.input_linear.weight[2] moe.linear.weight"
	if got := names(); got != want {
		t.Errorf("matrices are %s, want %s", got, want)
	}
	if err := f.SetStacks("a", "["); err == nil || !strings.Contains(err.Error(), `pattern "["`) {
		t.Errorf("a malformed pattern: %v", err)
	}
	if got := names(); got != want {
		t.Errorf("after a malformed pattern they are %s", got)
	}
}

// A tensor that someone made up is no tensor of a file.
// A header may promise more matrices than there is memory to list.
func TestLargeStack(t *testing.T) {
	for n, want := range map[int]int{1 << 16: 1 << 16, 1<<16 + 1: 0, 1 << 40: 0} {
		header := fmt.Sprintf(`{"l.experts.w": {"dtype": "F8_E4M3", "shape": [%d, 2, 2], "data_offsets": [0, %d]}}`, n, 4*n)
		head := tensorFile(header, nil)
		f, err := weights.New("m", sparse(head), int64(len(head)+4*n))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(f.Matrices()); got != want {
			t.Errorf("%d matrices of a stack of %d, want %d", got, n, want)
		}
		if got := len(f.Skipped()); want == 0 && (got != 1 || !strings.Contains(f.Skipped()[0].Reason, "more than 65536 matrices")) {
			t.Errorf("a stack of %d: %v", n, f.Skipped())
		}
	}
}

func TestStrings(t *testing.T) {
	f := counting(t, "mlp.experts.w", 2, 3, 4)
	m := f.Matrices()[1]
	for _, test := range []struct {
		value fmt.Stringer
		want  string
	}{
		{f, f.Name() + ": safetensors, tensors: 1"},
		{m, "mlp.experts.w[1]: F32, expert 1 of [2, 3, 4], [out, in] = [3, 4]"},
		{m.Tensor, "mlp.experts.w: F32, [2, 3, 4]"},
		{weights.Matrix{}, "no matrix"},
	} {
		if got := test.value.String(); got != test.want {
			t.Errorf("%T: got %q, want %q", test.value, got, test.want)
		}
	}
}

// A matrix whose error was not looked at fails with an error, and does not panic.
func TestNoMatrix(t *testing.T) {
	m, err := counting(t, "w", 2, 3).Matrix("v")
	if err == nil {
		t.Fatal("a matrix of another name")
	}
	if _, err := m.Load(); err == nil || !strings.Contains(err.Error(), "its Tensor is nil") {
		t.Error(err)
	}
	if err := m.ReadRows(nil, 0); err == nil || !strings.Contains(err.Error(), "its Tensor is nil") {
		t.Error(err)
	}
}

func TestMadeUpTensor(t *testing.T) {
	m := weights.Matrix{Tensor: &weights.Tensor{Name: "w", File: "f", DType: weights.F32, Shape: []int{1, 1}, Bytes: 4}}
	if _, err := m.Load(); err == nil || !strings.Contains(err.Error(), "not a tensor of a file") {
		t.Error(err)
	}
}

func TestAsInOut(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {1, 5}, {5, 1}, {2, 3}, {32, 32}, {33, 65}, {100, 31}} {
		out, in := shape[0], shape[1]
		m := counting(t, "w", out, in).Matrices()[0]
		stored, err := m.Load()
		if err != nil {
			t.Fatal(err)
		}
		w := stored.AsInOut()
		if w.Layout != weights.InOut || w.Matrix.Rows != in || w.Matrix.Cols != out || w.Matrix.Stride != out {
			t.Fatalf("[%d, %d] becomes %v [%d, %d]", out, in, w.Layout, w.Matrix.Rows, w.Matrix.Cols)
		}
		for k := range in {
			for n := range out {
				if got, want := w.Matrix.Data[k*out+n], float32(n*in+k); got != want {
					t.Fatalf("[%d, %d]: W[%d, %d] is %g, want %g", out, in, k, n, got, want)
				}
			}
		}
		if want := fmt.Sprintf("[out, in] = [%d, %d], transposed to [in, out] = [%d, %d]", out, in, in, out); w.View != want {
			t.Errorf("the view is %q, want %q", w.View, want)
		}
		if again := w.AsInOut(); again.View != w.View || &again.Matrix.Data[0] != &w.Matrix.Data[0] {
			t.Error("a second AsInOut does something")
		}
		if stored.Layout != weights.OutIn || stored.Matrix.Data[out*in-1] != float32(out*in-1) {
			t.Error("AsInOut changes the stored weight")
		}

		m.Layout = weights.InOut
		known, err := m.Load()
		if err != nil {
			t.Fatal(err)
		}
		same := known.AsInOut()
		if same.Matrix.Rows != out || same.View != fmt.Sprintf("[in, out] = [%d, %d]", out, in) {
			t.Errorf("a matrix known to be [in, out] becomes %q", same.View)
		}
	}
}

// AsInOut takes a matrix with a stride above its columns.
func TestAsInOutStride(t *testing.T) {
	w := weights.Weight{Matrix: kernels.Matrix{Rows: 2, Cols: 2, Stride: 3, Data: []float32{1, 2, -1, 3, 4}}}.AsInOut()
	if want := []float32{1, 3, 2, 4}; !slices.Equal(w.Matrix.Data, want) {
		t.Errorf("transposed values are %v, want %v", w.Matrix.Data, want)
	}
}

// A matrix that could not be held is an error before memory is asked for.
func TestLoadTooLarge(t *testing.T) {
	const side = 1 << 21
	header := fmt.Sprintf(`{"w":{"dtype":"F16","shape":[%d,%d],"data_offsets":[0,%d]}}`, side, side, int64(2*side*side))
	file := tensorFile(header, nil)
	f, err := weights.New("sparse", sparse(file), int64(len(file))+2*side*side)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Matrices()[0].Load(); err == nil || !strings.Contains(err.Error(), "too many to load at once") {
		t.Errorf("loading 2^42 values: %v", err)
	}
}

// sparse is a file that goes on with zeros.
type sparse []byte

func (s sparse) ReadAt(b []byte, offset int64) (int, error) {
	clear(b)
	if offset < int64(len(s)) {
		copy(b, s[offset:])
	}
	return len(b), nil
}

// Any tensor whose dtype is decoded can be read as one column.
func TestColumn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	data := []float32{1, 2, 3, 4, 5, 6}
	if err := weights.WriteSafetensors(path, []weights.Named{
		{Name: "vector", Shape: []int{6}, Data: data, DType: weights.BF16}, {Name: "matrix", Shape: []int{2, 3}, Data: data},
		{Name: "five axes", Shape: []int{1, 2, 1, 3, 1}, Data: data}, {Name: "scalar", Shape: []int{}, Data: data[:1]},
		{Name: "empty", Shape: []int{0}},
	}); err != nil {
		t.Fatal(err)
	}
	f, err := weights.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, tensor := range f.Tensors() {
		m, err := tensor.Column()
		if tensor.Name == "empty" {
			if err == nil || !strings.Contains(err.Error(), "has no value") {
				t.Errorf("empty: %v", err)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		want := data[:tensor.Elements()]
		w, err := m.Load()
		if rows, cols := m.Dims(); err != nil || rows != len(want) || cols != 1 || !slices.Equal(w.Matrix.Data, want) {
			t.Errorf("%s: %d x %d, %v, %v", tensor.Name, rows, cols, w.Matrix.Data, err)
		}
	}
	if _, err := open(t, "testdata/numpy_f4_fortran.npy").Tensors()[0].Column(); err == nil || !strings.Contains(err.Error(), "Fortran order") {
		t.Errorf("Fortran order: %v", err)
	}
}
