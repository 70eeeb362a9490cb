//go:build noasm || !(amd64 || arm64)

package skinny

var assembly []impl
