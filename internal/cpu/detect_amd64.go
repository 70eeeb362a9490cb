//go:build !noasm

package cpu

import "golang.org/x/sys/cpu"

func detect() []step {
	x := &cpu.X86
	return []step{
		{Ref, true},
		{AVX2, x.HasAVX2 && x.HasFMA && x.HasF16C},
		{AVX512, x.HasAVX512F && x.HasAVX512BW && x.HasAVX512CD && x.HasAVX512DQ && x.HasAVX512VL},
		{VNNI, x.HasAVX512VNNI},
		{BF16, x.HasAVX512BF16},
	}
}
