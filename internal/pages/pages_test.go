package pages

import (
	"bytes"
	"testing"
)

func TestHugeKeepsContents(t *testing.T) {
	for _, size := range []int{0, 1, smallest - 1, smallest, smallest + 4097, 16 << 20} {
		for _, offset := range []int{0, 1, 4095} {
			buf := make([]byte, size+offset)
			copy(buf[offset:], "start")
			Huge(buf[offset:])
			want := make([]byte, size+offset)
			copy(want[offset:], "start")
			if !bytes.Equal(buf, want) {
				t.Errorf("Huge changed %d bytes at offset %d", size, offset)
			}
		}
	}
}
