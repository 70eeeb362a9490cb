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

// LastLevelCache returns the size in bytes of the largest cache of the first
// processor, as Linux's sysfs gives it; 32 MiB elsewhere.
var LastLevelCache = sync.OnceValue(func() int {
	if size := largestCache(os.DirFS("/sys/devices/system/cpu/cpu0/cache")); size > 0 {
		return size
	}
	return defaultLastLevelCache
})

// largestCache reads files such as index3/size, "32768K"; 0 if there are none.
func largestCache(dir fs.FS) int {
	indexes, _ := fs.Glob(dir, "index*")
	largest := 0
	for _, index := range indexes {
		text, err := fs.ReadFile(dir, path.Join(index, "size"))
		if err != nil {
			continue
		}
		digits, unit := strings.TrimSpace(string(text)), 1
		switch {
		case strings.HasSuffix(digits, "K"):
			digits, unit = strings.TrimSuffix(digits, "K"), 1<<10
		case strings.HasSuffix(digits, "M"):
			digits, unit = strings.TrimSuffix(digits, "M"), 1<<20
		}
		if n, err := strconv.Atoi(digits); err == nil {
			largest = max(largest, n*unit)
		}
	}
	return largest
}
