// Package weights reads the matrices of a model from its tensor files: safetensors, in
// one file or in parts with an index, GGUF with its block formats, NPY, and the .tensor
// dump of the rlx-opscope crate. It writes safetensors and NPY.
//
// Open reads what describes the tensors only; Matrices lists every tensor that can be
// seen as a matrix, Skipped every other one with the reason, so that nothing of the
// file goes unmentioned. The values are read and decoded to float32 by Load, or a few
// rows at a time by ReadRows, whatever the size of the matrix:
//
//	file, err := weights.Open("model.safetensors")
//	for _, m := range file.Matrices() {
//		m.Layout, _ = m.GuessLayout() // [out, in] or [in, out], and why
//		w, err := m.Load()            // as stored
//		k := w.AsInOut().Matrix       // W[k,n] = [in, out], as the kernels take it
//	}
//
// A dtype that is not decoded is skipped and named, as integers are: they are the codes
// of some quantization whose scales are elsewhere. A tensor of 8-bit or 4-bit floats is
// decoded as it is; if the model scales it by another tensor, that is not applied.
//
// Files are taken to be hostile: every length, count and offset is checked against
// the size of the file before anything is allocated from it.
package weights
