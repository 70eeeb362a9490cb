package jupyter

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/rlx-go/gopherscope/internal/testreq"
)

// The figures of the kernel as a process of its own, seen by a client:
//
//	go test -run '^$' -bench Kernel -benchtime 20x ./internal/jupyter
//
// Each run of the last three is a whole one, so that -benchtime 1x does for them.

// resident returns how many bytes of a process are in memory.
func (c *child) resident(b *testing.B) (bytesResident float64, known bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
	if err != nil {
		return 0, false // not Linux
	}
	for line := range bytes.Lines(status) {
		var kB float64
		if n, _ := fmt.Sscanf(string(line), "VmRSS: %f kB", &kB); n == 1 {
			return kB * 1024, true
		}
	}
	b.Fatal("no VmRSS")
	return 0, false
}

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return times[len(times)/2].Seconds() * 1000
}

// BenchmarkKernelStart is from the start of the process to its first
// execute_reply, and the memory it then has.
func BenchmarkKernelStart(b *testing.B) {
	gopherscope(b)
	var times []time.Duration
	most := 0.0
	for b.Loop() {
		begin := time.Now()
		c := startChild(b)
		c.awaitListening(b)
		s := zmq4.NewDealer(b.Context())
		if err := s.Dial(fmt.Sprintf("tcp://%s:%d", c.connection.IP, c.connection.ShellPort)); err != nil {
			b.Fatal(err)
		}
		cl := &client{t: b, key: c.connection.Key}
		ch := cl.receive(s)
		r := cl.reply(ch, cl.send(ch, "execute_request", executeJSON("6 * 7", "")))
		times = append(times, time.Since(begin))
		if r.body["status"] != "ok" {
			b.Fatal(r.body)
		}
		if n, known := c.resident(b); known {
			most = max(most, n)
		}
		cl.send(ch, "shutdown_request", "{}")
		c.waitEnded(b)
		s.Close()
	}
	b.ReportMetric(median(times), "ms-median")
	b.ReportMetric(most/1e6, "MB-resident")
}

// BenchmarkKernelEmptyCell is from the execute_request of an empty cell to its
// reply.
func BenchmarkKernelEmptyCell(b *testing.B) {
	c := startChild(b)
	cl := c.connect(b)
	cl.execute("")
	var times []time.Duration
	for b.Loop() {
		begin := time.Now()
		head := cl.send(cl.shell, "execute_request", executeJSON("", ""))
		cl.reply(cl.shell, head)
		times = append(times, time.Since(begin))
		cl.published(head)
	}
	b.ReportMetric(median(times), "ms-median")
	c.stop(b, cl)
}

// BenchmarkKernelInterrupt is from the interrupt_request to the reply of the cell
// that ran.
func BenchmarkKernelInterrupt(b *testing.B) {
	for _, state := range states {
		if state.code == "" {
			continue
		}
		b.Run(state.name, func(b *testing.B) {
			c := startChild(b)
			cl := c.connect(b)
			cl.execute("n := 1")
			var times []time.Duration
			for b.Loop() {
				running := cl.start(state.code, state.more)
				if state.wait != nil {
					state.wait(cl)
				}
				begin := time.Now()
				head := cl.send(cl.control, "interrupt_request", "{}")
				cl.reply(cl.shell, running)
				times = append(times, time.Since(begin))
				cl.reply(cl.control, head)
			}
			b.ReportMetric(median(times), "ms-median")
			b.ReportMetric(slices.Max(times).Seconds()*1000, "ms-most")
			c.stop(b, cl)
		})
	}
}

// BenchmarkKernelMillionLines is the time until the last of 1e6 printed lines is
// with the client, which checks that it has all of them.
func BenchmarkKernelMillionLines(b *testing.B) {
	const lines = 1_000_000
	c := startChild(b)
	cl := c.connect(b)
	cl.execute(`import "fmt"`)
	var want strings.Builder
	for i := range lines {
		fmt.Fprintln(&want, i)
	}
	for b.Loop() {
		_, published := cl.execute(fmt.Sprintf("for i := 0; i < %d; i++ { fmt.Println(i) }", lines))
		var got strings.Builder
		for _, m := range published[1:] {
			got.WriteString(m.body["text"].(string))
		}
		if got.String() != want.String() {
			b.Fatal("the text that arrived is not what was printed")
		}
	}
	c.stop(b, cl)
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	b.ReportMetric(cpu.Seconds()/float64(b.N), "CPU-s/op") // of the kernel alone, which other programs delay less
}

// BenchmarkKernelLargeDisplay is the time until a display of 50 MB is with the
// client.
func BenchmarkKernelLargeDisplay(b *testing.B) {
	const size = 50_000_000
	c := startChild(b)
	cl := c.connect(b)
	cl.execute(`import ("display"; "strings")`)
	for b.Loop() {
		_, published := cl.execute(fmt.Sprintf(`display.Display(display.HTML(strings.Repeat("x", %d)))`, size))
		data, _ := published[1].body["data"].(map[string]any)
		if text, _ := data["text/html"].(string); len(text) != size {
			b.Fatalf("%d bytes arrived", len(text))
		}
	}
	c.stop(b, cl)
}

// BenchmarkKernelManyCells runs 10,000 cells in a row, and says by how much the
// memory grew over the last 9,000.
func BenchmarkKernelManyCells(b *testing.B) {
	if runtime.GOOS != "linux" {
		testreq.Skip(b, "the memory of a process is read from /proc")
	}
	for b.Loop() {
		c := startChild(b)
		cl := c.connect(b)
		cl.execute("import \"fmt\"\nx := 0")
		early := 0.0
		for i := range 10_000 {
			if i == 1000 {
				early, _ = c.resident(b)
			}
			if reply, _ := cl.execute("x++\nfmt.Println(x)\nx"); reply.body["status"] != "ok" {
				b.Fatal(reply.body)
			}
		}
		late, _ := c.resident(b)
		b.ReportMetric(early/1e6, "MB-after-1000")
		b.ReportMetric(late/1e6, "MB-after-10000")
		b.ReportMetric((late-early)/early*100, "%-growth")
		c.stop(b, cl)
	}
}
