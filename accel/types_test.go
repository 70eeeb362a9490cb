package accel

import (
	"reflect"
	"testing"
)

// Where arguments go depends on their sizes: on darwin/arm64 those beyond the
// registers are packed. So each Go type has the size and the class of the C type: i
// int, l int64_t or size_t, f float, p pointer, c char or bool.
func TestArgumentTypes(t *testing.T) {
	var blas cblas
	var d dnn
	var b bnns
	class := map[reflect.Kind]string{
		reflect.Int32: "i", reflect.Uint32: "i", reflect.Int64: "l", reflect.Uintptr: "l", reflect.Float32: "f",
		reflect.Pointer: "p", reflect.UnsafePointer: "p", reflect.Uint8: "c", reflect.Int8: "c", reflect.Bool: "c",
	}
	for _, c := range []struct {
		name    string
		fn      any
		in, out string
	}{
		{"cblas_sgemm", blas.sgemm, "iiiiiifpipifpi", ""},
		{"cblas_sgemv", blas.sgemv, "iiiifpipifpi", ""},
		{"dnnl_sgemm", d.sgemm, "cclllfplplfpl", "i"},
		{"dnnl_gemm_bf16bf16f32", d.gemmBF16, "cclllfplplfpl", "i"},
		{"dnnl_gemm_s8s8s32", d.gemmS8S8, "ccclllfplcplcfplp", "i"},
		{"dnnl_gemm_u8s8s32", d.gemmU8S8, "ccclllfplcplcfplp", "i"},
		{"BNNSMatMul", b.matMul, "ccfppppp", "i"},
		// The filter is a pointer of the library's own.
		{"BNNSFilterCreateLayerFullyConnected", b.createFullyConnected, "pp", "l"},
		{"BNNSFilterApplyBatch", b.applyBatch, "llplpl", "i"},
		{"BNNSFilterDestroy", b.destroy, "l", ""},
	} {
		fn := reflect.TypeOf(c.fn)
		var in, out string
		for i := range fn.NumIn() {
			in += class[fn.In(i).Kind()]
		}
		for i := range fn.NumOut() {
			out += class[fn.Out(i).Kind()]
		}
		if in != c.in || out != c.out {
			t.Errorf("%s has (%s) %s, want (%s) %s", c.name, in, out, c.in, c.out)
		}
	}
}
