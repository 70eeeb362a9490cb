package jupyter

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

func TestExecuteSendsEverythingInOrder(t *testing.T) {
	k := startKernel(t, scripted{"cell": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
		sink.Stream("stdout", "a\n")
		sink.Stream("stdout", "b\n")
		sink.Stream("stderr", "c\n")
		sink.Display(display.Data{Data: map[string]any{"text/html": "<b>"}, Transient: map[string]any{"display_id": "d"}})
		sink.Stream("stdout", "d\n")
		return &display.Data{Data: map[string]any{"text/plain": "42"}}, nil
	}}.session())
	c := k.connect(t)
	reply, published := c.execute("cell")

	want := []string{"execute_input", "stream", "stream", "display_data", "stream", "execute_result"}
	if got := kinds(published); !slices.Equal(got, want) {
		t.Fatalf("published %v, want %v", got, want)
	}
	wantBody(t, published[0], `{"code":"cell","execution_count":1}`)
	wantBody(t, published[1], `{"name":"stdout","text":"a\nb\n"}`)
	wantBody(t, published[2], `{"name":"stderr","text":"c\n"}`)
	wantBody(t, published[3], `{"data":{"text/html":"<b>"},"metadata":{},"transient":{"display_id":"d"}}`)
	wantBody(t, published[4], `{"name":"stdout","text":"d\n"}`)
	wantBody(t, published[5], `{"execution_count":1,"data":{"text/plain":"42"},"metadata":{}}`)
	wantBody(t, reply, `{"status":"ok","execution_count":1,"payload":[],"user_expressions":{}}`)
	if reply.header.MsgType != "execute_reply" {
		t.Errorf("the reply is %s", reply.header.MsgType)
	}
}

// Who hears that the kernel is idle has the reply.
func TestIdleComesAfterTheReply(t *testing.T) {
	k := startKernel(t, fakeSession{})
	client, subscriber := stalledPeer(t, 0), stalledPeer(t, 0)
	k.iopub.mu.Lock()
	k.iopub.peers[subscriber] = struct{}{}
	k.iopub.mu.Unlock()
	defer k.iopub.remove(subscriber)
	published := func() int {
		subscriber.mu.Lock()
		defer subscriber.mu.Unlock()
		return len(subscriber.queue)
	}
	k.connect(t).execute("x") // all of the start is published
	waitFor(t, "the messages of a cell", func() bool { return published() >= 3 })
	before := published()
	client.mu.Lock() // so that the reply cannot be queued
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		k.answer(t.Context(), &request{message: &message{msgType: "kernel_info_request", header: emptyObject}, from: client})
	}()
	waitFor(t, "busy", func() bool { return published() > before })
	time.Sleep(20 * time.Millisecond)
	during := published()
	client.mu.Unlock()
	<-answered
	if after := published(); after != during+1 || len(client.queue) != 1 {
		t.Errorf("%d messages before the reply, %d after it and %d replies", during, after, len(client.queue))
	}
}

func TestExecutionCount(t *testing.T) {
	k := startKernel(t, scripted{
		"fail": fail,
		"value": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
			sink.Stream("stdout", "text")
			sink.Display(display.Data{Data: map[string]any{"text/plain": "shown"}})
			return &display.Data{Data: map[string]any{"text/plain": "result"}}, nil
		},
	}.session())
	c := k.connect(t)
	for i, step := range []struct {
		code, more string
		count      float64
		published  []string
	}{
		{"value", ``, 1, []string{"execute_input", "stream", "display_data", "execute_result"}},
		{"value", `,"store_history":false`, 1, []string{"execute_input", "stream", "display_data", "execute_result"}},
		{"value", `,"silent":true`, 1, nil},
		{"value", `,"silent":true,"store_history":true`, 1, nil},
		{"fail", `,"silent":true`, 1, nil},
		{"fail", ``, 2, []string{"execute_input", "error"}},
		{"", `,"store_history":true,"user_expressions":{},"allow_stdin":false,"later":1`, 3, []string{"execute_input"}},
	} {
		reply, published := c.ask(c.shell, "execute_request", executeJSON(step.code, step.more))
		if got := kinds(published); !slices.Equal(got, step.published) {
			t.Errorf("step %d published %v, want %v", i, got, step.published)
		}
		for _, m := range append(published, reply) {
			if count, has := m.body["execution_count"]; has && count != step.count {
				t.Errorf("step %d: %s has execution_count %v, want %v", i, m.header.MsgType, count, step.count)
			}
		}
		if _, has := reply.body["execution_count"]; !has {
			t.Errorf("step %d: no execution_count in the reply", i)
		}
	}
}

func TestErrors(t *testing.T) {
	k := startKernel(t, scripted{
		"fail":  fail,
		"plain": func(context.Context, interp.Sink) (*display.Data, error) { return nil, errors.New("no luck") },
		"wrapped": func(context.Context, interp.Sink) (*display.Data, error) {
			return nil, fmt.Errorf("run: %w", &interp.Error{Name: "CompileError", Value: "bad"})
		},
	}.session())
	c := k.connect(t)
	for code, want := range map[string]string{
		"fail":    `"ename":"Panic","evalue":"boom","traceback":["one","two"]`,
		"plain":   `"ename":"Error","evalue":"no luck","traceback":["Error: no luck"]`,
		"wrapped": `"ename":"CompileError","evalue":"bad","traceback":["CompileError: bad"]`,
	} {
		reply, published := c.execute(code)
		if got := kinds(published); !slices.Equal(got, []string{"execute_input", "error"}) {
			t.Fatalf("published %v", got)
		}
		wantBody(t, published[1], "{"+want+"}")
		wantBody(t, reply, fmt.Sprintf(`{"status":"error","execution_count":%v,%s}`, reply.body["execution_count"], want))
	}
}

func TestMalformedExecuteRequestIsAnswered(t *testing.T) {
	k := startKernel(t, fakeSession{})
	c := k.connect(t)
	reply, published := c.ask(c.shell, "execute_request", `{"code":5}`)
	if reply.header.MsgType != "execute_reply" || reply.body["status"] != "error" || reply.body["execution_count"] != 0.0 || len(published) != 0 {
		t.Errorf("reply %v, published %v", reply.body, kinds(published))
	}
	if value, _ := reply.body["evalue"].(string); !strings.Contains(value, "code") {
		t.Errorf("evalue %q does not name the field", value)
	}
}

func TestSessionPanicIsAnErrorAndTheKernelGoesOn(t *testing.T) {
	s := scripted{"panic": func(context.Context, interp.Sink) (*display.Data, error) { panic("defect") }}.session()
	s.complete = func(string, int) (interp.Completion, error) { panic("defect") }
	s.isComplete = func(string) (string, string) { panic("defect") }
	k := startKernel(t, s)
	c := k.connect(t)
	reply, _ := c.execute("panic")
	if reply.body["status"] != "error" || !strings.Contains(fmt.Sprint(reply.body["evalue"]), "defect") {
		t.Errorf("reply %v", reply.body)
	}
	reply, _ = c.ask(c.shell, "complete_request", `{"code":"ab","cursor_pos":2}`)
	wantBody(t, reply, `{"status":"ok","matches":[],"cursor_start":2,"cursor_end":2,"metadata":{}}`)
	reply, _ = c.ask(c.shell, "is_complete_request", `{"code":"ab"}`)
	wantBody(t, reply, `{"status":"unknown"}`)
	if reply, _ := c.execute("fine"); reply.body["status"] != "ok" {
		t.Errorf("reply %v", reply.body)
	}
}

func TestCellNamesAndIDs(t *testing.T) {
	cells := make(chan interp.Cell, 10)
	k := startKernel(t, fakeSession{run: func(_ context.Context, cell interp.Cell, _ interp.Sink) (*display.Data, error) {
		cells <- cell
		return nil, nil
	}})
	c := k.connect(t)
	signed := [][]byte{[]byte(`{"msg_type":"execute_request"}`), []byte("{}"), []byte(`{"cellId":"c-1"}`), []byte(`{"code":"a"}`)}
	c.sendFrames(c.shell, append([][]byte{[]byte("<IDS|MSG>"), []byte(sign(c.key, signed...))}, signed...))
	c.shell.next(t)
	c.execute("b")
	c.ask(c.shell, "execute_request", executeJSON("c", `,"store_history":false`))
	for _, want := range []interp.Cell{
		{Name: "In[1]", ID: "c-1", Source: "a"},
		{Name: "In[2]", Source: "b"},
		{Name: "In[ ]", Source: "c"},
	} {
		if got := <-cells; !reflect.DeepEqual(got, want) {
			t.Errorf("ran %+v, want %+v", got, want)
		}
	}
}
