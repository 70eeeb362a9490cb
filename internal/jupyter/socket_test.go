package jupyter

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
	"github.com/rlx-go/gopherscope/internal/testreq"
)

// allowBehind makes the limit for slow subscribers small enough for a test.
func (k *testKernel) allowBehind(bytes int) {
	k.iopub.mu.Lock()
	defer k.iopub.mu.Unlock()
	k.iopub.behind = bytes
}

func TestASubscriberThatDoesNotReadHoldsUpNobody(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	k := startKernel(t, scripted{"big": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
		for range 24 {
			sink.Display(display.Data{Data: map[string]any{"text/plain": big}})
		}
		return nil, nil
	}}.session())
	k.allowBehind(8 << 20)
	c := k.connect(t)
	stuck := rawPeer(t, k.iopub, zmq4.Sub)
	if _, err := stuck.Write([]byte{0, 1, 1}); err != nil { // subscribes to everything
		t.Fatal(err)
	}
	waitFor(t, "the second subscriber", func() bool {
		k.iopub.mu.Lock()
		defer k.iopub.mu.Unlock()
		for p := range k.iopub.peers {
			if !p.subscribed("") {
				return false
			}
		}
		return len(k.iopub.peers) == 2
	})
	_, published := c.execute("big")
	if len(published) != 25 {
		t.Errorf("%d messages, want the input and 24 displays", len(published))
	}
	waitFor(t, "the end of the one that does not read", func() bool {
		k.iopub.mu.Lock()
		defer k.iopub.mu.Unlock()
		return len(k.iopub.peers) == 1
	})
}

func TestAClosedPeerIsNoMeasureForTheOthers(t *testing.T) {
	all := map[string]struct{}{"": {}}
	reads := &peer{topics: all, pending: 100}
	s := &socket{peers: map[*peer]struct{}{reads: {}, {topics: all, closed: true}: {}}}
	if best := s.bestLocked("stream"); best != 100 {
		t.Errorf("the best is %d bytes behind, want 100", best)
	}
}

// stalledPeer is a subscriber that has so many bytes to receive, and takes none.
func stalledPeer(t *testing.T, pending int) *peer {
	t.Helper()
	conn, other := net.Pipe()
	t.Cleanup(func() { conn.Close(); other.Close() })
	p := &peer{raw: &boundedConn{Conn: conn, budget: newBudget()}, topics: map[string]struct{}{"": {}}, pending: pending}
	p.wake = sync.NewCond(&p.mu)
	return p
}

func TestASubscriberTooFarBehindTheOthersIsDropped(t *testing.T) {
	const limit = 1000
	best, last, late := stalledPeer(t, 50), stalledPeer(t, 50+limit), stalledPeer(t, 51+limit)
	s := &socket{behind: limit, peers: map[*peer]struct{}{best: {}, last: {}, late: {}}}
	s.broadcast([][]byte{[]byte("stream")})
	for p, want := range map[*peer]bool{best: false, last: false, late: true} {
		if p.closed != want {
			t.Errorf("a subscriber %d bytes behind: dropped %v", p.pending-50, p.closed)
		}
	}
	// All slow alike: nobody is behind the others.
	alone := stalledPeer(t, 10*limit)
	s = &socket{behind: limit, peers: map[*peer]struct{}{alone: {}}}
	s.broadcast([][]byte{[]byte("stream")})
	if alone.closed {
		t.Error("the only subscriber is dropped")
	}
}

// What a cell prints waits for the client that reads fastest.
func TestACellWaitsForItsFastestReader(t *testing.T) {
	k := startKernel(t, scripted{}.session())
	fast, slow := stalledPeer(t, aheadOfClients+10), stalledPeer(t, 2*aheadOfClients)
	k.iopub.mu.Lock()
	k.iopub.peers[fast], k.iopub.peers[slow] = struct{}{}, struct{}{}
	k.iopub.mu.Unlock()
	defer k.iopub.remove(slow)
	defer k.iopub.remove(fast)
	ctx, interrupt := context.WithCancel(t.Context())
	for name, end := range map[string]func(){"read": func() { fast.written(aheadOfClients) }, "interrupted": func() { interrupt() }} {
		out := &output{kernel: k.Kernel, ctx: ctx, parent: json.RawMessage("{}")}
		printed := make(chan struct{})
		go func() {
			out.Stream("stdout", "x")
			close(printed)
		}()
		select {
		case <-printed:
			t.Errorf("%s: the cell goes on though its clients have not read", name)
		case <-time.After(50 * time.Millisecond):
		}
		end()
		select {
		case <-printed:
		case <-time.After(patience):
			t.Fatalf("%s: the cell does not go on", name)
		}
		fast.mu.Lock()
		fast.pending = aheadOfClients + 10
		fast.mu.Unlock()
		ctx, interrupt = context.WithCancel(t.Context())
	}
	interrupt()
}

// rawPeer opens a connection to a socket and shakes hands, and no more.
func rawPeer(t *testing.T, s *socket, kind zmq4.SocketType) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	greeting := make([]byte, 64)
	greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
	copy(greeting[12:], "NULL")
	ready := "\x05READY" + "\x0bSocket-Type" + "\x00\x00\x00" + string(rune(len(kind))) + string(kind)
	message := append(greeting, append([]byte{4, byte(len(ready))}, ready...)...)
	if _, err := conn.Write(message); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestStrangersCannotEndTheKernel(t *testing.T) {
	k := startKernel(t, fakeSession{})
	greeting := make([]byte, 64)
	greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
	copy(greeting[12:], "NULL")
	huge := []byte{2, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	terabyte := []byte{2, 0, 0, 1, 0, 0, 0, 0, 0}
	ready := func(body string) []byte {
		body = "\x05READY" + body
		return append([]byte{4, byte(len(body))}, body...)
	}
	for _, stranger := range [][]byte{
		{},
		[]byte("GET / HTTP/1.1\r\n\r\n" + strings.Repeat("x", 100)),
		slices.Concat(greeting, huge),
		slices.Concat(greeting, terabyte),
		slices.Concat(greeting, ready("\xff")),
		slices.Concat(greeting, ready("\x0bSocket-Type\x00")),
		slices.Concat(greeting, ready("\x0bSocket-Type\xff\xff\xff\xff")),
		slices.Concat(greeting, ready("")),
	} {
		for _, s := range []*socket{k.shell, k.control, k.stdin, k.iopub, k.heartbeat} {
			conn, err := net.Dial("tcp", s.listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close() // the kernel still works while they are there
			conn.Write(stranger)
		}
	}
	for _, after := range [][]byte{huge, terabyte, {4, 5, 4, 'P', 'I', 'N', 'G'}, {1, 0}, {0, 0}} {
		for s, kind := range map[*socket]zmq4.SocketType{
			k.shell: zmq4.Dealer, k.control: zmq4.Dealer, k.stdin: zmq4.Dealer, k.iopub: zmq4.Sub, k.heartbeat: zmq4.Req,
		} {
			rawPeer(t, s, kind).Write(after)
		}
	}
	s := zmq4.NewDealer(t.Context())
	defer s.Close()
	if err := s.Dial("tcp://" + k.shell.listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, key: k.connection.Key}
	ch := c.receive(s)
	c.reply(ch, c.send(ch, "kernel_info_request", "{}"))
}

func TestIPC(t *testing.T) {
	if runtime.GOOS == "windows" {
		testreq.Skip(t, "Jupyter has no ipc on Windows")
	}
	c := Connection{
		Transport: "ipc", IP: filepath.Join(t.TempDir(), "k"), SignatureScheme: "hmac-sha256", Key: "k",
		ShellPort: 1, IOPubPort: 2, StdinPort: 3, ControlPort: 4, HBPort: 5,
	}
	// A kernel that was killed left its socket file.
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: c.IP + "-1", Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()

	k := listenKernel(t, c, fakeSession{})
	k.serve(t)
	cl := k.connect(t)
	if reply, _ := cl.execute("x"); reply.body["status"] != "ok" {
		t.Errorf("reply %v", reply.body)
	}
	// One that lives keeps its sockets.
	if _, err := Listen(c, fakeSession{}, "", testLog{t}); err == nil || !strings.Contains(err.Error(), c.IP+"-1: another kernel has it") {
		t.Errorf("a second kernel of the connection gave %v", err)
	}
	if reply, _ := cl.execute("x"); reply.body["status"] != "ok" {
		t.Errorf("reply %v", reply.body)
	}
}

func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	if _, err := Listen(Connection{Transport: "tcp", IP: "127.0.0.1", HBPort: port}, fakeSession{}, "", nil); err == nil {
		t.Error("no error for a port in use")
	} else if !strings.Contains(err.Error(), fmt.Sprint(port)) {
		t.Errorf("%v does not name the port", err)
	}
}

func TestTwoClients(t *testing.T) {
	k := startKernel(t, fakeSession{})
	a, b := k.connect(t), k.connect(t)
	head := a.send(a.shell, "execute_request", executeJSON("x", ""))
	a.reply(a.shell, head)
	// Both see the outputs; only the one that asked has the reply.
	if got := kinds(b.published(head)); !slices.Equal(got, []string{"execute_input"}) {
		t.Errorf("the other client saw %v", got)
	}
	b.execute("y")
}
