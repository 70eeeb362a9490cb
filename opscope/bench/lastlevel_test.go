package bench

import "testing"

func TestLastLevelCache(t *testing.T) {
	bytes, known := LastLevelCache()
	if bytes < 64<<10 || bytes > 16<<30 {
		t.Errorf("a last-level cache of %d bytes", bytes)
	}
	if !known && bytes != 32<<20 {
		t.Errorf("%d bytes are assumed", bytes)
	}
}
