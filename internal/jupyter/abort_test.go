package jupyter

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-zeromq/zmq4"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

func TestCellsBehindAFailureAreAborted(t *testing.T) {
	for _, test := range []struct {
		more string
		want []string
	}{
		{``, []string{"ok", "error", "aborted", "aborted", "aborted"}},
		{`,"stop_on_error":true`, []string{"ok", "error", "aborted", "aborted", "aborted"}},
		{`,"stop_on_error":false`, []string{"ok", "error", "ok", "ok", "ok"}},
		{`,"silent":true`, []string{"ok", "error", "ok", "ok", "ok"}},
	} {
		t.Run(test.more, func(t *testing.T) {
			k := startKernel(t, scripted{"2": fail}.session())
			c := k.connect(t)
			var heads []string
			for i := range 5 {
				more := ""
				if i == 1 {
					more = test.more
				}
				heads = append(heads, c.send(c.shell, "execute_request", executeJSON(fmt.Sprint(i+1), more)))
			}
			asked := c.send(c.shell, "is_complete_request", `{"code":""}`)
			for i, head := range heads {
				published := c.published(head)
				reply := c.reply(c.shell, head)
				if got := reply.body["status"]; got != test.want[i] {
					t.Errorf("cell %d: %v, want %s", i+1, got, test.want[i])
				}
				if test.want[i] == "aborted" && len(published) > 0 {
					t.Errorf("cell %d published %v", i+1, kinds(published))
				}
			}
			wantBody(t, c.reply(c.shell, asked), `{"status":"complete"}`)
			if reply, _ := c.execute("6"); reply.body["status"] != "ok" {
				t.Errorf("a later cell: %v", reply.body)
			}
		})
	}
}

// block runs until the context ends, and tells when it began.
func block(began chan<- struct{}) func(context.Context, interp.Sink) (*display.Data, error) {
	return func(ctx context.Context, _ interp.Sink) (*display.Data, error) {
		began <- struct{}{}
		<-ctx.Done()
		return nil, &interp.Error{Name: "Interrupted", Value: "interrupted"}
	}
}

func TestControlAndHeartbeatAreServedWhileACellRuns(t *testing.T) {
	began := make(chan struct{}, 1)
	k := startKernel(t, scripted{"block": block(began)}.session())
	c := k.connect(t)
	running := c.send(c.shell, "execute_request", executeJSON("block", ""))
	<-began
	behind := c.send(c.shell, "execute_request", executeJSON("next", ""))
	other := c.send(c.shell, "kernel_info_request", "{}")

	head := c.send(c.control, "kernel_info_request", "{}")
	if r := c.reply(c.control, head); r.header.MsgType != "kernel_info_reply" {
		t.Errorf("control answered %s", r.header.MsgType)
	}
	for _, beat := range []string{"ping", "pong"} {
		if err := c.heartbeat.Send(zmq4.NewMsgString(beat)); err != nil {
			t.Fatal(err)
		}
		if msg, err := c.heartbeat.Recv(); err != nil || string(msg.Bytes()) != beat {
			t.Fatalf("heartbeat %q, %v", msg.Bytes(), err)
		}
	}

	waitFor(t, "the requests that wait", func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return len(k.queue) == 2
	})
	head = c.send(c.control, "interrupt_request", "{}")
	wantBody(t, c.reply(c.control, head), `{"status":"ok"}`)
	r := c.reply(c.shell, running)
	if r.body["status"] != "error" || r.body["ename"] != "Interrupted" {
		t.Errorf("the running cell: %v", r.body)
	}
	if r := c.reply(c.shell, behind); r.body["status"] != "aborted" {
		t.Errorf("the cell behind it: %v", r.body)
	}
	if r := c.reply(c.shell, other); r.header.MsgType != "kernel_info_reply" {
		t.Errorf("the request behind it: %s", r.header.MsgType)
	}
	c.published(other)
	if reply, _ := c.execute("after"); reply.body["status"] != "ok" {
		t.Errorf("the next cell: %v", reply.body)
	}
}

func TestInterruptAbortsTheCellBehind(t *testing.T) {
	for _, test := range []struct {
		name   string
		more   string // of the running cell
		behind func(*client) *channel
	}{
		{"whatever stop_on_error says", `,"stop_on_error":false`, func(c *client) *channel { return c.shell }},
		{"on control too", "", func(c *client) *channel { return c.control }},
	} {
		t.Run(test.name, func(t *testing.T) {
			began := make(chan struct{}, 1)
			k := startKernel(t, scripted{"block": block(began)}.session())
			c := k.connect(t)
			running := c.send(c.shell, "execute_request", executeJSON("block", test.more))
			<-began
			ch := test.behind(c)
			behind := c.send(ch, "execute_request", executeJSON("next", ""))
			waitFor(t, "the cell that waits", func() bool {
				k.mu.Lock()
				defer k.mu.Unlock()
				return len(k.queue) == 1
			})
			k.Interrupt()
			c.reply(c.shell, running)
			if r := c.reply(ch, behind); r.body["status"] != "aborted" {
				t.Errorf("the cell behind it: %v", r.body)
			}
		})
	}
}
