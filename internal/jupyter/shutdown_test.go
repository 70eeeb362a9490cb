package jupyter

import (
	"context"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

func TestShutdown(t *testing.T) {
	for _, test := range []struct {
		name    string
		channel func(*client) *channel
		content string
		want    string
	}{
		{"control", func(c *client) *channel { return c.control }, `{"restart":true}`, `{"status":"ok","restart":true}`},
		{"shell", func(c *client) *channel { return c.shell }, `{"restart":false}`, `{"status":"ok","restart":false}`},
		{"bad content", func(c *client) *channel { return c.control }, `[]`, `{"status":"ok","restart":false}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			began := make(chan struct{}, 1)
			k := startKernel(t, scripted{"block": block(began)}.session())
			c := k.connect(t)
			running := c.send(c.shell, "execute_request", executeJSON("block", ""))
			<-began
			ch := test.channel(c)
			head := c.send(ch, "shutdown_request", test.content)
			reply := c.reply(ch, head)
			wantBody(t, reply, test.want)
			k.waitServed(t)
			// Nothing is lost: the cell that ran still has its end.
			c.published(running)
			if r := c.reply(c.shell, running); r.body["ename"] != "Interrupted" {
				t.Errorf("the running cell: %v", r.body)
			}
		})
	}
}

func TestServeEndsThoughACellDoesNotStop(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	k := startKernel(t, scripted{"stuck": func(context.Context, interp.Sink) (*display.Data, error) {
		close(began)
		<-end
		return nil, nil
	}}.session())
	defer close(end)
	c := k.connect(t)
	c.send(c.shell, "execute_request", executeJSON("stuck", ""))
	<-began
	head := c.send(c.control, "shutdown_request", `{"restart":false}`)
	c.reply(c.control, head)
	k.waitServed(t)
}

func TestNothingPrintedIsLostAtShutdown(t *testing.T) {
	for name, print := range map[string]func(session *fakeSession, sink interp.Sink){
		"by a goroutine": func(_ *fakeSession, sink interp.Sink) {
			time.AfterFunc(time.Microsecond, func() { sink.Stream("stdout", "late") })
		},
		"still in a pipe": func(session *fakeSession, sink interp.Sink) { session.flush = func() { sink.Stream("stdout", "late") } },
	} {
		t.Run(name, func(t *testing.T) {
			session := &fakeSession{}
			session.run = func(_ context.Context, _ interp.Cell, sink interp.Sink) (*display.Data, error) {
				print(session, sink)
				return nil, nil
			}
			k := startKernel(t, session)
			c := k.connect(t)
			head := c.send(c.shell, "execute_request", executeJSON("go", ""))
			c.reply(c.shell, head)
			c.send(c.control, "shutdown_request", "{}")
			k.waitServed(t)
			for {
				select {
				case r := <-c.iopub.received:
					if r.parent == head && r.body["text"] == "late" {
						return
					}
				case <-time.After(patience):
					t.Fatal("the text was lost")
				}
			}
		})
	}
}
