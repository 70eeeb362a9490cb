package cpu

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"strings"
	"sync"
)

// Name describes the processor for reports, such as "AMD EPYC 9654 (family 25
// model 17 stepping 1)". It is the architecture alone where nothing more is known.
var Name = sync.OnceValue(func() string {
	if name := brand(); name != "" {
		return name
	}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if name := nameFromCPUInfo(info); name != "" {
			return name
		}
	}
	return runtime.GOARCH
})

// nameFromCPUInfo reads the first processor of Linux's /proc/cpuinfo. x86 gives a
// model name there, arm64 the codes of the implementer and the part.
func nameFromCPUInfo(info []byte) string {
	fields := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(info)); lines.Scan(); {
		key, value, ok := strings.Cut(lines.Text(), ":")
		key = strings.TrimSpace(key)
		if _, seen := fields[key]; ok && !seen {
			fields[key] = strings.TrimSpace(value)
		}
	}
	if name := fields["model name"]; name != "" {
		return name
	}
	if implementer := fields["CPU implementer"]; implementer != "" {
		return runtime.GOARCH + " implementer " + implementer + " part " + fields["CPU part"]
	}
	return ""
}
