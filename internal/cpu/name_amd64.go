//go:build !noasm

package cpu

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// cpuid runs the CPUID instruction.
//
//go:noescape
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// brand returns the processor's brand string, and the family, model and stepping
// that tell apart the many processors that share one under a hypervisor. The
// layout of the leaves is that of the AMD64 Architecture Programmer's Manual,
// volume 3, appendix E.
func brand() string {
	const signature, extended, brandFirst, brandLast = 1, 0x80000000, 0x80000002, 0x80000004
	var text []byte
	if last, _, _, _ := cpuid(extended, 0); last >= brandLast {
		for leaf := uint32(brandFirst); leaf <= brandLast; leaf++ {
			a, b, c, d := cpuid(leaf, 0)
			for _, word := range []uint32{a, b, c, d} {
				text = binary.LittleEndian.AppendUint32(text, word)
			}
		}
	}
	name := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "\x00", " ")), " ")
	if name == "" {
		name = "amd64"
	}
	eax, _, _, _ := cpuid(signature, 0)
	family, model, stepping := eax>>8&0xf, eax>>4&0xf, eax&0xf
	if family == 6 || family == 15 {
		model += eax >> 16 & 0xf << 4
	}
	if family == 15 {
		family += eax >> 20 & 0xff
	}
	return fmt.Sprintf("%s (family %d model %d stepping %d)", name, family, model, stepping)
}
