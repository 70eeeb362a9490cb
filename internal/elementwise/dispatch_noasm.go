//go:build noasm || !amd64

package elementwise

var assembly []impl
