package kernels

import (
	"runtime"
	"testing"
)

func TestScratchReusesAndIsBounded(t *testing.T) {
	var s scratch[float32]
	first := s.get(10)
	if len(first) != 10 {
		t.Fatalf("get(10) has length %d", len(first))
	}
	s.put(first)
	if again := s.get(4); len(again) != 4 || &again[0] != &first[0] {
		t.Error("get does not reuse a buffer that is large enough")
	}
	s.put(first)
	if larger := s.get(11); len(larger) != 11 {
		t.Errorf("get(11) has length %d", len(larger))
	}

	limit := runtime.GOMAXPROCS(0)
	for range limit + 5 {
		s.put(make([]float32, 1))
	}
	if len(s.free) != limit {
		t.Errorf("the list holds %d buffers, want the %d of GOMAXPROCS", len(s.free), limit)
	}
}
