package accel

import "golang.org/x/sys/unix"

// systemVersion returns that of macOS; "" if it is not known.
func systemVersion() string {
	version, err := unix.Sysctl("kern.osproductversion")
	if err != nil {
		return ""
	}
	return "macOS " + version
}
