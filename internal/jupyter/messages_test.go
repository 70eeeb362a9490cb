package jupyter

import (
	"context"
	"fmt"
	"log"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

func TestHeadersAreTheKernelsOwn(t *testing.T) {
	k := startKernel(t, fakeSession{})
	c := k.connect(t)
	seen := map[string]bool{}
	session := ""
	for range 3 {
		reply, published := c.execute("x")
		for _, m := range append(published, reply) {
			h := m.header
			if seen[h.MsgID] || h.MsgID == "" {
				t.Errorf("msg_id %q is not new", h.MsgID)
			}
			seen[h.MsgID] = true
			if session == "" {
				session = h.Session
			}
			if h.Session != session || h.Session == "s" {
				t.Errorf("session %q, want the kernel's own, always the same", h.Session)
			}
			if h.Version != "5.4" {
				t.Errorf("version %q", h.Version)
			}
			if _, err := time.Parse(time.RFC3339, h.Date); err != nil {
				t.Errorf("date: %v", err)
			}
		}
	}
}

func TestStartingIsPublishedOnceWithoutParent(t *testing.T) {
	k := listenKernel(t, Connection{Transport: "tcp", IP: "127.0.0.1", Key: "k"}, fakeSession{})
	c := k.connect(t)
	k.serve(t)
	first := c.iopub.next(t)
	wantBody(t, first, `{"execution_state":"starting"}`)
	if first.parent != "{}" {
		t.Errorf("parent %s, want {}", first.parent)
	}
	c.execute("x")
	head := c.send(c.shell, "execute_request", executeJSON("y", ""))
	for {
		r := c.iopub.next(t)
		if r.body["execution_state"] == "starting" {
			t.Error("starting came twice")
		}
		if r.parent == head && r.body["execution_state"] == "idle" {
			return
		}
	}
}

func TestRepliesCarryTheIdentities(t *testing.T) {
	k := startKernel(t, fakeSession{})
	c := k.connect(t)
	frames, head := c.frames("kernel_info_request", "{}")
	c.sendFrames(c.shell, append([][]byte{[]byte("one"), {0, 0xff}}, frames...))
	reply := c.reply(c.shell, head)
	if want := [][]byte{[]byte("one"), {0, 0xff}}; !reflect.DeepEqual(reply.prefix, want) {
		t.Errorf("identities %q, want %q", reply.prefix, want)
	}
}

func TestUnsignedWrongRepeatedAndMalformedMessagesAreDropped(t *testing.T) {
	ran := make(chan string, 100)
	k := startKernel(t, fakeSession{run: func(_ context.Context, cell interp.Cell, _ interp.Sink) (*display.Data, error) {
		ran <- cell.Source
		return nil, nil
	}})
	c := k.connect(t)
	good := func(code string) [][]byte {
		frames, _ := c.frames("execute_request", executeJSON(code, ""))
		return frames
	}
	with := func(i int, frame string) [][]byte {
		frames := good("bad")
		frames[i] = []byte(frame)
		return frames
	}
	once := good("once")
	signedHeader := func(head string) [][]byte { return c.framesWith(head, executeJSON("bad", "")) }
	for _, frames := range [][][]byte{
		once, once,
		with(1, ""),
		with(1, "zz"),
		with(1, strings.Repeat("0", 64)),
		with(1, strings.Repeat("z", 64)),
		with(1, sign("another key", good("bad")[2:]...)),
		with(5, executeJSON("forged", "")),
		with(0, "<ids|msg>"),
		good("bad")[:5],
		good("bad")[:1],
		{{}},
		signedHeader(`[]`),
		signedHeader(`null`),
		signedHeader(`{"msg_type":1}`),
		signedHeader(`{"msg_id":"x"}`),
		signedHeader(`{"msg_type":"execute_request"`),
		signedHeader(``),
		c.framesWith(`{"msg_type":"execute_request"}`, `[1]`),
		c.framesWith(`{"msg_type":"complete_request"}`, `{"code":1}`),
		append(good("with buffers"), []byte("buffer"), nil),
	} {
		c.sendFrames(c.shell, frames)
	}
	c.sendFrames(c.control, good("bad")[:5])
	c.sendFrames(c.control, with(1, sign("another key", good("bad")[2:]...)))
	c.published(c.send(c.shell, "execute_request", executeJSON("last", "")))
	close(ran)
	var got []string
	for code := range ran {
		got = append(got, code)
	}
	if want := []string{"once", "with buffers", "last"}; !slices.Equal(got, want) {
		t.Errorf("ran %v, want %v", got, want)
	}
	c.ask(c.control, "kernel_info_request", "{}")
}

func TestEmptyKeyMeansNoSignature(t *testing.T) {
	k := listenKernel(t, Connection{Transport: "tcp", IP: "127.0.0.1"}, fakeSession{})
	k.serve(t)
	ctx := t.Context()
	s := zmq4.NewDealer(ctx)
	defer s.Close()
	if err := s.Dial(fmt.Sprintf("tcp://127.0.0.1:%d", k.connection.ShellPort)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the same bytes again are no repetition: nothing tells it from one
		if err := s.Send(zmq4.NewMsgFrom([]byte("<IDS|MSG>"), nil, []byte(`{"msg_type":"kernel_info_request"}`), []byte("{}"), []byte("{}"), []byte("{}"))); err != nil {
			t.Fatal(err)
		}
		msg, err := s.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if len(msg.Frames) != 6 || len(msg.Frames[1]) != 0 {
			t.Errorf("reply %q, want an empty signature", msg.Frames)
		}
	}
}

func TestTheLogIsBounded(t *testing.T) {
	var text strings.Builder
	log := log.New(&boundedLog{to: &text, left: 3}, "", 0)
	for i := range 10 {
		log.Print(i)
	}
	if got, want := text.String(), "0\n1\n2\n(the last line of the log: it is full)\n"; got != want {
		t.Errorf("the log has %q, want %q", got, want)
	}
}
