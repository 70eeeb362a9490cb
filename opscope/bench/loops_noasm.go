//go:build noasm || !(amd64 || arm64)

package bench

var (
	f32LoopsAsm, int8LoopsAsm, bf16LoopsAsm []arithmeticLoop
	readLoopsAsm                            []readLoop
)
