package jupyter

import (
	"bufio"
	"context"
	"errors"
	"log"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

const (
	// handshakeTime is what a peer has to introduce itself.
	handshakeTime = 10 * time.Second
	// stalledAfter is when a peer that takes nothing off its connection is
	// dropped. maxBehind is when a subscriber is that falls behind the others, in
	// bytes: what it is to get is kept in memory.
	stalledAfter = 10 * time.Second
	maxBehind    = 64 << 20
	// maxPeers is how many connections a socket has at most.
	maxPeers = 256
	// maxTopics and maxTopic bound what a subscriber makes the kernel remember.
	maxTopics = 256
	maxTopic  = 1024
	// maxEchoes is what a peer of the heartbeat may leave unread, in bytes.
	maxEchoes = 1 << 20
	// pollEvery is how often a wait for peers looks at them.
	pollEvery = 2 * time.Millisecond
)

// socket is one bound ZeroMQ socket of the kernel. zmq4 speaks the protocol on
// each connection; its own sockets are not used, since there one peer that is
// silent in its handshake or stops reading holds up all the others.
type socket struct {
	kind     zmq4.SocketType
	listener net.Listener
	// receive is called with each message of a peer, on the goroutine that reads
	// from that peer.
	receive func(*peer, [][]byte)
	log     *log.Logger
	limit   uint64 // of a message
	budget  *budget

	mu          sync.Mutex
	connections int // also those whose handshake is not over
	peers       map[*peer]struct{}
	behind      int // maxBehind
	closed      bool
}

// newSocket starts to accept peers on a listener, which the socket then owns.
func newSocket(kind zmq4.SocketType, l net.Listener, log *log.Logger, b *budget, receive func(*peer, [][]byte)) *socket {
	s := &socket{kind: kind, listener: l, log: log, budget: b, receive: receive, peers: map[*peer]struct{}{}, behind: maxBehind}
	s.limit = maxSmallMessage
	if kind == zmq4.Router {
		s.limit = maxMessage
	}
	go s.accept()
	return s
}

func (s *socket) accept() {
	for {
		c, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as no more file descriptors
			s.log.Printf("%s socket: %v", s.kind, err)
			time.Sleep(100 * time.Millisecond)
		case !s.admit():
			c.Close()
		default:
			go s.serve(c)
		}
	}
}

func (s *socket) admit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.connections == maxPeers {
		return false
	}
	s.connections++
	return true
}

// serve shakes hands with a peer and reads from it until it goes. What a
// stranger sends can make the library panic; that ends the stranger's
// connection and nothing else.
func (s *socket) serve(raw net.Conn) {
	c := newBoundedConn(raw, s.budget)
	defer func() {
		c.Close()
		s.budget.release(c)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.connections--
	}()
	defer func() {
		if p := recover(); p != nil {
			s.log.Printf("%s socket: dropped a peer: %v", s.kind, p)
		}
	}()
	c.SetDeadline(time.Now().Add(handshakeTime))
	conn, err := zmq4.Open(c, null.Security(), s.kind, nil, true, nil)
	if err != nil {
		return
	}
	c.SetDeadline(time.Time{})
	c.establish(s.limit)

	p := newPeer(c, conn)
	if !s.add(p) {
		return
	}
	defer s.remove(p)
	go p.write()
	for {
		msg, err := conn.RecvMsg()
		if err != nil {
			return
		}
		s.receive(p, msg.Frames)
		s.budget.release(c)
	}
}

func (s *socket) add(p *peer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.peers[p] = struct{}{}
	}
	return !s.closed
}

func (s *socket) remove(p *peer) {
	p.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.peers, p)
}

// broadcast queues a message for every peer that subscribed to its topic, the
// first frame.
func (s *socket) broadcast(frames [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	topic := string(frames[0])
	best := s.bestLocked(topic)
	for p := range s.peers {
		switch {
		case !p.subscribed(topic):
		case p.backlog() > best+s.behind:
			p.close()
		default:
			p.send(frames)
		}
	}
}

// echo sends a message back. A peer that does not read its echoes is dropped.
func echo(p *peer, frames [][]byte) {
	if p.backlog() > maxEchoes {
		p.close()
		return
	}
	p.send(frames)
}

// bestLocked returns how many bytes the subscriber to a topic that keeps up best
// has not yet been sent. Others do not count: who asked for nothing is never
// behind.
func (s *socket) bestLocked(topic string) int {
	best := -1
	for p := range s.peers {
		if p.subscribed(topic) {
			if n := p.backlog(); best < 0 || n < best {
				best = n
			}
		}
	}
	return max(best, 0)
}

// throttle waits until the subscriber to a topic that keeps up best has at most
// limit bytes to receive. Thus a producer goes at the pace of its fastest reader.
func (s *socket) throttle(ctx context.Context, topic string, limit int) {
	poll(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.bestLocked(topic) <= limit
	})
}

// flush waits until everything queued has been written.
func (s *socket) flush(ctx context.Context) {
	poll(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for p := range s.peers {
			if p.backlog() > 0 {
				return false
			}
		}
		return true
	})
}

// identified returns the peers that call themselves by an identity. A client has
// the same one on the shell and the stdin socket.
func (s *socket) identified(identity string) (all []*peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.peers {
		if p.identity == identity {
			all = append(all, p)
		}
	}
	return all
}

func (s *socket) close() {
	s.listener.Close()
	s.mu.Lock()
	s.closed = true
	peers := make([]*peer, 0, len(s.peers))
	for p := range s.peers {
		peers = append(peers, p)
	}
	s.mu.Unlock()
	for _, p := range peers {
		p.close()
	}
}

// poll waits until ready or until ctx ends.
func poll(ctx context.Context, ready func() bool) {
	for !ready() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollEvery):
		}
	}
}

// peer is one connection of a socket, with a queue and a goroutine that sends
// from it.
type peer struct {
	raw      *boundedConn
	conn     *zmq4.Conn
	identity string // empty when the peer gave none

	mu      sync.Mutex
	wake    *sync.Cond
	queue   [][][]byte
	pending int // bytes queued and bytes being written
	topics  map[string]struct{}
	closed  bool
}

func newPeer(raw *boundedConn, conn *zmq4.Conn) *peer {
	raw.out = bufio.NewWriterSize(patientWriter{raw.Conn, stalledAfter}, 16<<10)
	p := &peer{raw: raw, conn: conn, identity: conn.Peer.Meta["Identity"], topics: map[string]struct{}{}}
	p.wake = sync.NewCond(&p.mu)
	return p
}

// send queues a message.
func (p *peer) send(frames [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.queue = append(p.queue, frames)
	p.pending += size(frames)
	p.wake.Signal()
}

// write sends what is queued, each message in one piece, until the peer closes.
func (p *peer) write() {
	defer p.close()
	for {
		frames, ok := p.take()
		if !ok {
			return
		}
		if p.conn.SendMsg(zmq4.NewMsgFrom(frames...)) != nil || p.raw.out.Flush() != nil {
			return
		}
		p.written(size(frames))
	}
}

func (p *peer) take() ([][]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) == 0 && !p.closed {
		p.wake.Wait()
	}
	if p.closed {
		return nil, false
	}
	frames := p.queue[0]
	p.queue[0] = nil
	p.queue = p.queue[1:]
	return frames, true
}

func (p *peer) written(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.pending -= n
	}
}

func (p *peer) backlog() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pending
}

func (p *peer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.queue, p.pending = nil, 0
	p.wake.Broadcast()
	p.raw.Close()
}

// subscribe notes a subscription message of a SUB socket: a byte that says
// whether it begins or ends, and the topic.
func (p *peer) subscribe(frames [][]byte) {
	if len(frames) != 1 || len(frames[0]) == 0 || len(frames[0]) > maxTopic {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	topic := string(frames[0][1:])
	switch frames[0][0] {
	case 0:
		delete(p.topics, topic)
	case 1:
		if len(p.topics) < maxTopics {
			p.topics[topic] = struct{}{}
		}
	}
}

func (p *peer) subscribed(topic string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for prefix := range p.topics {
		if strings.HasPrefix(topic, prefix) {
			return true
		}
	}
	return false
}

func size(frames [][]byte) int {
	n := 0
	for _, f := range frames {
		n += len(f)
	}
	return n
}
