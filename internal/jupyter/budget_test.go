package jupyter

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zeromq/zmq4"
)

// stranger is a connection that nobody has vouched for.
func stranger(t *testing.T, b *budget) *boundedConn {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	return newBoundedConn(near, b)
}

func isClosed(c *boundedConn) bool {
	return errors.Is(c.Conn.SetDeadline(time.Time{}), io.ErrClosedPipe)
}

func TestStrangersMakeRoom(t *testing.T) {
	b := newBudget()
	small, large, asker := stranger(t, b), stranger(t, b), stranger(t, b)
	client := stranger(t, b)
	b.trust(client)
	for _, step := range []struct {
		conn *boundedConn
		n    int
		ok   bool
	}{
		{small, maxUnfinished / 8, true},
		{large, maxUnfinished / 4, true},
		{client, maxUnfinished / 2, true},
		{asker, maxUnfinished / 8, true}, // all is taken
		{asker, 1, true},                 // large goes
		{client, maxUnfinished/4 + 1, true},
		{small, maxUnfinished / 2, false}, // now it holds most itself
		{client, maxUnfinished, false},
	} {
		if err := b.take(step.conn, step.n); (err == nil) != step.ok {
			t.Fatalf("%+v: %v", step, err)
		}
	}
	if !isClosed(large) || isClosed(client) {
		t.Errorf("closed: large %v, client %v", isClosed(large), isClosed(client))
	}
	for _, c := range []*boundedConn{small, large, asker, client} {
		b.release(c)
	}
	if b.total != 0 || len(b.held) != 0 {
		t.Errorf("%d bytes and %d connections after the end", b.total, len(b.held))
	}
}

// Strangers begin large messages and do not end them; a client still can.
func TestUnfinishedMessagesOfStrangers(t *testing.T) {
	k := startKernel(t, fakeSession{})
	c := k.connect(t)
	c.ask(c.shell, "kernel_info_request", "{}") // as clients begin
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	// The first frame of a message, with more to come.
	part := make([]byte, 9+maxMessage/2)
	part[0] = flagMore | flagLong
	binary.BigEndian.PutUint64(part[1:], uint64(len(part)-9))
	const strangers = 12
	for i := range strangers {
		s := []*socket{k.shell, k.control, k.stdin}[i%3]
		rawPeer(t, s, zmq4.Dealer).Write(part)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int(after.HeapAlloc) - int(before.HeapAlloc); grown > 2*maxUnfinished {
		t.Errorf("%d MB are held", grown>>20)
	}
	if reply, _ := c.execute(strings.Repeat("x", maxMessage/16)); reply.body["status"] != "ok" {
		t.Errorf("reply %v", reply.body["status"])
	}
	waitFor(t, "room", func() bool {
		k.budget.mu.Lock()
		defer k.budget.mu.Unlock()
		return k.budget.total <= maxUnfinished
	})
}

func TestConnectionsAreBounded(t *testing.T) {
	k := startKernel(t, fakeSession{})
	c := k.connect(t)
	open := 0
	for range maxPeers + 10 {
		conn, err := net.Dial("tcp", k.shell.listener.Addr().String())
		if err != nil {
			break
		}
		defer conn.Close()
		open++
	}
	k.shell.mu.Lock()
	n := k.shell.connections
	k.shell.mu.Unlock()
	if n > maxPeers || open < maxPeers {
		t.Errorf("%d of %d connections are served, want at most %d", n, open, maxPeers)
	}
	if reply, _ := c.execute("x"); reply.body["status"] != "ok" {
		t.Errorf("reply %v", reply.body)
	}
}

// A client is held up by the pace of the subscribers only, not by those who
// never asked for anything and so have nothing to read.
func TestWhoAskedForNothingSetsNoPace(t *testing.T) {
	slow := &peer{raw: stranger(t, newBudget()), topics: map[string]struct{}{"": {}}, pending: 10}
	idle := &peer{raw: stranger(t, newBudget()), topics: map[string]struct{}{}}
	status := &peer{raw: stranger(t, newBudget()), topics: map[string]struct{}{"kernel.x.status": {}}}
	s := &socket{peers: map[*peer]struct{}{slow: {}, idle: {}, status: {}}}
	if got := s.bestLocked("kernel.x.stream"); got != 10 {
		t.Errorf("best %d, want that of the one subscriber", got)
	}
	if got := s.bestLocked("kernel.x.status"); got != 0 {
		t.Errorf("best %d, want 0", got)
	}
}

func TestPatientWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // time passes when nothing else can happen
		near, far := net.Pipe()
		defer far.Close()
		w := patientWriter{near, stalledAfter}
		// One that takes little at a time is kept, however long all of it takes.
		data := make([]byte, 40)
		read := make(chan []byte)
		go func() {
			var got []byte
			one := make([]byte, 1)
			for range data {
				time.Sleep(stalledAfter / 2)
				far.Read(one)
				got = append(got, one...)
			}
			read <- got
		}()
		for i := range data {
			data[i] = byte(i)
		}
		if n, err := w.Write(data); n != len(data) || err != nil {
			t.Fatalf("a slow reader: %d, %v", n, err)
		}
		if got := <-read; !slices.Equal(got, data) {
			t.Errorf("it got %v", got)
		}
		if _, err := bufio.NewWriterSize(w, 1).Write(data); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("one that does not read: %v", err)
		}
	})
}
