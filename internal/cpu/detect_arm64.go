//go:build !noasm

package cpu

import "golang.org/x/sys/cpu"

func detect() []step {
	a := &cpu.ARM64
	return []step{
		{Ref, true},
		{NEON, a.HasASIMD},
		{DotProd, a.HasASIMDDP},
		{I8MM, a.HasI8MM},
	}
}
