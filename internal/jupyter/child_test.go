package jupyter

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var built struct {
	sync.Once
	dir  string
	file string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// gopherscope builds the program once and returns its file.
func gopherscope(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "gopherscope-test-"); built.err != nil {
			return
		}
		built.file = filepath.Join(built.dir, "gopherscope")
		if runtime.GOOS == "windows" {
			built.file += ".exe"
		}
		build := exec.Command("go", "build", "-o", built.file, "github.com/rlx-go/gopherscope/cmd/gopherscope")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%v: %s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.file
}

// child is a kernel in a process of its own.
type child struct {
	*exec.Cmd
	connection Connection
	file       string
	ended      chan error
}

var connections atomic.Uint32

// writeConnection makes a connection file with free ports, as launchers do.
func writeConnection(t testing.TB) (Connection, string) {
	t.Helper()
	c := Connection{Transport: "tcp", IP: "127.0.0.1", SignatureScheme: "hmac-sha256", Key: "a key of a child"}
	if runtime.GOOS == "linux" {
		// A free port may be taken before the kernel binds it, but not on an address
		// that nobody else uses.
		pid := os.Getpid()
		c.IP = fmt.Sprintf("127.%d.%d.%d", 1+pid>>8%250, 1+pid%250, 1+connections.Add(1)%250)
	}
	for _, port := range []*int{&c.ShellPort, &c.IOPubPort, &c.StdinPort, &c.ControlPort, &c.HBPort} {
		l, err := net.Listen("tcp", c.IP+":0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // all are held at once, so that they differ
		*port = l.Addr().(*net.TCPAddr).Port
	}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "connection.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return c, file
}

// startChild starts a kernel that can find no other program.
func startChild(t testing.TB) *child {
	t.Helper()
	return startChildWith(t, func(*exec.Cmd) {})
}

func startChildWith(t testing.TB, change func(*exec.Cmd)) *child {
	t.Helper()
	connection, file := writeConnection(t)
	return startChildOf(t, connection, file, change)
}

func startChildOf(t testing.TB, connection Connection, file string, change func(*exec.Cmd)) *child {
	t.Helper()
	c := &child{connection: connection, file: file, ended: make(chan error, 1)}
	c.Cmd = exec.Command(gopherscope(t), "kernel", "start", c.file)
	c.Env = []string{"HOME=" + t.TempDir(), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	c.Stderr = testLog{t}
	change(c.Cmd)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		c.ended <- c.Wait()
		close(exited)
	}()
	t.Cleanup(func() {
		c.Process.Kill()
		<-exited
	})
	return c
}

func (c *child) awaitListening(t testing.TB) {
	t.Helper()
	waitFor(t, "the kernel's sockets", func() bool {
		conn, err := net.Dial("tcp", net.JoinHostPort(c.connection.IP, strconv.Itoa(c.connection.ShellPort)))
		if err != nil {
			return false
		}
		conn.Close()
		return true
	})
}

// connect waits until the kernel listens and its outputs arrive.
func (c *child) connect(t testing.TB) *client {
	t.Helper()
	c.awaitListening(t)
	cl := dial(t, c.connection)
	for {
		cl.send(cl.control, "kernel_info_request", "{}")
		cl.control.next(t)
		select {
		case <-cl.iopub.received:
			return cl
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stop has the kernel shut down and checks that it ends well.
func (c *child) stop(t testing.TB, cl *client) {
	t.Helper()
	cl.send(cl.control, "shutdown_request", `{"restart":false}`)
	c.waitEnded(t)
}

func (c *child) waitEnded(t testing.TB) {
	t.Helper()
	select {
	case err := <-c.ended:
		if err != nil {
			t.Errorf("the kernel ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("the kernel did not end")
	}
}
