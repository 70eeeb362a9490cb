//go:build !darwin

package accel

// systemVersion returns that of macOS.
func systemVersion() string { return "" }
