package jupyter

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

const (
	// maxMessage bounds one incoming message, in bytes, with frameCost for each
	// of its frames. Front ends stay far below it: they send source code.
	// maxSmallMessage is the bound where only subscriptions and heartbeats come.
	maxMessage      = 64 << 20
	maxSmallMessage = 64 << 10
	frameCost       = 64

	greetingSize = 64

	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// boundedConn is a connection to a peer that cannot make the ZMTP reader
// allocate what it merely announces: the reader takes the size of a frame from
// the peer, so that the sizes are checked here, as they pass by.
type boundedConn struct {
	net.Conn
	// established is set once the handshake is over, when ZMTP 3.0 has no more
	// commands.
	established bool
	// out gathers the frames of a message; nil writes through.
	out *bufio.Writer

	limit   uint64 // of a message
	budget  *budget
	trusted bool // guarded by budget

	skip    uint64 // bytes until the next frame header
	header  []byte // what was read of a frame header
	message uint64 // cost of the message so far
}

func newBoundedConn(c net.Conn, b *budget) *boundedConn {
	return &boundedConn{Conn: c, limit: maxSmallMessage, budget: b, skip: greetingSize}
}

// establish ends the handshake.
func (c *boundedConn) establish(limit uint64) {
	c.established, c.limit = true, limit
	c.budget.release(c)
}

func (c *boundedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if bad := c.check(p[:n]); bad != nil {
		// With n bytes a caller that asked for n would take no notice of the error.
		return 0, bad
	}
	return n, err
}

// check follows the frames of the stream. The library reads a header to its end
// before it allocates the body, so that an error comes in time.
func (c *boundedConn) check(p []byte) error {
	for len(p) > 0 {
		if c.skip > 0 {
			n := min(c.skip, uint64(len(p)))
			c.skip -= n
			p = p[n:]
			continue
		}
		c.header = append(c.header, p[0])
		p = p[1:]
		flags, long := c.header[0], c.header[0]&flagLong != 0
		switch {
		case long && len(c.header) == 9:
			c.skip = binary.BigEndian.Uint64(c.header[1:])
		case !long && len(c.header) == 2:
			c.skip = uint64(c.header[1])
		default:
			continue
		}
		c.header = c.header[:0]
		if flags&flagCommand != 0 && c.established {
			return errors.New("a command after the handshake")
		}
		if c.skip > c.limit || c.message+c.skip+frameCost > c.limit {
			return fmt.Errorf("a message of more than %d bytes", c.limit)
		}
		if err := c.budget.take(c, int(c.skip)+frameCost); err != nil {
			return err
		}
		c.message += c.skip + frameCost
		if flags&flagMore == 0 {
			c.message = 0
		}
	}
	return nil
}

func (c *boundedConn) Write(p []byte) (int, error) {
	if c.out != nil {
		return c.out.Write(p)
	}
	return c.Conn.Write(p)
}

// patientWriter writes to a peer as long as the peer takes anything: a slow one is
// kept, and one that stopped reading is not.
type patientWriter struct {
	net.Conn
	patience time.Duration
}

func (w patientWriter) Write(p []byte) (written int, err error) {
	for written < len(p) {
		if err := w.SetWriteDeadline(time.Now().Add(w.patience)); err != nil {
			return written, err
		}
		n, err := w.Conn.Write(p[written:])
		written += n
		if err != nil && !(n > 0 && errors.Is(err, os.ErrDeadlineExceeded)) {
			return written, err
		}
	}
	return written, nil
}
