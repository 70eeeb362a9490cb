package jupyter

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// fakeSession is a Session of functions; a nil one does nothing.
type fakeSession struct {
	run        func(ctx context.Context, cell interp.Cell, sink interp.Sink) (*display.Data, error)
	evaluate   func(expression string) (*display.Data, error)
	inspect    func(source string, cursor, detail int) (*display.Data, error)
	complete   func(source string, cursor int) (interp.Completion, error)
	isComplete func(source string) (string, string)
	flush      func()
}

func (s fakeSession) Run(ctx context.Context, cell interp.Cell, sink interp.Sink) (*display.Data, error) {
	if s.run == nil {
		return nil, nil
	}
	return s.run(ctx, cell, sink)
}

func (s fakeSession) Complete(_ context.Context, source string, cursor int) (interp.Completion, error) {
	if s.complete == nil {
		return interp.Completion{}, nil
	}
	return s.complete(source, cursor)
}

func (s fakeSession) Evaluate(_ context.Context, expression string) (*display.Data, error) {
	if s.evaluate == nil {
		return nil, nil
	}
	return s.evaluate(expression)
}

func (s fakeSession) Inspect(_ context.Context, source string, cursor, detail int) (*display.Data, error) {
	if s.inspect == nil {
		return nil, nil
	}
	return s.inspect(source, cursor, detail)
}

func (s fakeSession) Flush() {
	if s.flush != nil {
		s.flush()
	}
}

func (s fakeSession) IsComplete(source string) (string, string) {
	if s.isComplete == nil {
		return "complete", ""
	}
	return s.isComplete(source)
}

// testLog shows the kernel's log with a test that fails.
type testLog struct{ t testing.TB }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Logf("%s", p)
	return len(p), nil
}

// testKernel is a kernel in this process.
type testKernel struct {
	*Kernel
	connection Connection
	served     chan struct{} // closed when Serve returned
}

func startKernel(t *testing.T, session Session) *testKernel {
	t.Helper()
	k := listenKernel(t, Connection{Transport: "tcp", IP: "127.0.0.1", SignatureScheme: "hmac-sha256", Key: "a test key"}, session)
	k.serve(t)
	return k
}

// listenKernel binds a kernel that does not serve yet. With port 0 for each
// socket the system chooses.
func listenKernel(t *testing.T, c Connection, session Session) *testKernel {
	t.Helper()
	kernel, err := Listen(c, session, "", testLog{t})
	if err != nil {
		t.Fatal(err)
	}
	k := &testKernel{Kernel: kernel, connection: c, served: make(chan struct{})}
	if c.Transport == "tcp" {
		port := func(s *socket) int { return s.listener.Addr().(*net.TCPAddr).Port }
		k.connection.ShellPort = port(k.shell)
		k.connection.ControlPort = port(k.control)
		k.connection.StdinPort = port(k.stdin)
		k.connection.IOPubPort = port(k.iopub)
		k.connection.HBPort = port(k.heartbeat)
	}
	return k
}

func (k *testKernel) serve(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(k.served)
		k.Serve(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		k.waitServed(t)
	})
}

func (k *testKernel) waitServed(t *testing.T) {
	t.Helper()
	select {
	case <-k.served:
	case <-time.After(patience):
		t.Error("the kernel did not end")
	}
}

// client is a Jupyter client over the sockets of zmq4, with its own reading and
// signing of messages.
type client struct {
	t                     testing.TB
	key                   string
	id                    int64 // in the identity, and in the numbers of messages
	n                     int
	shell, control, stdin *channel
	iopub                 *channel
	heartbeat             zmq4.Socket
}

var clients atomic.Int64

// channel receives from a socket into a queue, so that a test can wait with a
// time limit.
type channel struct {
	zmq4.Socket
	received chan received
}

type received struct {
	frames [][]byte
	prefix [][]byte // frames before the delimiter
	header header
	parent string
	body   map[string]any
}

// subscribers is how many clients get what is published.
func (k *testKernel) subscribers() (n int) {
	k.iopub.mu.Lock()
	defer k.iopub.mu.Unlock()
	for p := range k.iopub.peers {
		if p.subscribed("") {
			n++
		}
	}
	return n
}

// connect returns a client that receives what is published from now on.
func (k *testKernel) connect(t *testing.T) *client {
	t.Helper()
	before := k.subscribers()
	c := dial(t, k.connection)
	waitFor(t, "the subscription", func() bool { return k.subscribers() > before })
	return c
}

func dial(t testing.TB, connection Connection) *client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	c := &client{t: t, key: connection.Key, id: clients.Add(1)}
	identity := zmq4.WithID(zmq4.SocketIdentity(fmt.Sprint("client ", c.id)))
	to := func(s zmq4.Socket, port int) zmq4.Socket {
		t.Helper()
		endpoint := fmt.Sprintf("tcp://%s:%d", connection.IP, port)
		if connection.Transport == "ipc" {
			endpoint = fmt.Sprintf("ipc://%s-%d", connection.IP, port)
		}
		if err := s.Dial(endpoint); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	sub := zmq4.NewSub(ctx)
	to(sub, connection.IOPubPort)
	if err := sub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		t.Fatal(err)
	}
	c.iopub = c.receive(sub)
	c.shell = c.receive(to(zmq4.NewDealer(ctx, identity), connection.ShellPort))
	c.control = c.receive(to(zmq4.NewDealer(ctx, identity), connection.ControlPort))
	c.stdin = c.receive(to(zmq4.NewDealer(ctx, identity), connection.StdinPort))
	c.heartbeat = to(zmq4.NewReq(ctx), connection.HBPort)
	return c
}

func waitFor(t testing.TB, what string, ready func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ready(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no sign of %s", what)
		}
	}
}

func (c *client) receive(s zmq4.Socket) *channel {
	ch := &channel{Socket: s, received: make(chan received, 100_000)}
	go func() {
		for {
			msg, err := s.Recv()
			if err != nil {
				return
			}
			ch.received <- c.parse(msg.Frames)
		}
	}()
	return ch
}

// parse reads a message and checks its form and its signature.
func (c *client) parse(frames [][]byte) received {
	at := slices.IndexFunc(frames, func(f []byte) bool { return string(f) == "<IDS|MSG>" })
	if at < 0 || len(frames) != at+6 {
		c.t.Errorf("malformed message: %q", frames)
		return received{}
	}
	if want := sign(c.key, frames[at+2:]...); string(frames[at+1]) != want {
		c.t.Errorf("signature %s, want %s", frames[at+1], want)
	}
	r := received{frames: frames, prefix: frames[:at], parent: string(frames[at+3])}
	if err := json.Unmarshal(frames[at+2], &r.header); err != nil {
		c.t.Errorf("header %s: %v", frames[at+2], err)
	}
	if err := json.Unmarshal(frames[at+5], &r.body); err != nil {
		c.t.Errorf("content %s: %v", frames[at+5], err)
	}
	return r
}

func sign(key string, frames ...[]byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(bytes.Join(frames, nil))
	return hex.EncodeToString(mac.Sum(nil))
}

// frames makes a signed request and returns it with its header.
func (c *client) frames(msgType, content string) ([][]byte, string) {
	c.n++
	// Spacing, the order of the keys and an unknown key show whether the kernel
	// keeps the bytes.
	head := fmt.Sprintf(`{ "version":"5.3", "msg_type" : %q,"msg_id":"m%d.%d", "session":"s",  "username":"é","date":"2026-01-02T03:04:05Z","x":[1] }`, msgType, c.id, c.n)
	return c.framesWith(head, content), head
}

func (c *client) framesWith(head, content string) [][]byte {
	signed := [][]byte{[]byte(head), []byte("{}"), []byte("{}"), []byte(content)}
	return append([][]byte{[]byte("<IDS|MSG>"), []byte(sign(c.key, signed...))}, signed...)
}

// send sends a request and returns its header.
func (c *client) send(ch *channel, msgType, content string) string {
	c.t.Helper()
	frames, head := c.frames(msgType, content)
	c.sendFrames(ch, frames)
	return head
}

func (c *client) sendFrames(ch *channel, frames [][]byte) {
	c.t.Helper()
	if err := ch.Send(zmq4.NewMsgFrom(frames...)); err != nil {
		c.t.Fatal(err)
	}
}

func (ch *channel) next(t testing.TB) received {
	t.Helper()
	select {
	case r := <-ch.received:
		return r
	case <-time.After(patience):
		t.Fatal("no message came")
		panic("unreachable")
	}
}

// ask sends a request, and returns its reply and what iopub had for it between
// busy and idle.
func (c *client) ask(ch *channel, msgType, content string) (reply received, published []received) {
	c.t.Helper()
	head := c.send(ch, msgType, content)
	published = c.published(head)
	return c.reply(ch, head), published
}

func (c *client) reply(ch *channel, head string) received {
	c.t.Helper()
	r := ch.next(c.t)
	if r.parent != head {
		c.t.Fatalf("reply %s to %s, want to %s", r.header.MsgType, r.parent, head)
	}
	return r
}

// published returns what iopub has for a request, statuses left out.
func (c *client) published(head string) []received {
	c.t.Helper()
	var all []received
	for {
		r := c.iopub.next(c.t)
		if r.parent != head {
			continue
		}
		all = append(all, r)
		if r.header.MsgType == "status" && r.body["execution_state"] == "idle" {
			break
		}
	}
	if all[0].header.MsgType != "status" || all[0].body["execution_state"] != "busy" {
		c.t.Fatalf("the first message is %s %v, want busy", all[0].header.MsgType, all[0].body)
	}
	return all[1 : len(all)-1]
}

func (c *client) execute(code string) (reply received, published []received) {
	c.t.Helper()
	return c.ask(c.shell, "execute_request", executeJSON(code, ""))
}

// executeJSON is the content of an execute request; more begins with a comma.
func executeJSON(code, more string) string {
	quoted, _ := json.Marshal(code)
	return fmt.Sprintf(`{"code":%s%s}`, quoted, more)
}

func kinds(messages []received) []string {
	var all []string
	for _, m := range messages {
		all = append(all, m.header.MsgType)
	}
	return all
}

func wantBody(t *testing.T, r received, want string) {
	t.Helper()
	var w map[string]any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(r.body)
	sorted, _ := json.Marshal(w)
	if !bytes.Equal(got, sorted) {
		t.Errorf("%s has\n  %s\nwant\n  %s", r.header.MsgType, got, sorted)
	}
}

// scripted runs cells by a table of functions.
type scripted map[string]func(ctx context.Context, sink interp.Sink) (*display.Data, error)

func (s scripted) session() fakeSession {
	var mu sync.Mutex
	return fakeSession{run: func(ctx context.Context, cell interp.Cell, sink interp.Sink) (*display.Data, error) {
		mu.Lock()
		f := s[cell.Source]
		mu.Unlock()
		if f == nil {
			return nil, nil
		}
		return f(ctx, sink)
	}}
}

func fail(context.Context, interp.Sink) (*display.Data, error) {
	return nil, &interp.Error{Name: "Panic", Value: "boom", Cell: "In[1]", Line: 1, Traceback: []string{"one", "two"}}
}
