package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rlx-go/gopherscope/internal/cpu"
	"github.com/rlx-go/gopherscope/internal/kernelinfo"
	"github.com/rlx-go/gopherscope/opscope"
)

// provenance says where figures come from.
type provenance struct {
	Date    time.Time `json:"date"`
	Seconds int       `json:"seconds"` // that all took
	Command string    `json:"command"`
	Version string    `json:"version"` // of this program
	Go      string    `json:"go"`
	OS      string    `json:"os"`
	Arch    string    `json:"arch"`
	CPU     string    `json:"cpu"`
	Cores   int       `json:"cores"`
	Threads int       `json:"threads"` // of a product, but where it says otherwise
	Tier    string    `json:"tier"`
	Mask    string    `json:"mask"` // the value of the variable that masks tiers
	// MemoryBytes is 0 where the system does not say.
	MemoryBytes    int64      `json:"memory_bytes"`
	Caches         []cpuCache `json:"caches"`
	LastLevelCache int64      `json:"last_level_cache"`
	Quick          bool       `json:"quick"` // smaller shapes and shorter rounds
	Modules        []module   `json:"modules"`
}

// module is a library that this program is built with.
type module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// namedModules are those whose code figures and pictures depend on.
var namedModules = []string{"gonum.org/v1/gonum", "gonum.org/v1/plot", "github.com/go-echarts/go-echarts/v2", "github.com/ebitengine/purego"}

func newProvenance(f *reportFlags, now time.Time) provenance {
	p := provenance{
		Date: now.UTC().Truncate(time.Second), Command: f.command(), Version: kernelinfo.Version(),
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPU: cpu.Name(), Cores: runtime.NumCPU(), Threads: f.threads, Tier: cpu.Best().String(), Mask: os.Getenv(cpu.EnvMask),
		MemoryBytes: memoryBytes(), Caches: newCPUReport().Caches, LastLevelCache: int64(cpu.LastLevelCache()),
		Quick: f.quick, Modules: []module{},
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if slices.Contains(namedModules, dep.Path) {
				p.Modules = append(p.Modules, module{dep.Path, dep.Version})
			}
		}
	}
	return p
}

// command is what measures the same again, without the names of files.
func (f *reportFlags) command() string {
	words := []string{"gopherscope", "report"}
	if f.gated {
		words = []string{"gopherscope", "bench", "all"}
	}
	if f.quick {
		words = append(words, "--quick")
	}
	if f.threads != 1 {
		words = append(words, "--threads", strconv.Itoa(f.threads))
	}
	if f.seed != 0 {
		words = append(words, "--seed", strconv.FormatUint(f.seed, 10))
	}
	if f.maxError != opscope.DefaultError {
		words = append(words, "--error", strconv.FormatFloat(f.maxError, 'g', -1, 64))
	}
	return strings.Join(words, " ")
}

// memoryBytes returns the memory of the machine, where Linux says.
func memoryBytes() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &kib); n == 1 && kib > 0 && kib < 1<<50 {
			return kib << 10
		}
	}
	return 0
}
