package bench

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

func TestEveryLoopRuns(t *testing.T) {
	for name, loops := range map[string][]arithmeticLoop{"f32": f32Loops, "int8": int8Loops, "bf16": bf16Loops} {
		for _, loop := range loops {
			if !cpu.Has(loop.needs) {
				t.Logf("%s %v: not on this processor, or masked", name, loop.needs)
				continue
			}
			loop.run(1)
			loop.run(peakSteps)
			if loop.ops <= 0 {
				t.Errorf("%s %v counts %d operations a step", name, loop.needs, loop.ops)
			}
		}
	}
}

// Multiply-adds of one instruction, by the registers that the loops use.
var lanes = map[string]int{
	"VFMADD231PS Y": 8, "VFMADD231PS Z": 16, "VPMADDWD Y": 16, "VPMADDWD Z": 32, "VPDPBUSD Z": 64, "vdpbf16ps %zmm15": 32,
	"VFMLA V": 4, "SMULL(": 8, "SDOT(": 16, "SMMLA(": 32,
}

// What a loop is said to do in a step is what its instructions do, between the
// label loop and the jump to it.
func TestOperationsOfAStep(t *testing.T) {
	for arch, files := range map[string][]string{
		"amd64": {"loops_avx2_amd64.s", "loops_avx512_amd64.s"},
		"arm64": {"loops_arm64.s"},
	} {
		var source string
		for _, file := range append(files, "loops_"+arch+".go") {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source += string(text)
		}
		said := regexp.MustCompile(`\{cpu\.\w+, (\d+) \* (\d+) \* 2, (\w+)\}`).FindAllStringSubmatch(source, -1)
		if len(said) < 4 {
			t.Errorf("%s: found only %d loops", arch, len(said))
		}
		for _, s := range said {
			body := regexp.MustCompile(`(?s)TEXT ·` + s[3] + `\(SB\).*?\nloop:\n(.*?)\sloop\n`).FindStringSubmatch(source)
			if body == nil {
				t.Errorf("%s has no loop in %s", arch, s[3])
				continue
			}
			done := 0
			for instruction, n := range lanes {
				done += n * strings.Count(body[1], instruction)
			}
			want, _ := strconv.Atoi(s[1])
			each, _ := strconv.Atoi(s[2])
			if done != want*each {
				t.Errorf("%s does %d multiply-adds a step, said to do %d", s[3], done, want*each)
			}
		}
	}
}
