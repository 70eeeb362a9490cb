//go:build !linux

package experiment

// availableMemory returns 0: the system does not say without libraries of its own.
func availableMemory() int64 { return 0 }
