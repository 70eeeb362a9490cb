package experiment

import "testing"

func TestAvailableIn(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal: 9 kB\nMemAvailable:   12 kB\n": 12 << 10,
		"MemAvailable: x kB":                      0, "MemAvailable: -1 kB": 0, "MemAvailable: 12": 0, "": 0, "MemAvailable: 99999999999999999 kB": 0,
	} {
		if got := availableIn(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if availableMemory() <= 0 {
		t.Error("this system does not say what memory is available")
	}
}
