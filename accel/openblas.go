package accel

import (
	"math"
	"strconv"
	"strings"
)

var openBLASSource = source{
	name: "openblas",
	env:  "GOPHERSCOPE_OPENBLAS",
	files: map[string][]string{
		// The bare name belongs to the development package.
		"linux":   {"libopenblas.so.0", "libopenblasp.so.0", "libopenblas.so"},
		"darwin":  {"libopenblas.0.dylib", "libopenblas.dylib"},
		"windows": {"libopenblas.dll", "openblas.dll"},
	},
	hint:   "on Debian: apt-get install libopenblas0-pthread; elsewhere: conda install openblas",
	symbol: "cblas_sgemm",
}

func attachOpenBLAS(handle uintptr, _ int) (*Library, error) {
	var blas cblas
	var config, core func() string
	var threads, parallel func() int32
	if err := bindAll(handle, append(blas.symbols(),
		symbol{"openblas_get_config", &config},
		symbol{"openblas_get_corename", &core},
		symbol{"openblas_get_num_threads", &threads},
		symbol{"openblas_get_parallel", &parallel},
	)...); err != nil {
		return nil, err
	}
	c := readOpenBLASConfig(config())
	if c.ilp64 {
		return nil, errILP64
	}
	l := &Library{Version: c.version, Core: core(), Threads: int(threads())}
	limit := c.maxThreads
	if parallel() == 0 {
		limit = 1 // without threads it may be built without locks
	}
	l.callers = newSlots(l.Threads, limit)
	l.offer("openblas-f32", nil, float32Scheme(blas.multiply))
	return l, nil
}

// openBLASConfig is what openblas_get_config tells.
type openBLASConfig struct {
	version string
	ilp64   bool
	// maxThreads is how many threads its buffers are for.
	maxThreads int
}

// readOpenBLASConfig reads a configuration such as
// "OpenBLAS 0.3.21 USE64BITINT DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64".
func readOpenBLASConfig(text string) openBLASConfig {
	c := openBLASConfig{version: text, maxThreads: math.MaxInt32}
	fields := strings.Fields(text)
	if len(fields) > 1 && fields[0] == "OpenBLAS" {
		c.version = fields[1]
	}
	for _, f := range fields {
		if f == "USE64BITINT" {
			c.ilp64 = true
		}
		if value, ok := strings.CutPrefix(f, "MAX_THREADS="); ok {
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				c.maxThreads = n
			}
		}
	}
	return c
}
