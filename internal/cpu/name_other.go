//go:build noasm || !(amd64 || (darwin && arm64))

package cpu

func brand() string { return "" }
