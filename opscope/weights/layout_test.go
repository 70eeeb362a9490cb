package weights_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// shapes writes a file of tensors of these shapes and opens it.
func shapes(t *testing.T, tensors map[string][]int) *weights.File {
	t.Helper()
	var named []weights.Named
	for name, shape := range tensors {
		n := 1
		for _, d := range shape {
			n *= d
		}
		named = append(named, weights.Named{Name: name, DType: weights.BF16, Shape: shape, Data: make([]float32, n)})
	}
	path := filepath.Join(t.TempDir(), "w.safetensors")
	if err := weights.WriteSafetensors(path, named); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func TestGuessLayout(t *testing.T) {
	const assumed = "[out, in] is assumed: nothing in the file tells"
	gpt2 := map[string][]int{ // one block of GPT-2, an eighth of its width
		"h.0.attn.c_attn.weight": {96, 288}, "h.0.attn.c_attn.bias": {288},
		"h.0.attn.c_proj.weight": {96, 96}, "h.0.attn.c_proj.bias": {96},
		"h.0.mlp.c_fc.weight": {96, 384}, "h.0.mlp.c_fc.bias": {384},
		"h.0.mlp.c_proj.weight": {384, 96}, "h.0.mlp.c_proj.bias": {96},
		"wte.weight": {700, 96},
	}
	bigcode := map[string][]int{ // the same names with linear layers
		"h.0.attn.c_attn.weight": {288, 96}, "h.0.attn.c_attn.bias": {288},
		"h.0.attn.c_proj.weight": {96, 96}, "h.0.attn.c_proj.bias": {96},
		"h.0.mlp.c_fc.weight": {384, 96}, "h.0.mlp.c_proj.weight": {96, 384},
	}
	for _, tt := range []struct {
		name    string
		tensors map[string][]int
		matrix  string
		want    weights.Layout
		why     string
	}{
		{"GPT-2, attention", gpt2, "h.0.attn.c_attn.weight", weights.InOut, `"h.0.attn.c_attn.bias" has 288 values`},
		{"GPT-2, square", gpt2, "h.0.attn.c_proj.weight", weights.InOut, `"h.0.attn.c_attn.weight" is [96, 288]`},
		{"GPT-2, up", gpt2, "h.0.mlp.c_fc.weight", weights.InOut, "has 384 values"},
		{"GPT-2, down", gpt2, "h.0.mlp.c_proj.weight", weights.InOut, "has 96 values"},
		{"GPT-2, embedding", gpt2, "wte.weight", weights.OutIn, "an embedding"},
		{"GPTBigCode, attention", bigcode, "h.0.attn.c_attn.weight", weights.OutIn, "has 288 values"},
		{"GPTBigCode, square", bigcode, "h.0.attn.c_proj.weight", weights.OutIn, "is [288, 96]"},
		{"GPTBigCode, up, without bias", bigcode, "h.0.mlp.c_fc.weight", weights.OutIn, "more outputs than inputs"},
		{"GPTBigCode, down, without bias", bigcode, "h.0.mlp.c_proj.weight", weights.OutIn, `"h.0.mlp.c_fc.weight" is [384, 96]`},
		{"only a square c_proj", map[string][]int{"a.c_proj.weight": {8, 8}}, "a.c_proj.weight", weights.OutIn, assumed},
		{"c_attn at the top", map[string][]int{"c_attn.weight": {8, 24}}, "c_attn.weight", weights.InOut, "more outputs"},

		{"bias says out", map[string][]int{"fc.weight": {5, 7}, "fc.bias": {5}}, "fc.weight", weights.OutIn, `"fc.bias" has 5 values`},
		{"bias says in", map[string][]int{"fc.weight": {5, 7}, "fc.bias": {7}}, "fc.weight", weights.InOut, `"fc.bias" has 7 values`},
		{"bias of a square", map[string][]int{"fc.weight": {7, 7}, "fc.bias": {7}}, "fc.weight", weights.OutIn, assumed},
		{"bias of another size", map[string][]int{"fc.weight": {5, 7}, "fc.bias": {9}}, "fc.weight", weights.OutIn, assumed},
		{"bias that is a matrix", map[string][]int{"fc.weight": {5, 7}, "fc.bias": {1, 7}}, "fc.weight", weights.OutIn, assumed},
		{"scalar bias", map[string][]int{"fc.weight": {5, 7}, "fc.bias": nil}, "fc.weight", weights.OutIn, assumed},
		{"no name before", map[string][]int{"weight": {5, 7}, "bias": {7}}, "weight", weights.InOut, "has 7 values"},
		{"LSTM", map[string][]int{"rnn.weight_ih_l0": {32, 6}, "rnn.bias_ih_l0": {32}}, "rnn.weight_ih_l0", weights.OutIn, `"rnn.bias_ih_l0" has 32 values`},
		{"convolution", map[string][]int{"c.weight": {8, 4, 3, 3}, "c.bias": {8}}, "c.weight", weights.OutIn, "has 8 values"},
		{"transposed convolution", map[string][]int{"c.weight": {8, 4, 3, 3}, "c.bias": {4}}, "c.weight", weights.InOut, "has 4 values"},

		{"Paddle", map[string][]int{"linear_85.w_0": {12, 66}}, "linear_85.w_0", weights.InOut, "Paddle"},
		{"Paddle, by its bias", map[string][]int{"linear_85.w_0": {12, 66}, "linear_85.b_0": {66}}, "linear_85.w_0", weights.InOut, `"linear_85.b_0" has 66 values`},
		{"Paddle, convolution", map[string][]int{"conv2d_180.w_0": {4, 3, 1, 1}}, "conv2d_180.w_0", weights.OutIn, assumed},
		{"not Paddle", map[string][]int{"nonlinear_85.w_0": {12, 66}}, "nonlinear_85.w_0", weights.OutIn, assumed},
		{"Flax", map[string][]int{"encoder.dense.kernel": {12, 66}}, "encoder.dense.kernel", weights.InOut, "Flax"},
		{"Keras", map[string][]int{"dense/kernel:0": {12, 66}}, "dense/kernel:0", weights.InOut, "Keras"},
		{"Flax, convolution", map[string][]int{"conv.kernel": {3, 3, 4, 8}}, "conv.kernel", weights.InOut, "outputs last"},
		{"kernel within a name", map[string][]int{"kernel.weight": {12, 66}}, "kernel.weight", weights.OutIn, assumed},
		{"Llama", map[string][]int{"model.layers.0.mlp.up_proj.weight": {12, 66}}, "model.layers.0.mlp.up_proj.weight", weights.OutIn, assumed},

		{"experts by their bias", map[string][]int{"mlp.experts.gate_up_proj": {2, 6, 8}, "mlp.experts.gate_up_proj_bias": {2, 8}},
			"mlp.experts.gate_up_proj[1]", weights.InOut, `"mlp.experts.gate_up_proj_bias" has 8 values`},
		{"experts by each other, [in, out]", map[string][]int{"mlp.experts.gate_up_proj": {2, 6, 8}, "mlp.experts.down_proj": {2, 4, 6}},
			"mlp.experts.down_proj[0]", weights.InOut, "gate_up_proj is [2, 6, 8] and down_proj is [2, 4, 6]"},
		{"experts by each other, [out, in]", map[string][]int{"mlp.experts.gate_up_proj": {2, 8, 6}, "mlp.experts.down_proj": {2, 6, 4}},
			"mlp.experts.gate_up_proj[0]", weights.OutIn, "gate_up_proj is [2, 8, 6]"},
		{"experts alone", map[string][]int{"mlp.experts.gate_up_proj": {2, 8, 6}}, "mlp.experts.gate_up_proj[0]", weights.OutIn, assumed},
		{"experts that do not fit", map[string][]int{"mlp.experts.gate_up_proj": {2, 8, 6}, "mlp.experts.down_proj": {2, 9, 9}},
			"mlp.experts.gate_up_proj[0]", weights.OutIn, assumed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := shapes(t, tt.tensors).Matrix(tt.matrix)
			if err != nil {
				t.Fatal(err)
			}
			got, why := m.GuessLayout()
			if got != tt.want || !strings.Contains(why, tt.why) {
				t.Errorf("%s because %q, want %s because %q", got, why, tt.want, tt.why)
			}
		})
	}
}

// What someone has set stays where nothing tells.
func TestGuessLayoutKeeps(t *testing.T) {
	m := shapes(t, map[string][]int{"w": {2, 3}}).Matrices()[0]
	m.Layout = weights.InOut
	if got, why := m.GuessLayout(); got != weights.InOut || why != "[in, out] is assumed: nothing in the file tells" {
		t.Errorf("%s, %s", got, why)
	}
}

func TestGuessLayoutOfFortranOrder(t *testing.T) {
	m := open(t, "testdata/numpy_f4_fortran.npy").Matrices()[0]
	if got, why := m.GuessLayout(); got != weights.InOut || !strings.Contains(why, "Fortran order") {
		t.Errorf("%s, %s", got, why)
	}
}

func TestGuessLayoutOfSilero(t *testing.T) {
	want := map[string]string{
		"stft.forward_basis_buffer":     "is assumed",
		"encoder.0.reparam_conv.weight": `"encoder.0.reparam_conv.bias" has 128 values`,
		"encoder.2.reparam_conv.weight": "is assumed", // as many inputs as outputs
		"decoder.rnn.weight_ih":         `"decoder.rnn.bias_ih" has 512 values`,
		"decoder.rnn.weight_hh":         `"decoder.rnn.bias_hh" has 512 values`,
	}
	f := open(t, sileroPath)
	for name, why := range want {
		m, err := f.Matrix(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, text := m.GuessLayout(); got != weights.OutIn || !strings.Contains(text, why) {
			t.Errorf("%s: %s because %q, want %q", name, got, text, why)
		}
	}
}
