package weights

import (
	"fmt"
	"regexp"
	"strings"
)

// GuessLayout returns the layout that the file itself tells, and in words by what. It
// asks in this order, and of a stack for each of its matrices:
//
//   - the order of the axes: GGUF has the reduction axis along a row; an array in Fortran
//     order or a convolution kernel with the outputs last is what Matrices says;
//   - the length of the bias of the same name, which is the number of outputs;
//   - the sizes of the layers of one block that belong together: GPT-2's c_attn, c_fc and
//     c_proj, and the experts' gate_up_proj and down_proj, which models have either way;
//   - the name: Paddle's linear_0.w_0 and Keras' and Flax' kernel are [in, out].
//
// Where nothing tells, it returns the Layout of the matrix and that it is assumed.
func (m Matrix) GuessLayout() (layout Layout, why string) {
	t := m.Tensor
	switch {
	case t.fortran:
		return InOut, "an array in Fortran order, whose transpose is stored"
	case m.stack == 0 && t.outputsLast():
		return InOut, "a kernel of that name has the outputs last"
	case t.format == formatGGUF:
		return OutIn, "GGUF stores the reduction axis along a row"
	}
	for _, guess := range []func(Matrix) (Layout, string){byBias, byBlock, byName} {
		if layout, why := guess(m); why != "" {
			return layout, why
		}
	}
	return m.Layout, fmt.Sprintf("%s is assumed: nothing in the file tells", m.Layout)
}

// byBias compares the two axes with the length of the bias.
func byBias(m Matrix) (Layout, string) {
	t := m.Tensor
	out, in := 0, 1 // axes, if OutIn
	if m.stack > 0 {
		out, in = 1, 2
	}
	if t.Shape[out] == t.Shape[in] {
		return OutIn, ""
	}
	bias := t.bias()
	if bias == nil {
		return OutIn, ""
	}
	n := bias.Shape[len(bias.Shape)-1]
	why := fmt.Sprintf("%s has %d values", quote(bias.Name), n)
	switch {
	case m.stack > 0 && (len(bias.Shape) != 2 || bias.Shape[0] != m.stack), m.stack == 0 && len(bias.Shape) != 1:
	case n == t.Shape[out]:
		return OutIn, why
	case n == t.Shape[in]:
		return InOut, why
	}
	return OutIn, ""
}

// bias returns the tensor that is named as the bias of this one, nil if there is none or
// it is a scalar.
func (t *Tensor) bias() *Tensor {
	before, last, dotted := cutLast(t.Name, ".")
	if !dotted {
		before, last = "", t.Name
	} else {
		before += "."
	}
	for _, pair := range [][2]string{{"weight", "bias"}, {"w_", "b_"}, {"kernel", "bias"}} {
		if strings.HasPrefix(last, pair[0]) {
			if b := t.sibling(before + pair[1] + last[len(pair[0]):]); b != nil && len(b.Shape) > 0 {
				return b
			}
		}
	}
	for _, suffix := range []string{"_bias", ".bias"} { // of experts, which have no ".weight"
		if b := t.sibling(t.Name + suffix); b != nil && len(b.Shape) > 0 {
			return b
		}
	}
	return nil
}

// byBlock compares the sizes of layers that belong to one block.
func byBlock(m Matrix) (Layout, string) {
	t := m.Tensor
	if m.stack > 0 {
		return expertsLayout(t)
	}
	if before, found := strings.CutSuffix(t.Name, ".c_proj.weight"); found && len(t.Shape) == 2 {
		// Attention's own is square; all of a block are stored alike.
		block := before[:strings.LastIndexByte(before, '.')+1]
		for _, sibling := range []string{before + ".c_attn.weight", before + ".c_fc.weight", block + "attn.c_attn.weight", block + "mlp.c_fc.weight"} {
			if s := t.sibling(sibling); s != nil && len(s.Shape) == 2 {
				if layout, why := widening(s); why != "" {
					return layout, why
				}
			}
		}
		return OutIn, ""
	}
	for _, name := range []string{"c_attn.weight", "c_fc.weight"} {
		if len(t.Shape) == 2 && (t.Name == name || strings.HasSuffix(t.Name, "."+name)) {
			return widening(t)
		}
	}
	return OutIn, ""
}

// widening is for a layer with more outputs than inputs.
func widening(t *Tensor) (Layout, string) {
	why := fmt.Sprintf("%s is %s and has more outputs than inputs", quote(t.Name), shapeString(t.Shape))
	switch {
	case t.Shape[0] > t.Shape[1]:
		return OutIn, why
	case t.Shape[0] < t.Shape[1]:
		return InOut, why
	}
	return OutIn, ""
}

// expertsLayout compares gate_up_proj, hidden to twice the width, with down_proj, width
// to hidden.
func expertsLayout(t *Tensor) (Layout, string) {
	const up, down = "gate_up_proj", "down_proj"
	upName, downName := t.Name, t.Name
	switch {
	case strings.Contains(t.Name, up):
		downName = strings.Replace(t.Name, up, down, 1)
	case strings.Contains(t.Name, down):
		upName = strings.Replace(t.Name, down, up, 1)
	default:
		return OutIn, ""
	}
	u, d := t.sibling(upName), t.sibling(downName)
	if u == nil || d == nil || len(u.Shape) != 3 || len(d.Shape) != 3 {
		return OutIn, ""
	}
	why := fmt.Sprintf("%s is %s and %s is %s", up, shapeString(u.Shape), down, shapeString(d.Shape))
	switch {
	case u.Shape[1] == 2*d.Shape[2] && u.Shape[2] == d.Shape[1]:
		return OutIn, why
	case u.Shape[2] == 2*d.Shape[1] && u.Shape[1] == d.Shape[2]:
		return InOut, why
	}
	return OutIn, ""
}

// paddleLinear is a fully connected layer as Paddle numbers them.
var paddleLinear = regexp.MustCompile(`(^|[./])(linear|fc)_\d+\.w_\d+$`)

// byName goes by the names that frameworks give.
func byName(m Matrix) (Layout, string) {
	name := m.Tensor.Name
	switch {
	case strings.Contains(name, ".w_") && paddleLinear.MatchString(name):
		return InOut, "Paddle names and stores a linear layer so"
	case isKernel(name):
		return InOut, "Keras and Flax name and store a dense layer so"
	}
	dotted := "." + name + "."
	for _, part := range []string{".embed_tokens.", ".tok_embeddings.", ".word_embeddings.", ".embed_in.", ".wte.", ".wpe."} {
		if strings.Contains(dotted, part) {
			return OutIn, "an embedding: a row a token, as a tied output layer reads it"
		}
	}
	return OutIn, ""
}

// isKernel reports whether the last part of a name is "kernel", perhaps with TensorFlow's
// output number.
func isKernel(name string) bool {
	name = strings.TrimSuffix(name, ":0")
	return name[strings.LastIndexAny(name, "./")+1:] == "kernel"
}
