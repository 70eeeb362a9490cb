package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"math"
	"net"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
	"github.com/rlx-go/gopherscope/internal/nb"
	"github.com/rlx-go/gopherscope/internal/testreq"
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

func TestOutputAfterTheCell(t *testing.T) {
	late := make(chan struct{})
	k := startKernel(t, scripted{"go": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
		go func() {
			<-late
			sink.Stream("stdout", "late")
		}()
		return nil, nil
	}}.session())
	c := k.connect(t)
	head := c.send(c.shell, "execute_request", executeJSON("go", ""))
	c.published(head)
	close(late)
	r := c.iopub.next(t)
	wantBody(t, r, `{"name":"stdout","text":"late"}`)
	if r.parent != head {
		t.Errorf("parent %s, want the cell's", r.parent)
	}
}

func TestNothingPrintedIsLostAtShutdown(t *testing.T) {
	k := startKernel(t, scripted{"go": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
		time.AfterFunc(time.Microsecond, func() { sink.Stream("stdout", "late") })
		return nil, nil
	}}.session())
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

func TestSmallRequests(t *testing.T) {
	k := startKernel(t, fakeSession{
		complete: func(source string, cursor int) (interp.Completion, error) {
			switch source {
			case "é.Pri":
				return interp.Completion{Matches: []string{"Print", "Println"}, Start: 2, End: cursor}, nil
			case "fails":
				return interp.Completion{Matches: []string{"x"}}, errors.New("no")
			}
			return interp.Completion{Start: -1}, nil
		},
		isComplete: func(source string) (string, string) {
			if source == "func f() {" {
				return "incomplete", "\t"
			}
			return "complete", ""
		},
	})
	c := k.connect(t)
	for _, test := range []struct{ kind, content, want string }{
		{"complete_request", `{"code":"é.Pri","cursor_pos":5}`, `{"status":"ok","matches":["Print","Println"],"cursor_start":2,"cursor_end":5,"metadata":{}}`},
		{"complete_request", `{"code":"é.Pri"}`, `{"status":"ok","matches":["Print","Println"],"cursor_start":2,"cursor_end":5,"metadata":{}}`},
		{"complete_request", `{"code":"é.Pri","cursor_pos":99}`, `{"status":"ok","matches":["Print","Println"],"cursor_start":2,"cursor_end":5,"metadata":{}}`},
		{"complete_request", `{"code":"none","cursor_pos":-3}`, `{"status":"ok","matches":[],"cursor_start":0,"cursor_end":0,"metadata":{}}`},
		{"complete_request", `{"code":"fails","cursor_pos":1}`, `{"status":"ok","matches":[],"cursor_start":1,"cursor_end":1,"metadata":{}}`},
		{"is_complete_request", `{"code":"x"}`, `{"status":"complete"}`},
		{"is_complete_request", `{"code":"func f() {"}`, `{"status":"incomplete","indent":"\t"}`},
		{"inspect_request", `{"code":"x","cursor_pos":1,"detail_level":0}`, `{"status":"ok","found":false,"data":{},"metadata":{}}`},
		{"history_request", `{"hist_access_type":"tail","n":3}`, `{"status":"ok","history":[]}`},
		{"comm_info_request", `{}`, `{"status":"ok","comms":{}}`},
		{"interrupt_request", `{}`, `{"status":"ok"}`},
	} {
		reply, published := c.ask(c.shell, test.kind, test.content)
		if want := strings.TrimSuffix(test.kind, "request") + "reply"; reply.header.MsgType != want {
			t.Errorf("%s was answered with %s", test.kind, reply.header.MsgType)
		}
		if len(published) > 0 {
			t.Errorf("%s published %v", test.kind, kinds(published))
		}
		wantBody(t, reply, test.want)
	}
}

func TestKernelInfoOnBothChannels(t *testing.T) {
	k := startKernel(t, fakeSession{})
	c := k.connect(t)
	for _, ch := range []*channel{c.shell, c.control} {
		reply, _ := c.ask(ch, "kernel_info_request", "{}")
		language := reply.body["language_info"].(map[string]any)
		for key, want := range map[string]string{
			"name": "go", "mimetype": "text/x-go", "file_extension": ".go", "pygments_lexer": "go", "codemirror_mode": "go",
		} {
			if language[key] != want {
				t.Errorf("language_info.%s is %v, want %s", key, language[key], want)
			}
		}
		if reply.body["status"] != "ok" || reply.body["protocol_version"] != "5.4" || reply.body["implementation"] != "gopherscope" {
			t.Errorf("reply %v", reply.body)
		}
	}
}

func TestUnknownRequestsAreIgnored(t *testing.T) {
	k := startKernel(t, fakeSession{})
	c := k.connect(t)
	head := c.send(c.shell, "make_coffee_request", "{}")
	if published := c.published(head); len(published) > 0 {
		t.Errorf("published %v", kinds(published))
	}
	c.ask(c.shell, "kernel_info_request", "{}") // the next message on shell is the reply to this
}

// A cell leaves the same outputs in a notebook whether the program's own run
// executes it or a Jupyter client.
func TestOutputsAreThoseOfRun(t *testing.T) {
	bundles := []display.Data{
		{Data: map[string]any{"application/json": "5", "text/plain": "five"}},
		{Data: map[string]any{"application/json": "{bad", "text/plain": "a\nb\n"}},
		{Data: map[string]any{"application/json": []byte(`{"a": [1.50]}`)}},
		{Data: map[string]any{"application/vnd.x+json": map[string]any{"<": 1 << 60}}},
		{Data: map[string]any{"application/json; charset=utf-8": "[1]", "model/gltf+json": []byte("{}")}},
		{Data: map[string]any{"application/xml": []byte("<a/>"), "image/x+xml": []byte("<a/>"), "image/svg+xml": []byte("<svg/>")}},
		{Data: map[string]any{"image/png": []byte{0, 1, 0xff}, "text/plain": 12}, Metadata: map[string]any{"image/png": map[string]int{"width": 3}, "bad": func() {}}},
		{Data: map[string]any{"text/html": "<b>", "b/b": make(chan int), "application/json": math.NaN()}},
		{Data: map[string]any{"a/a": func() {}}},
		{},
	}
	cells := scripted{}
	book := &nb.Notebook{}
	for i, bundle := range bundles {
		for kind, run := range map[string]func(interp.Sink) *display.Data{
			"shown":  func(sink interp.Sink) *display.Data { sink.Display(bundle); return nil },
			"result": func(interp.Sink) *display.Data { return &bundle },
		} {
			source := fmt.Sprint(kind, " ", i)
			cells[source] = func(_ context.Context, sink interp.Sink) (*display.Data, error) { return run(sink), nil }
			book.Cells = append(book.Cells, &nb.Cell{Type: nb.Code, Source: source})
		}
	}
	session := cells.session()
	if err := book.Execute(t.Context(), session, func(int) {}); err != nil {
		t.Fatal(err)
	}
	c := startKernel(t, session).connect(t)
	for _, cell := range book.Cells {
		_, published := c.execute(cell.Source)
		got := []any{}
		for _, m := range published[1:] {
			output := map[string]any{"output_type": m.header.MsgType}
			maps.Copy(output, m.body)
			delete(output, "transient") // is not stored
			got = append(got, output)
		}
		if want := storedOutputs(t, cell); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\nJupyter has %v\nrun has     %v", cell.Source, got, want)
		}
	}
}

// storedOutputs returns the outputs of a cell as its notebook has them, with the
// lines of texts joined as every reader of notebooks joins them.
func storedOutputs(t *testing.T, cell *nb.Cell) []any {
	t.Helper()
	text, err := (&nb.Notebook{Cells: []*nb.Cell{cell}}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	var stored struct {
		Cells []struct{ Outputs []any }
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	join := func(fields map[string]any) {
		for name, v := range fields {
			lines, ok := v.([]any)
			if !ok || display.IsJSON(name) {
				continue
			}
			var b strings.Builder
			for _, line := range lines {
				b.WriteString(line.(string))
			}
			fields[name] = b.String()
		}
	}
	for _, o := range stored.Cells[0].Outputs {
		output := o.(map[string]any)
		join(output)
		if data, ok := output["data"].(map[string]any); ok {
			join(data)
		}
	}
	return stored.Cells[0].Outputs
}

func TestWhatAMessageCannotHoldIsLeftOut(t *testing.T) {
	k := startKernel(t, scripted{
		"value": func(context.Context, interp.Sink) (*display.Data, error) {
			return &display.Data{
				Data:     map[string]any{"application/json": `{"b":[1.50]}`, "application/bad+json": func() {}},
				Metadata: map[string]any{"image/png": map[string]any{"width": 3}, "bad": make(chan int)},
			}, nil
		},
		"nothing": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
			sink.Display(display.Data{})
			return &display.Data{}, nil
		},
	}.session())
	c := k.connect(t)
	_, published := c.execute("value")
	if got := kinds(published); !slices.Equal(got, []string{"execute_input", "stream", "execute_result"}) {
		t.Fatalf("published %v", got)
	}
	wantBody(t, published[1], `{"name":"stderr","text":"display: application/bad+json left out: json: unsupported type: func()\ndisplay: metadata bad left out: json: unsupported type: chan int\n"}`)
	wantBody(t, published[2], `{"execution_count":1,"metadata":{"image/png":{"width":3}},"data":{"application/json":{"b":[1.5]}}}`)

	if _, published = c.execute("nothing"); len(published) != 1 {
		t.Errorf("published %v, want the input only", kinds(published))
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

func TestManyLinesArriveWholeAndInOrder(t *testing.T) {
	const lines = 200_000
	k := startKernel(t, scripted{"print": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
		for i := range lines {
			sink.Stream("stdout", fmt.Sprintln(i))
		}
		return nil, nil
	}}.session())
	c := k.connect(t)
	_, published := c.execute("print")
	var text strings.Builder
	for _, m := range published[1:] {
		text.WriteString(m.body["text"].(string))
	}
	got := strings.Split(text.String(), "\n")
	if len(got) != lines+1 {
		t.Fatalf("%d lines, want %d", len(got)-1, lines)
	}
	for i := range lines {
		if got[i] != fmt.Sprint(i) {
			t.Fatalf("line %d is %q", i, got[i])
		}
	}
}

// allowBehind makes the limit for slow subscribers small enough for a test.
func (k *testKernel) allowBehind(bytes int) {
	k.iopub.mu.Lock()
	defer k.iopub.mu.Unlock()
	k.iopub.behind = bytes
}

func TestADisplayLargerThanAnyLimitArrives(t *testing.T) {
	const size = 8 << 20
	k := startKernel(t, scripted{"big": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
		sink.Display(display.Data{Data: map[string]any{"text/plain": strings.Repeat("x", size)}})
		return nil, nil
	}}.session())
	k.allowBehind(size / 2)
	c := k.connect(t)
	_, published := c.execute("big")
	if text := published[1].body["data"].(map[string]any)["text/plain"].(string); len(text) != size {
		t.Errorf("%d bytes arrived, want %d", len(text), size)
	}
}

func TestASubscriberThatDoesNotReadHoldsUpNobody(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	k := startKernel(t, scripted{"big": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
		for range 24 {
			sink.Display(display.Data{Data: map[string]any{"text/plain": big}})
		}
		return nil, nil
	}}.session())
	k.allowBehind(8 << 20)
	c := k.connect(t)
	stuck := rawPeer(t, k.iopub, zmq4.Sub)
	if _, err := stuck.Write([]byte{0, 1, 1}); err != nil { // subscribes to everything
		t.Fatal(err)
	}
	waitFor(t, "the second subscriber", func() bool {
		k.iopub.mu.Lock()
		defer k.iopub.mu.Unlock()
		for p := range k.iopub.peers {
			if !p.subscribed("") {
				return false
			}
		}
		return len(k.iopub.peers) == 2
	})
	_, published := c.execute("big")
	if len(published) != 25 {
		t.Errorf("%d messages, want the input and 24 displays", len(published))
	}
	waitFor(t, "the end of the one that does not read", func() bool {
		k.iopub.mu.Lock()
		defer k.iopub.mu.Unlock()
		return len(k.iopub.peers) == 1
	})
}

// rawPeer opens a connection to a socket and shakes hands, and no more.
func rawPeer(t *testing.T, s *socket, kind zmq4.SocketType) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	greeting := make([]byte, 64)
	greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
	copy(greeting[12:], "NULL")
	ready := "\x05READY" + "\x0bSocket-Type" + "\x00\x00\x00" + string(rune(len(kind))) + string(kind)
	message := append(greeting, append([]byte{4, byte(len(ready))}, ready...)...)
	if _, err := conn.Write(message); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestStrangersCannotEndTheKernel(t *testing.T) {
	k := startKernel(t, fakeSession{})
	greeting := make([]byte, 64)
	greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
	copy(greeting[12:], "NULL")
	huge := []byte{2, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	terabyte := []byte{2, 0, 0, 1, 0, 0, 0, 0, 0}
	ready := func(body string) []byte {
		body = "\x05READY" + body
		return append([]byte{4, byte(len(body))}, body...)
	}
	for _, stranger := range [][]byte{
		{},
		[]byte("GET / HTTP/1.1\r\n\r\n" + strings.Repeat("x", 100)),
		slices.Concat(greeting, huge),
		slices.Concat(greeting, terabyte),
		slices.Concat(greeting, ready("\xff")),
		slices.Concat(greeting, ready("\x0bSocket-Type\x00")),
		slices.Concat(greeting, ready("\x0bSocket-Type\xff\xff\xff\xff")),
		slices.Concat(greeting, ready("")),
	} {
		for _, s := range []*socket{k.shell, k.control, k.stdin, k.iopub, k.heartbeat} {
			conn, err := net.Dial("tcp", s.listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close() // the kernel still works while they are there
			conn.Write(stranger)
		}
	}
	for _, after := range [][]byte{huge, terabyte, {4, 5, 4, 'P', 'I', 'N', 'G'}, {1, 0}, {0, 0}} {
		for s, kind := range map[*socket]zmq4.SocketType{
			k.shell: zmq4.Dealer, k.control: zmq4.Dealer, k.stdin: zmq4.Dealer, k.iopub: zmq4.Sub, k.heartbeat: zmq4.Req,
		} {
			rawPeer(t, s, kind).Write(after)
		}
	}
	s := zmq4.NewDealer(t.Context())
	defer s.Close()
	if err := s.Dial("tcp://" + k.shell.listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, key: k.connection.Key}
	ch := c.receive(s)
	c.reply(ch, c.send(ch, "kernel_info_request", "{}"))
}

func TestIPC(t *testing.T) {
	if runtime.GOOS == "windows" {
		testreq.Skip(t, "Jupyter has no ipc on Windows")
	}
	c := Connection{
		Transport: "ipc", IP: filepath.Join(t.TempDir(), "k"), SignatureScheme: "hmac-sha256", Key: "k",
		ShellPort: 1, IOPubPort: 2, StdinPort: 3, ControlPort: 4, HBPort: 5,
	}
	// A kernel that was killed left its socket file.
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: c.IP + "-1", Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()

	k := listenKernel(t, c, fakeSession{})
	k.serve(t)
	if reply, _ := k.connect(t).execute("x"); reply.body["status"] != "ok" {
		t.Errorf("reply %v", reply.body)
	}
}

func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	if _, err := Listen(Connection{Transport: "tcp", IP: "127.0.0.1", HBPort: port}, fakeSession{}, "", nil); err == nil {
		t.Error("no error for a port in use")
	} else if !strings.Contains(err.Error(), fmt.Sprint(port)) {
		t.Errorf("%v does not name the port", err)
	}
}

func TestTwoClients(t *testing.T) {
	k := startKernel(t, fakeSession{})
	a, b := k.connect(t), k.connect(t)
	head := a.send(a.shell, "execute_request", executeJSON("x", ""))
	a.reply(a.shell, head)
	// Both see the outputs; only the one that asked has the reply.
	if got := kinds(b.published(head)); !slices.Equal(got, []string{"execute_input"}) {
		t.Errorf("the other client saw %v", got)
	}
	b.execute("y")
}
