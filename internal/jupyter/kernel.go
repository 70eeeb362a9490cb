// Package jupyter serves an interpreter session to Jupyter clients: the
// messaging protocol over ZeroMQ, and the kernelspec that tells clients how to
// start the kernel.
package jupyter

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

const (
	// abortWindow is how long the answer to a failed cell waits for the cells
	// that were sent along with it: until the client has that answer, whatever
	// comes was meant to follow a success.
	abortWindow = 20 * time.Millisecond
	// stopTime is what a running cell, and then the last messages, have when the
	// kernel ends.
	stopTime = 300 * time.Millisecond
)

// Session is what the kernel needs of an interpreter. *interp.Session is one.
type Session interface {
	Run(ctx context.Context, cell interp.Cell, sink interp.Sink) (*display.Data, error)
	Evaluate(ctx context.Context, expression string) (*display.Data, error)
	Complete(ctx context.Context, source string, cursor int) (interp.Completion, error)
	Inspect(ctx context.Context, source string, cursor, detail int) (*display.Data, error)
	IsComplete(source string) (status, indent string)
	Flush()
}

var _ Session = (*interp.Session)(nil)

// Kernel serves one session. Requests run one after the other, on one goroutine
// of Serve; those that must not wait for a cell are answered on the goroutine
// that received them.
type Kernel struct {
	session Session
	wire    *wire
	log     *log.Logger
	budget  *budget
	history *history // the executor's own, as are count and ending

	// ending is nil when nobody could read it.
	ending *Ending

	shell, control, stdin, iopub, heartbeat *socket

	mu       sync.Mutex
	queue    []*request         // requests that wait for their turn
	queued   chan struct{}      // holds a token when queue may not be empty
	cancel   context.CancelFunc // ends the request in work, nil when there is none
	question *question          // that waits for an answer, nil when there is none
	asking   chan struct{}      // held by who asks

	count int // execution counter

	life context.Context // ends when the kernel is to end
	stop context.CancelFunc
}

// request is a message and where its answer goes.
type request struct {
	*message
	from *peer
	// aborted is set when the request is to be answered without being done.
	aborted bool
}

// Listen binds the sockets of a connection. The kernel then owns the session,
// keeps the cells it ran in the folder historyDir, or nowhere when that is empty,
// and writes to logTo what no client is told.
func Listen(c Connection, session Session, historyDir string, logTo io.Writer) (*Kernel, error) {
	k := &Kernel{
		session: session,
		wire:    newWire(c.Key),
		log:     log.New(&boundedLog{to: logTo, left: maxLog}, "gopherscope kernel: ", 0),
		budget:  newBudget(),
		queued:  make(chan struct{}, 1),
		asking:  make(chan struct{}, 1),
	}
	k.history = &history{dir: historyDir, log: k.log}
	k.life, k.stop = context.WithCancel(context.Background())
	ports := []int{c.ShellPort, c.ControlPort, c.StdinPort, c.IOPubPort, c.HBPort}
	listeners := make([]net.Listener, len(ports))
	for i, port := range ports {
		l, err := c.listen(port)
		if err != nil {
			for _, open := range listeners[:i] {
				open.Close()
			}
			return nil, fmt.Errorf("kernel sockets: %w", err)
		}
		listeners[i] = l
	}
	// The shell and control handlers publish, so that iopub is there first.
	k.iopub = newSocket(zmq4.Pub, listeners[3], k.log, k.budget, (*peer).subscribe)
	k.heartbeat = newSocket(zmq4.Rep, listeners[4], k.log, k.budget, echo)
	k.stdin = newSocket(zmq4.Router, listeners[2], k.log, k.budget, k.receiveInput)
	k.control = newSocket(zmq4.Router, listeners[1], k.log, k.budget, k.receiver("control"))
	k.shell = newSocket(zmq4.Router, listeners[0], k.log, k.budget, k.receiver("shell"))
	return k, nil
}

// SetEnding has the kernel note in e which cell runs, and tell its clients what the
// kernel before left there. It is to be called before Serve.
func (k *Kernel) SetEnding(e *Ending) { k.ending = e }

// Serve answers requests until a client asks for a shutdown or ctx ends. A cell
// that runs then is interrupted; Serve does not wait for one that does not stop.
func (k *Kernel) Serve(ctx context.Context) {
	k.publish(nil, "status", statusContent{"starting"})
	executor := make(chan struct{})
	go func() {
		defer close(executor)
		k.execute()
	}()

	select {
	case <-ctx.Done():
	case <-k.life.Done():
	}
	k.stop()
	k.Interrupt()
	select {
	case <-executor:
	case <-time.After(stopTime):
	}
	flushed := make(chan struct{})
	go func() {
		k.session.Flush() // what a goroutine of an earlier cell has just printed
		close(flushed)
	}()
	select {
	case <-flushed:
	case <-time.After(stopTime):
	}
	time.Sleep(2 * streamDelay) // until it is on its way
	last, done := context.WithTimeout(context.Background(), stopTime)
	defer done()
	for _, s := range []*socket{k.iopub, k.shell, k.control} {
		s.flush(last)
	}
	for _, s := range []*socket{k.iopub, k.shell, k.control, k.stdin, k.heartbeat} {
		s.close()
	}
}

// Interrupt stops the running cell and drops the cells that wait behind it: who
// presses stop does not want the next cell to begin.
func (k *Kernel) Interrupt() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cancel != nil {
		k.cancel()
	}
	k.abortQueued()
}

// abortQueued marks the execute requests that wait. The others are answered:
// they do not depend on the cell that failed. The caller holds mu.
func (k *Kernel) abortQueued() {
	for _, r := range k.queue {
		if r.msgType == "execute_request" {
			r.aborted = true
		}
	}
}

// atOnce lists the requests that are answered whatever cell runs, by socket.
// Clients before protocol 5.4 ask for a shutdown on the shell socket.
var atOnce = map[string][]string{
	"control": {"kernel_info_request", "interrupt_request", "shutdown_request"},
	"shell":   {"interrupt_request", "shutdown_request"},
}

// receiver returns the function that takes the messages of a socket. Requests
// that may not overlap a cell wait for their turn, on either socket.
func (k *Kernel) receiver(socket string) func(*peer, [][]byte) {
	return func(from *peer, frames [][]byte) {
		m, ok := k.decode(socket, from, frames)
		if !ok {
			return
		}
		r := &request{message: m, from: from}
		if slices.Contains(atOnce[socket], m.msgType) {
			k.answer(context.Background(), r)
			return
		}
		k.mu.Lock()
		k.queue = append(k.queue, r)
		k.mu.Unlock()
		select {
		case k.queued <- struct{}{}:
		default:
		}
	}
}

// decode reads a message of a peer, which is trusted from then on. What is no message of
// this kernel's clients is logged and dropped.
func (k *Kernel) decode(socket string, from *peer, frames [][]byte) (*message, bool) {
	m, err := k.wire.decode(frames)
	if err != nil {
		k.log.Printf("dropped a message on the %s socket: %v", socket, err)
		return nil, false
	}
	k.budget.trust(from.raw)
	return m, true
}

// execute does the queued requests in order, until the kernel stops.
func (k *Kernel) execute() {
	for {
		r, ctx, ok := k.take()
		if !ok {
			return
		}
		k.answer(ctx, r)
		k.mu.Lock()
		k.cancel()
		k.cancel = nil
		k.mu.Unlock()
	}
}

// take waits for the next queued request. Its context is the one that Interrupt
// ends, from the moment the request is out of the queue.
func (k *Kernel) take() (*request, context.Context, bool) {
	for {
		select {
		case <-k.life.Done():
			return nil, nil, false
		default:
		}
		k.mu.Lock()
		if len(k.queue) > 0 {
			r := k.queue[0]
			k.queue[0] = nil
			k.queue = k.queue[1:]
			ctx, cancel := context.WithCancel(context.Background())
			k.cancel = cancel
			k.mu.Unlock()
			return r, ctx, true
		}
		k.mu.Unlock()
		select {
		case <-k.queued:
		case <-k.life.Done():
		}
	}
}

// answer does one request between its busy and its idle status. A request that
// cannot be done is answered too: its client waits.
func (k *Kernel) answer(ctx context.Context, r *request) {
	k.publish(r.header, "status", statusContent{"busy"})
	if do := handlers[r.msgType]; do != nil {
		var content any
		err := protect(func() (err error) {
			content, err = do(k, ctx, r)
			return err
		})
		if err != nil {
			k.log.Printf("%s: %v", r.msgType, err)
		}
		kind, isRequest := strings.CutSuffix(r.msgType, "_request")
		if content == nil && err != nil {
			content = errorReply{Status: "error", failure: describe(err)}
		}
		if isRequest {
			if err := k.reply(r, kind+"_reply", content); err != nil {
				k.log.Print(err)
			}
		}
	}
	k.publish(r.header, "status", statusContent{"idle"})
	if r.msgType == "shutdown_request" {
		k.stop()
	}
}

// handlers do the requests of each kind and return the content of the reply,
// with an error also when the log is to have more. Kinds that are not here get no
// answer, as the protocol wants.
var handlers = map[string]func(*Kernel, context.Context, *request) (any, error){
	"kernel_info_request": func(*Kernel, context.Context, *request) (any, error) { return kernelInfo(), nil },
	"execute_request":     (*Kernel).executeRequest,
	"complete_request":    (*Kernel).completeRequest,
	"inspect_request":     (*Kernel).inspectRequest,
	"is_complete_request": (*Kernel).isCompleteRequest,
	"history_request":     (*Kernel).historyRequest,
	"comm_info_request":   (*Kernel).commInfoRequest,
	"comm_open":           (*Kernel).commOpen,
	"interrupt_request":   (*Kernel).interruptRequest,
	"shutdown_request":    (*Kernel).shutdownRequest,
}

// reply answers a request on the connection it came on.
func (k *Kernel) reply(r *request, msgType string, content any) error {
	frames, err := k.wire.encode(r.identities, msgType, r.header, content)
	if err != nil {
		return err
	}
	r.from.send(frames)
	return nil
}

// publish sends a message to every client. The topic says nothing that the
// message does not; it lets a client subscribe to some kinds only.
func (k *Kernel) publish(parent json.RawMessage, msgType string, content any) {
	frames, err := k.wire.encode([][]byte{[]byte(k.topic(msgType))}, msgType, parent, content)
	if err != nil {
		k.log.Print(err)
		return
	}
	k.iopub.broadcast(frames)
}

func (k *Kernel) topic(msgType string) string { return "kernel." + k.wire.session + "." + msgType }

// read decodes the content of a request.
func (r *request) read(content any) error {
	if err := json.Unmarshal(r.content, content); err != nil {
		return fmt.Errorf("content: %w", err)
	}
	return nil
}
