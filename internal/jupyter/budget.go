package jupyter

import (
	"fmt"
	"sync"
)

// maxUnfinished bounds what all connections of a kernel together hold of messages
// that have not come whole or are not yet checked, in bytes.
const maxUnfinished = 2 * maxMessage

// budget shares maxUnfinished out. Anybody who reaches the sockets can begin a
// message, so that connections which have shown no signature make room for
// others. Safe for concurrent use.
type budget struct {
	mu    sync.Mutex
	held  map[*boundedConn]int
	total int
}

func newBudget() *budget { return &budget{held: map[*boundedConn]int{}} }

// take lets a connection hold n bytes more. When that is too much, the untrusted
// connection that holds most is closed, and it may be this one.
func (b *budget) take(c *boundedConn, n int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held[c] += n
	b.total += n
	for b.total > maxUnfinished {
		victim := c
		for other, held := range b.held {
			if !other.trusted && (victim.trusted || held > b.held[victim]) {
				victim = other
			}
		}
		b.releaseLocked(victim)
		if victim == c {
			return fmt.Errorf("unfinished messages of more than %d bytes", maxUnfinished)
		}
		victim.Close()
	}
	return nil
}

// release ends what a connection holds.
func (b *budget) release(c *boundedConn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.releaseLocked(c)
}

func (b *budget) releaseLocked(c *boundedConn) {
	b.total -= b.held[c]
	delete(b.held, c)
}

// trust notes that a connection has sent a message with a right signature.
func (b *budget) trust(c *boundedConn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.trusted = true
}
