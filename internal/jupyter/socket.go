package jupyter

import (
	"context"
	"errors"
	"log"
	"net"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

const (
	// handshakeTime is what a peer has to introduce itself.
	handshakeTime = 10 * time.Second
	// maxBehind is by how many bytes a subscriber may fall behind the others before
	// it is dropped: what it is to get is kept in memory.
	maxBehind = 64 << 20
	// maxInSystem is how many bytes the system may hold for a subscriber besides:
	// as many megabytes as it likes would hide how far behind a slow one is.
	maxInSystem = 256 << 10
	// maxPeers is how many connections a socket has at most.
	maxPeers = 256
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
	if b, ok := raw.(interface{ SetWriteBuffer(int) error }); ok && s.kind == zmq4.Pub {
		b.SetWriteBuffer(maxInSystem) // without it the peer is served all the same
	}

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
