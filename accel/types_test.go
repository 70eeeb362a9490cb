package accel

import (
	"reflect"
	"testing"
	"unsafe"
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

// A bnnsField is the offset of a field, or the size of a struct before its fields.
type bnnsField struct {
	name      string
	got, want uintptr
}

// bnnsLayout lists the structs of BNNS, as they are on every system with 64 bits.
func bnnsLayout() []bnnsField {
	var a bnnsArray
	var v bnnsActivation
	var l bnnsFullyConnected
	var p bnnsFilterParameters
	return []bnnsField{
		{"NDArrayDescriptor", unsafe.Sizeof(a), 176},
		{"layout", unsafe.Offsetof(a.layout), 4},
		{"size", unsafe.Offsetof(a.size), 8},
		{"stride", unsafe.Offsetof(a.stride), 72},
		{"data", unsafe.Offsetof(a.data), 136},
		{"data_type", unsafe.Offsetof(a.dataType), 144},
		{"table_data", unsafe.Offsetof(a.table), 152},
		{"table_data_type", unsafe.Offsetof(a.tableType), 160},
		{"data_scale", unsafe.Offsetof(a.scale), 164},
		{"data_bias", unsafe.Offsetof(a.bias), 168},
		{"Activation", unsafe.Sizeof(v), 48},
		{"alpha", unsafe.Offsetof(v.alpha), 4},
		{"beta", unsafe.Offsetof(v.beta), 8},
		{"iscale", unsafe.Offsetof(v.scale), 12},
		{"ioffset", unsafe.Offsetof(v.offset), 16},
		{"ishift", unsafe.Offsetof(v.shift), 20},
		{"iscale_per_channel", unsafe.Offsetof(v.channelScales), 24},
		{"ioffset_per_channel", unsafe.Offsetof(v.channelOffsets), 32},
		{"ishift_per_channel", unsafe.Offsetof(v.channelShifts), 40},
		{"LayerParametersFullyConnected", unsafe.Sizeof(l), 752},
		{"w_desc", unsafe.Offsetof(l.w), 176},
		{"o_desc", unsafe.Offsetof(l.out), 352},
		{"bias", unsafe.Offsetof(l.offsets), 528},
		{"activation", unsafe.Offsetof(l.activation), 704},
		{"FilterParameters", unsafe.Sizeof(p), 32},
		{"n_threads", unsafe.Offsetof(p.threads), 8},
		{"alloc_memory", unsafe.Offsetof(p.allocate), 16},
		{"free_memory", unsafe.Offsetof(p.free), 24},
	}
}

func TestLayoutOfBNNSStructs(t *testing.T) {
	for _, f := range bnnsLayout() {
		if f.got != f.want {
			t.Errorf("%s: %d, want %d", f.name, f.got, f.want)
		}
	}
	var a bnnsArray
	var v bnnsActivation
	var l bnnsFullyConnected
	var p bnnsFilterParameters
	if unsafe.Offsetof(a.flags)+unsafe.Offsetof(v.function)+unsafe.Offsetof(l.in)+unsafe.Offsetof(p.flags) != 0 {
		t.Error("a struct does not begin with its first field")
	}
}
