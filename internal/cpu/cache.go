package cpu

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
)

// defaultLastLevelCache is what LastLevelCache returns where the system does not
// say: that of a common server processor's core complex.
const defaultLastLevelCache = 32 << 20

// A Cache is one of the caches of the first processor.
type Cache struct {
	Level int
	Type  string // "Data", "Instruction" or "Unified", as Linux says
	Bytes int
}

// Caches returns the caches of the first processor, as Linux's sysfs gives them;
// nothing elsewhere.
var Caches = sync.OnceValue(func() []Cache {
	return readCaches(os.DirFS("/sys/devices/system/cpu/cpu0/cache"))
})

// LastLevelCache returns the size in bytes of the largest of Caches; 32 MiB if
// there are none.
var LastLevelCache = sync.OnceValue(func() int {
	if largest := largestOf(Caches()); largest > 0 {
		return largest
	}
	return defaultLastLevelCache
})

func largestOf(caches []Cache) int {
	largest := 0
	for _, c := range caches {
		largest = max(largest, c.Bytes)
	}
	return largest
}

// readCaches reads folders such as index3, whose file size holds "32768K". It
// leaves out those whose size cannot be read.
func readCaches(dir fs.FS) []Cache {
	indexes, _ := fs.Glob(dir, "index*")
	var caches []Cache
	for _, index := range indexes {
		field := func(name string) string {
			text, _ := fs.ReadFile(dir, path.Join(index, name))
			return strings.TrimSpace(string(text))
		}
		digits, unit := field("size"), 1
		switch {
		case strings.HasSuffix(digits, "K"):
			digits, unit = strings.TrimSuffix(digits, "K"), 1<<10
		case strings.HasSuffix(digits, "M"):
			digits, unit = strings.TrimSuffix(digits, "M"), 1<<20
		}
		if n, err := strconv.Atoi(digits); err == nil && n > 0 {
			level, _ := strconv.Atoi(field("level"))
			caches = append(caches, Cache{level, field("type"), n * unit})
		}
	}
	return caches
}
