// Package weights reads the matrices of a model from a tensor file.
//
// Open reads the header of a safetensors file only; Matrices lists every tensor
// that can be seen as a matrix, Skipped every other one with the reason, so that
// nothing of the file goes unmentioned. The values of a matrix are read when Load
// is called:
//
//	file, err := weights.Open("model.safetensors")
//	for _, m := range file.Matrices() {
//		w, err := m.Load()        // as stored, usually [out, in]
//		k := w.AsInOut().Matrix   // W[k,n] = [in, out], as the kernels take it
//	}
//
// Files are taken to be hostile: every length, count and offset is checked against
// the size of the file before anything is allocated from it.
package weights
