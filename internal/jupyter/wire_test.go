package jupyter

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
)

// Test case 2 of RFC 4231: the digest is over the frames one after the other.
func TestSignatureOfRFC4231(t *testing.T) {
	w := newWire("Jefe")
	frames := [][]byte{[]byte("what do "), []byte("ya want"), nil, []byte(" for nothing?")}
	const want = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
	if got := string(w.sign(frames)); got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
	if err := w.verify([]byte(want), frames); err != nil {
		t.Error(err)
	}
	if err := w.verify([]byte(strings.ToUpper(want)), frames); err == nil {
		t.Error("the same signature in capitals was taken for a new one")
	}
}

func TestRememberedSignaturesAreBounded(t *testing.T) {
	w := newWire("k")
	digest := func(i int) (d prefix) {
		d[0], d[1], d[2] = byte(i), byte(i>>8), byte(i>>16)
		return d
	}
	const extra = 10
	for i := range rememberedSignatures + extra {
		if err := w.remember(digest(i)); err != nil {
			t.Fatalf("digest %d: %v", i, err)
		}
	}
	if len(w.seen) != rememberedSignatures || len(w.oldest) != rememberedSignatures {
		t.Errorf("%d and %d signatures kept, want %d", len(w.seen), len(w.oldest), rememberedSignatures)
	}
	if err := w.remember(digest(extra)); err == nil {
		t.Error("the oldest signature that is kept was forgotten")
	}
	if err := w.remember(digest(extra - 1)); err != nil {
		t.Errorf("a forgotten signature: %v", err)
	}
}

func TestEncodeRefusesWhatJSONCannotHold(t *testing.T) {
	if _, err := newWire("").encode(nil, "stream", nil, map[string]any{"f": func() {}}); err == nil || !strings.Contains(err.Error(), "stream") {
		t.Errorf("error %v, want one that names the message", err)
	}
}

func FuzzDecode(f *testing.F) {
	const key = "k"
	for _, seed := range []string{
		"<IDS|MSG>\nSIGN\n{\"msg_type\":\"execute_request\"}\n{}\n{}\n{\"code\":\"1\"}",
		"id\n\xff\n<IDS|MSG>\nSIGN\n{\"msg_type\":\"x\"}\n{}\n{}\n{}\nbuffer\n",
		"<IDS|MSG>\n\n{}\n{}\n{}\n{}",
		"<IDS|MSG>\n0000000000000000000000000000000000000000000000000000000000000000\n{}\n{}\n{}\n{}",
		"<IDS|MSG>\n<IDS|MSG>\nSIGN\n[[[[\n\n\n\n",
		"<IDS|MSG>",
		"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := newWire(key)
		frames := bytes.Split(data, []byte("\n"))
		signed := false
		for i, frame := range frames {
			if string(frame) == "SIGN" && len(frames) >= i+5 {
				frames[i] = []byte(sign(key, frames[i+1:i+5]...))
				signed = true
			}
		}
		m, err := w.decode(frames)
		if err != nil {
			return
		}
		if !signed {
			t.Fatalf("a message without a right signature was taken: %q", frames)
		}
		var head map[string]any
		if err := json.Unmarshal(m.header, &head); err != nil || m.msgType == "" {
			t.Errorf("header %q taken, with message type %q: %v", m.header, m.msgType, err)
		}
		if _, err := w.decode(frames); err == nil {
			t.Error("the same message was taken twice")
		}
	})
}

func FuzzFrameSizes(f *testing.F) {
	greeting := bytes.Repeat([]byte{7}, greetingSize)
	for _, seed := range []string{
		"",
		"\x00\x03abc\x01\x00\x00\x01x",
		"\x02\x00\x00\x00\x00\x00\x00\x00\x02hi\x00\x00",
		"\x02\x00\x00\x00\x00\x04\x00\x00\x00",
		"\x02\xff\xff\xff\xff\xff\xff\xff\xff",
		"\x04\x05READY\x04\x00",
		strings.Repeat("\x01\x00", 100),
	} {
		f.Add([]byte(seed), uint8(3), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, part uint8, established bool) {
		data = append(bytes.Clone(greeting), data...)
		// What the checks find does not depend on how the bytes come.
		conn := func() *boundedConn {
			c := newBoundedConn(nil, newBudget())
			c.established, c.limit = established, maxMessage
			return c
		}
		whole, parts := conn(), conn()
		err := whole.check(data)
		var partErr error
		for rest := data; len(rest) > 0 && partErr == nil; {
			n := min(int(part)+1, len(rest))
			partErr = parts.check(rest[:n])
			rest = rest[n:]
			if partErr == nil && (parts.message > maxMessage || parts.skip > maxMessage) {
				t.Fatalf("a message of %d bytes, with %d to come, is let through", parts.message, parts.skip)
			}
		}
		if (err == nil) != (partErr == nil) {
			t.Errorf("whole: %v; in parts: %v", err, partErr)
		}
	})
}

func TestFrameSizeLimits(t *testing.T) {
	long := func(flags byte, n uint64) []byte {
		return []byte{flags | flagLong, byte(n >> 56), byte(n >> 48), byte(n >> 40), byte(n >> 32), byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	}
	for _, test := range []struct {
		name   string
		frames []byte
		ok     bool
	}{
		{"the largest message", long(0, maxMessage-frameCost), true},
		{"one byte more", long(0, maxMessage-frameCost+1), false},
		{"2^63", long(0, 1<<63), false},
		{"2^64-1", long(0, 1<<64-1), false},
		{"a message without end", bytes.Repeat([]byte{flagMore, 0}, maxMessage/frameCost+1), false},
		{"as many messages", bytes.Repeat([]byte{0, 0}, maxMessage/frameCost+1), true},
	} {
		c := &boundedConn{limit: maxMessage, budget: newBudget()}
		if err := c.check(test.frames); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// FuzzPeer gives a socket whatever a stranger may send, from the first byte of a
// connection or from the first message on.
func FuzzPeer(f *testing.F) {
	const key = "k"
	signed := [][]byte{[]byte(`{"msg_type":"kernel_info_request"}`), []byte("{}"), []byte("{}"), []byte("{}")}
	frames := append([][]byte{[]byte("<IDS|MSG>"), []byte(sign(key, signed...))}, signed...)
	var request []byte
	for i, frame := range frames {
		flags := byte(flagMore)
		if i == len(frames)-1 {
			flags = 0
		}
		request = append(append(request, flags, byte(len(frame))), frame...)
	}
	for _, seed := range []string{
		string(request),
		string(request) + string(request),
		"\x00\x03abc\x01\x00\x00\x01x",
		"\x00\x01\x01\x00\x02\x01x\x00\x01\x00",
		"\x02\x00\x00\x00\x00\x00\x00\x00\x02hi\x00\x00",
		"\x02\xff\xff\xff\xff\xff\xff\xff\xff",
		"\x04\x05READY",
		"\x04\x05\x04PING\x00",
		"\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x03",
	} {
		for kind := range byte(3) {
			f.Add([]byte(seed), kind, true)
			f.Add([]byte(seed), kind, false)
		}
	}
	ready := func(kind zmq4.SocketType) []byte {
		greeting := make([]byte, greetingSize)
		greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
		copy(greeting[12:], "NULL")
		body := "\x05READY" + "\x0bSocket-Type" + "\x00\x00\x00" + string(rune(len(kind))) + string(kind)
		return append(greeting, append([]byte{flagCommand, byte(len(body))}, body...)...)
	}
	f.Fuzz(func(t *testing.T, data []byte, kind byte, shakeHands bool) {
		w, b := newWire(key), newBudget()
		s := &socket{log: log.New(io.Discard, "", 0), budget: b, limit: maxMessage, behind: maxBehind, peers: map[*peer]struct{}{}, connections: 1}
		peerKind := zmq4.Dealer
		switch kind % 3 {
		case 0:
			s.kind = zmq4.Router
			s.receive = func(p *peer, frames [][]byte) {
				if m, err := w.decode(frames); err == nil {
					p.send(append(m.identities, m.header))
				}
			}
		case 1:
			s.kind, s.receive, s.limit, peerKind = zmq4.Pub, (*peer).subscribe, maxSmallMessage, zmq4.Sub
		default:
			s.kind, s.receive, s.limit, peerKind = zmq4.Rep, echo, maxSmallMessage, zmq4.Req
		}
		near, far := net.Pipe()
		served := make(chan struct{})
		go func() {
			s.serve(near)
			close(served)
		}()
		go io.Copy(io.Discard, far)
		far.SetWriteDeadline(time.Now().Add(patience))
		if shakeHands {
			far.Write(ready(peerKind))
		}
		far.Write(data)
		s.broadcast([][]byte{[]byte("topic"), []byte("text")})
		far.Close()
		select {
		case <-served:
		case <-time.After(patience):
			t.Fatal("the connection is still served when it has ended")
		}
		if len(s.peers) != 0 || s.connections != 0 || b.total != 0 || len(b.held) != 0 {
			t.Errorf("left: %d peers, %d connections, %d bytes", len(s.peers), s.connections, b.total)
		}
	})
}
