package bench

import (
	"fmt"
	"sync"
	"time"
	"unsafe"

	"github.com/rlx-go/gopherscope/internal/cpu"
	"github.com/rlx-go/gopherscope/internal/pages"
)

// A limit is a loop that does nothing but what it counts, as fast as this
// processor can: arithmetic in registers, or reads of memory.
type limit struct {
	Func
	// work is what one call does: operations, two for each multiply-add, or bytes.
	work float64
}

// rate returns work over the time of a call: GFLOP/s, GOP/s or GB/s.
func (l limit) rate(perCall time.Duration) float64 {
	return l.work / float64(max(perCall, 1))
}

// An arithmeticLoop runs steps times its operations in assembly, or in Go for the
// tier Ref.
type arithmeticLoop struct {
	needs cpu.Tier
	ops   int // a step
	run   func(steps int)
}

// A readLoop reads n bytes, a multiple of blockBytes, several times over.
type readLoop struct {
	needs cpu.Tier
	run   func(p *byte, n, passes int)
}

var (
	f32Loops  = append([]arithmeticLoop{{cpu.Ref, refOps, fmaF32Ref}}, f32LoopsAsm...)
	int8Loops = append([]arithmeticLoop{{cpu.Ref, refOps, dotI8Ref}}, int8LoopsAsm...)
	bf16Loops = append(f32Loops, bf16LoopsAsm...)
	readLoops = append([]readLoop{{cpu.Ref, readRef}}, readLoopsAsm...)
)

// f32Peak is the rate of float32 multiply-adds.
func f32Peak(threads int) limit { return arithmetic("f32 peak", f32Loops, threads) }

// int8Peak is the rate of multiply-adds of int8 into exact int32 sums: by dot
// products of bytes where the processor has them, by 16-bit products elsewhere.
func int8Peak(threads int) limit { return arithmetic("int8 peak", int8Loops, threads) }

// bf16Peak is the rate of multiply-adds of bfloat16 into float32 sums: by dot
// products where the processor has them, elsewhere that of float32.
func bf16Peak(threads int) limit { return arithmetic("bf16 peak", bf16Loops, threads) }

// The garbage collector cannot stop a goroutine inside assembly, so one call of
// a loop is short: about 10 microseconds at these sizes.
const (
	peakSteps = 2048
	readBytes = 256 << 10
)

func arithmetic(name string, loops []arithmeticLoop, threads int) limit {
	loop := loops[0]
	for _, l := range loops {
		if cpu.Has(l.needs) {
			loop = l
		}
	}
	work := float64(threads * peakSteps * loop.ops)
	return newLimit(fmt.Sprintf("%s, %v loop", name, loop.needs), work, threads, func(int) { loop.run(peakSteps) })
}

// blockBytes is what the assembly reads at least.
const blockBytes = 512

// newMemory returns bytes, a multiple of blockBytes, that start at a multiple of
// 64. All of it has been written, since a system may back memory that never was by
// one page of zeros. It is in large pages where the system has them, as prepared
// weights are.
func newMemory(bytes int) []byte {
	const line = 64
	buf := make([]byte, bytes+line)
	pages.Huge(buf)
	buf[0] = 1
	for filled := 1; filled < len(buf); filled *= 2 {
		copy(buf[filled:], buf[:filled])
	}
	start := int(-uintptr(unsafe.Pointer(&buf[0])) % line)
	return buf[start : start+bytes : start+bytes]
}

// readAgain is the rate of reading all of memory again and again, each thread a
// part of it. The length is a multiple of blockBytes.
func readAgain(memory []byte, threads int) limit {
	name, read := reading(memory, threads)
	// A part shorter than one call of the loop is read several times in it.
	passes := max(1, threads*readBytes/len(memory))
	return newLimit(name, float64(passes*len(memory)), threads, func(thread int) { read(thread, passes) })
}

// readOnce is the rate of reading all of memory one time, each thread a part of it.
// The length is a multiple of blockBytes.
func readOnce(memory []byte, threads int) limit {
	name, read := reading(memory, threads)
	call := inParallel(threads, func(thread int) { read(thread, 1) })
	return limit{Func{name + ", once", call}, float64(len(memory))}
}

// reading returns a function by which each thread reads its part of memory.
func reading(memory []byte, threads int) (name string, read func(thread, passes int)) {
	loop := readLoops[0]
	for _, l := range readLoops {
		if cpu.Has(l.needs) {
			loop = l
		}
	}
	blocks := len(memory) / blockBytes
	return fmt.Sprintf("read %d KiB, %v loop", len(memory)>>10, loop.needs), func(thread, passes int) {
		part := memory[blocks*thread/threads*blockBytes : blocks*(thread+1)/threads*blockBytes]
		for len(part) > 0 {
			n := min(readBytes, len(part))
			loop.run(&part[0], n, passes)
			part = part[n:]
		}
	}
}

// newLimit makes a limit of turns, which threads take in parallel. work is what
// all of them do in one turn.
func newLimit(name string, work float64, threads int, turn func(thread int)) limit {
	turns := 1
	call := inParallel(threads, func(thread int) {
		for range turns {
			turn(thread)
		}
	})
	// Starting threads, which takes some 10 microseconds, must not count.
	enough := 100 * time.Microsecond
	if threads > 1 {
		enough = 2 * time.Millisecond
	}
	for {
		start := time.Now()
		call()
		if time.Since(start) >= enough {
			return limit{Func{name, call}, work * float64(turns)}
		}
		turns *= 2
	}
}

// inParallel returns a function that calls f for each thread at the same time.
func inParallel(threads int, f func(thread int)) func() {
	return func() {
		var others sync.WaitGroup
		for thread := 1; thread < threads; thread++ {
			others.Go(func() { f(thread) })
		}
		f(0)
		others.Wait()
	}
}
