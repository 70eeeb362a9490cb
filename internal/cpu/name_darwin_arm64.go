//go:build !noasm

package cpu

import "golang.org/x/sys/unix"

func brand() string {
	name, err := unix.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return ""
	}
	return name
}
