package weights

const ggufMagic = "GGUF"

var ggufDTypes = map[DType]dtypeInfo{}

func readGGUF(src *source, size int64) ([]*Tensor, map[string]string, error) {
	return nil, nil, &FormatError{File: src.name, Reason: "GGUF is not read yet"}
}

// ggufRest opens the other parts of the model whose first part, of that metadata, is at
// path: none if it is not split.
func ggufRest(path string, metadata map[string]string, open func(path string) (part, error)) ([]part, error) {
	return nil, nil
}
