package weights_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

func TestTied(t *testing.T) {
	const large = 20_000 // more bytes than the samples have
	same := make([]float32, large)
	for i := range same {
		same[i] = float32(i % 251)
	}
	changed := func(at int) []float32 {
		v := append([]float32(nil), same...)
		v[at] = -1
		return v
	}
	dir := t.TempDir()
	write := func(name string, tensors []weights.Named) *weights.File {
		path := filepath.Join(dir, name)
		if err := weights.WriteSafetensors(path, tensors); err != nil {
			t.Fatal(err)
		}
		return open(t, path)
	}
	square := []int{100, 200}
	first := write("a.safetensors", []weights.Named{
		{Name: "embed", Shape: square, Data: same},
		{Name: "first value", Shape: square, Data: changed(0)},
		{Name: "a value between the samples", Shape: square, Data: changed(5000)},
		{Name: "last value", Shape: square, Data: changed(large - 1)},
		{Name: "head", Shape: square, Data: same},
		{Name: "other shape", Shape: []int{200, 100}, Data: same},
		{Name: "other dtype", Shape: square, DType: weights.BF16, Data: same},
		{Name: "small 1", Shape: []int{3}, Data: same[:3]},
		{Name: "small 2", Shape: []int{3}, Data: same[1:4]},
		{Name: "empty 1", Shape: []int{0}},
		{Name: "empty 2", Shape: []int{0}},
	})
	second := write("b.safetensors", []weights.Named{
		{Name: "copy", Shape: square, Data: same},
		{Name: "small 3", Shape: []int{3}, Data: same[1:4]},
	})
	groups, err := weights.Tied(t.Context(), append(first.Tensors(), second.Tensors()...))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range groups {
		var names []string
		for _, x := range g {
			names = append(names, x.Name)
		}
		got = append(got, strings.Join(names, " = "))
	}
	if want := "embed = head = copy; small 2 = small 3"; strings.Join(got, "; ") != want {
		t.Errorf("tied are %q, want %q", got, want)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := weights.Tied(ctx, first.Tensors()); !errors.Is(err, context.Canceled) {
		t.Errorf("when cancelled: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := weights.Tied(t.Context(), append(first.Tensors(), second.Tensors()...)); err == nil || !strings.Contains(err.Error(), `b.safetensors: byte`) {
		t.Errorf("when a file is closed: %v", err)
	}
}

// A tensor that differs from the others in its shape is not read.
func TestTiedReadsLittle(t *testing.T) {
	file := tensorFile(`{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2,1],"data_offsets":[8,16]}}`, make([]byte, 16))
	f, err := weights.New("disk", failing{file, int64(len(file) - 16), errors.New("medium error")}, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if groups, err := weights.Tied(t.Context(), f.Tensors()); err != nil || len(groups) > 0 {
		t.Errorf("%v, %v", groups, err)
	}
}
