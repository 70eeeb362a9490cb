package jupyter

import (
	"bufio"
	"strings"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

const (
	// stalledAfter is when a peer that takes nothing off its connection is dropped.
	stalledAfter = 10 * time.Second
	// maxTopics and maxTopic bound what a subscriber makes the kernel remember.
	maxTopics = 256
	maxTopic  = 1024 // bytes of a subscription message
)

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

// subscribed is false of a peer that was closed: it stays in its socket until its
// reader ends, and the others are not to be measured by its empty queue.
func (p *peer) subscribed(topic string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
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
