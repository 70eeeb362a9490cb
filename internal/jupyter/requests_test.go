package jupyter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

func textOf(text string) *display.Data {
	return &display.Data{Data: map[string]any{"text/plain": text}}
}

func TestUserExpressions(t *testing.T) {
	s := scripted{"fail": fail}.session()
	s.evaluate = func(expression string) (*display.Data, error) {
		switch expression {
		case "x":
			return &display.Data{Data: map[string]any{"text/plain": "1", "image/png": []byte{1}}, Metadata: map[string]any{"a": 1}}, nil
		case "bad":
			return nil, &interp.Error{Name: "CompileError", Value: "undefined: bad", Traceback: []string{"t"}}
		case "defect":
			panic("defect")
		}
		return nil, nil
	}
	k := startKernel(t, s)
	c := k.connect(t)
	const ask = `,"user_expressions":{"one":"x","two":"bad","none":"nothing"}`
	for _, more := range []string{ask, ask + `,"silent":true`} {
		reply, published := c.ask(c.shell, "execute_request", executeJSON("cell", more))
		wantBody(t, reply, `{"status":"ok","execution_count":1,"payload":[],"user_expressions":{
			"one":{"status":"ok","data":{"text/plain":"1","image/png":"AQ=="},"metadata":{"a":1}},
			"two":{"status":"error","ename":"CompileError","evalue":"undefined: bad","traceback":["t"]},
			"none":{"status":"ok","data":{},"metadata":{}}}}`)
		for _, m := range published {
			if m.header.MsgType != "execute_input" {
				t.Errorf("published %s", m.header.MsgType)
			}
		}
	}
	reply, _ := c.ask(c.shell, "execute_request", executeJSON("cell", `,"user_expressions":{"d":"defect"}`))
	if d := reply.body["user_expressions"].(map[string]any)["d"].(map[string]any); d["status"] != "error" {
		t.Errorf("an expression that panics: %v", d)
	}
	reply, _ = c.ask(c.shell, "execute_request", executeJSON("fail", ask))
	if _, has := reply.body["user_expressions"]; has || reply.body["status"] != "error" {
		t.Errorf("after a failure: %v", reply.body)
	}
}

// A client waits for the reply to whatever it asked.
func TestMalformedRequestsAreAnswered(t *testing.T) {
	k := startKernel(t, fakeSession{})
	c := k.connect(t)
	for _, test := range []struct{ kind, content, status string }{
		{"execute_request", `{"code":5}`, "error"},
		{"execute_request", `{"code":"x","user_expressions":{"a":1}}`, "error"},
		{"complete_request", `[]`, "error"},
		{"complete_request", `{"code":"x","cursor_pos":"end"}`, "error"},
		{"complete_request", ``, "error"},
		{"inspect_request", `{"code":null,"cursor_pos":1.5}`, "error"},
		{"is_complete_request", `{"code":[]}`, "unknown"},
		{"is_complete_request", `{`, "unknown"},
		{"history_request", `{"hist_access_type":"everything"}`, "error"},
		{"history_request", `7`, "error"},
		{"comm_info_request", `7`, "ok"},
		{"kernel_info_request", `7`, "ok"},
		{"interrupt_request", `7`, "ok"},
	} {
		reply, published := c.ask(c.shell, test.kind, test.content)
		if want := strings.TrimSuffix(test.kind, "request") + "reply"; reply.header.MsgType != want {
			t.Errorf("%s was answered with %s", test.kind, reply.header.MsgType)
		}
		if reply.body["status"] != test.status || len(published) > 0 {
			t.Errorf("%s %s: %v, published %v", test.kind, test.content, reply.body, kinds(published))
		}
		if _, says := reply.body["evalue"].(string); test.status == "error" && !says {
			t.Errorf("%s %s: %v does not say why", test.kind, test.content, reply.body)
		}
	}
}

func TestCommsAreRefused(t *testing.T) {
	k := startKernel(t, fakeSession{})
	c := k.connect(t)
	published := c.published(c.send(c.shell, "comm_open", `{"comm_id":"u-u-i-d","target_name":"jupyter.widget","data":{"a":1}}`))
	if got := kinds(published); !slices.Equal(got, []string{"comm_close"}) {
		t.Fatalf("published %v", got)
	}
	wantBody(t, published[0], `{"comm_id":"u-u-i-d","data":{}}`)
	for _, test := range [][2]string{
		{"comm_open", `{"target_name":"x"}`}, {"comm_open", `[]`},
		{"comm_msg", `{"comm_id":"u-u-i-d","data":{}}`}, {"comm_close", `{"comm_id":"u-u-i-d"}`},
	} {
		if published := c.published(c.send(c.shell, test[0], test[1])); len(published) > 0 {
			t.Errorf("%s %s published %v", test[0], test[1], kinds(published))
		}
	}
	reply, _ := c.ask(c.shell, "comm_info_request", `{"target_name":"jupyter.widget"}`)
	wantBody(t, reply, `{"status":"ok","comms":{}}`)
}

func TestUpdatesClearingAndPages(t *testing.T) {
	k := startKernel(t, scripted{"cell": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
		d := textOf("1")
		d.Transient = map[string]any{"display_id": "d"}
		sink.Display(*d)
		sink.Stream("stdout", "a")
		d.Data["text/plain"] = "2"
		sink.(interp.Updater).Update(*d)
		sink.Stream("stdout", "b")
		sink.(interp.Updater).Clear(true)
		sink.(interp.Updater).Clear(false)
		sink.(interp.Pager).Page(*textOf("manual"))
		sink.(interp.Pager).Page(display.Data{})
		return nil, nil
	}}.session())
	c := k.connect(t)
	reply, published := c.ask(c.shell, "execute_request", executeJSON("cell", allowed))
	want := []string{"execute_input", "display_data", "stream", "update_display_data", "stream", "clear_output", "clear_output"}
	if got := kinds(published); !slices.Equal(got, want) {
		t.Fatalf("published %v, want %v", got, want)
	}
	wantBody(t, published[1], `{"data":{"text/plain":"1"},"metadata":{},"transient":{"display_id":"d"}}`)
	wantBody(t, published[3], `{"data":{"text/plain":"2"},"metadata":{},"transient":{"display_id":"d"}}`)
	wantBody(t, published[5], `{"wait":true}`)
	wantBody(t, published[6], `{"wait":false}`)
	wantBody(t, reply, `{"status":"ok","execution_count":1,"user_expressions":{},"payload":[
		{"source":"page","data":{"text/plain":"manual"},"metadata":{},"start":0}]}`)

	// Who runs a notebook for a file drops pages, and says that nobody answers it.
	reply, published = c.execute("cell")
	if payload := reply.body["payload"].([]any); len(payload) > 0 {
		t.Errorf("payload %v", payload)
	}
	wantBody(t, published[len(published)-1], `{"data":{"text/plain":"manual"},"metadata":{},"transient":{}}`)

	if _, published := c.ask(c.shell, "execute_request", executeJSON("cell", `,"silent":true`)); len(published) > 0 {
		t.Errorf("a silent cell published %v", kinds(published))
	}
}

func TestCompletionWithTypes(t *testing.T) {
	k := startKernel(t, fakeSession{complete: func(source string, cursor int) (interp.Completion, error) {
		return interp.Completion{
			Matches: []string{"Println", "x"}, Types: []string{"function", "variable"}, Signatures: []string{"func(a ...any)", ""},
			Start: 1, End: cursor,
		}, nil
	}})
	c := k.connect(t)
	reply, _ := c.ask(c.shell, "complete_request", `{"code":"abc","cursor_pos":3}`)
	wantBody(t, reply, `{"status":"ok","matches":["Println","x"],"cursor_start":1,"cursor_end":3,"metadata":{"_jupyter_types_experimental":[
		{"start":1,"end":3,"text":"Println","type":"function","signature":"func(a ...any)"},
		{"start":1,"end":3,"text":"x","type":"variable"}]}}`)
}

func TestInspection(t *testing.T) {
	k := startKernel(t, fakeSession{inspect: func(source string, cursor, detail int) (*display.Data, error) {
		switch source {
		case "fails":
			return nil, errors.New("no")
		case "panics":
			panic("defect")
		case "nothing":
			return nil, nil
		case "empty":
			return &display.Data{}, nil
		}
		return textOf(fmt.Sprint(source, cursor, detail)), nil
	}})
	c := k.connect(t)
	for _, test := range []struct{ content, text string }{
		{`{"code":"é.x","cursor_pos":2,"detail_level":1}`, "é.x2 1"},
		{`{"code":"é.x"}`, "é.x3 0"},
		{`{"code":"é.x","cursor_pos":-1}`, "é.x0 0"},
		{`{"code":"é.x","cursor_pos":1000}`, "é.x3 0"},
	} {
		reply, _ := c.ask(c.shell, "inspect_request", test.content)
		wantBody(t, reply, fmt.Sprintf(`{"status":"ok","found":true,"data":{"text/plain":%q},"metadata":{}}`, test.text))
	}
	for _, code := range []string{"fails", "panics", "nothing", "empty"} {
		reply, _ := c.ask(c.shell, "inspect_request", fmt.Sprintf(`{"code":%q,"cursor_pos":1}`, code))
		wantBody(t, reply, `{"status":"ok","found":false,"data":{},"metadata":{}}`)
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
