package jupyter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

// asker is a session whose cells print a question, read a line and print it.
func asker() fakeSession {
	return fakeSession{run: func(ctx context.Context, cell interp.Cell, sink interp.Sink) (*display.Data, error) {
		if cell.Input == nil {
			return nil, errors.New("no input")
		}
		for range len(cell.Source) {
			sink.Stream("stdout", "name? ")
			line, err := cell.Input()
			if err != nil {
				return nil, err
			}
			sink.Stream("stdout", line+";")
		}
		return nil, nil
	}}
}

const allowed = `,"allow_stdin":true`

// answer sends the answer to a question, as JupyterLab does, with its header as
// the parent.
func (c *client) answer(question received, content string) {
	c.t.Helper()
	head := fmt.Sprintf(`{"msg_type":"input_reply","msg_id":"i%d.%d"}`, c.id, c.n)
	c.n++
	signed := [][]byte{[]byte(head), question.frames[len(question.prefix)+2], []byte("{}"), []byte(content)}
	c.sendFrames(c.stdin, append([][]byte{[]byte("<IDS|MSG>"), []byte(sign(c.key, signed...))}, signed...))
}

func TestInput(t *testing.T) {
	k := startKernel(t, asker())
	c, other := k.connect(t), k.connect(t)
	head := c.send(c.shell, "execute_request", executeJSON("2x", allowed))
	// The question that was printed is there before the field for the answer.
	for {
		if r := c.iopub.next(t); r.header.MsgType == "stream" {
			wantBody(t, r, `{"name":"stdout","text":"name? "}`)
			break
		}
	}
	first := c.stdin.next(t)
	if first.header.MsgType != "input_request" || first.parent != head {
		t.Errorf("%s for %s", first.header.MsgType, first.parent)
	}
	wantBody(t, first, `{"prompt":"","password":false}`)
	c.answer(first, `{"value":"Ada"}`)
	c.stdin.next(t)
	c.send(c.stdin, "input_reply", `{"value":"Bob"}`) // with no parent, as jupyter_client does
	if r := c.reply(c.shell, head); r.body["status"] != "ok" {
		t.Errorf("reply %v", r.body)
	}
	var text strings.Builder
	for _, m := range other.published(head) {
		if m.header.MsgType == "stream" {
			text.WriteString(m.body["text"].(string))
		}
	}
	if got, want := text.String(), "name? Ada;name? Bob;"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	if len(other.stdin.received) > 0 {
		t.Error("the client that did not run the cell was asked")
	}
}

func TestInputIsAskedOnlyWhereItIsAllowed(t *testing.T) {
	k := startKernel(t, asker())
	c := k.connect(t)
	for _, more := range []string{``, `,"allow_stdin":false`} {
		if reply, _ := c.ask(c.shell, "execute_request", executeJSON("x", more)); reply.body["evalue"] != "no input" {
			t.Errorf("%q: %v", more, reply.body)
		}
	}
	if len(c.stdin.received) > 0 {
		t.Error("input was asked for")
	}
}

func TestInputThatDoesNotCome(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"the end", `{"value":"\u0004"}`, io.EOF.Error()},
		{"no value", `{}`, "no value"},
		{"bad value", `{"value":7}`, "no value"},
		{"bad content", `[]`, "no value"},
	} {
		k := startKernel(t, asker())
		c := k.connect(t)
		head := c.send(c.shell, "execute_request", executeJSON("x", allowed))
		c.answer(c.stdin.next(t), test.content)
		if r := c.reply(c.shell, head); r.body["status"] != "error" || !strings.Contains(fmt.Sprint(r.body["evalue"]), test.want) {
			t.Errorf("%s: %v", test.name, r.body)
		}
	}
}

func TestInterruptWhileWaitingForInput(t *testing.T) {
	k := startKernel(t, asker())
	c := k.connect(t)
	head := c.send(c.shell, "execute_request", executeJSON("x", allowed))
	late := c.stdin.next(t)
	c.reply(c.control, c.send(c.control, "interrupt_request", "{}"))
	if r := c.reply(c.shell, head); r.body["status"] != "error" {
		t.Errorf("reply %v", r.body)
	}
	c.answer(late, `{"value":"between"}`)
	head = c.send(c.shell, "execute_request", executeJSON("x", allowed))
	next := c.stdin.next(t)
	c.answer(late, `{"value":"too late"}`)
	c.answer(next, `{"value":"right"}`)
	if r := c.reply(c.shell, head); r.body["status"] != "ok" {
		t.Errorf("reply %v", r.body)
	}
	for _, m := range c.published(head) {
		if text, _ := m.body["text"].(string); strings.Contains(text, "late") || strings.Contains(text, "between") {
			t.Errorf("the answer to the interrupted question was taken: %q", text)
		}
	}
}

func TestOnlyTheAskedClientAnswers(t *testing.T) {
	k := startKernel(t, asker())
	c, other := k.connect(t), k.connect(t)
	head := c.send(c.shell, "execute_request", executeJSON("x", allowed))
	question := c.stdin.next(t)
	other.answer(question, `{"value":"stolen"}`)
	other.send(other.stdin, "input_reply", `{"value":"stolen"}`)
	forged, _ := c.frames("input_reply", `{"value":"forged"}`)
	forged[1] = []byte(sign("another key", forged[2:]...))
	c.sendFrames(c.stdin, forged)
	c.sendFrames(c.stdin, forged[:3])
	c.send(c.stdin, "input_request", `{"value":"of another kind"}`)
	c.answer(question, `{"value":"mine"}`)
	c.reply(c.shell, head)
	var texts []string
	for _, m := range c.published(head) {
		if text, ok := m.body["text"].(string); ok {
			texts = append(texts, text)
		}
	}
	if want := []string{"name? ", "mine;"}; !slices.Equal(texts, want) {
		t.Errorf("printed %q, want %q", texts, want)
	}
}

func TestInputEndsWhenTheClientGoes(t *testing.T) {
	k := startKernel(t, asker())
	c, other := k.connect(t), k.connect(t)
	head := c.send(c.shell, "execute_request", executeJSON("x", allowed))
	c.stdin.next(t)
	c.stdin.Close()
	for _, m := range other.published(head) {
		if m.header.MsgType == "error" && strings.Contains(fmt.Sprint(m.body["evalue"]), "has gone") {
			return
		}
	}
	t.Error("the cell did not end with an error that says why")
}

func TestShutdownWhileWaitingForInput(t *testing.T) {
	k := startKernel(t, asker())
	c := k.connect(t)
	head := c.send(c.shell, "execute_request", executeJSON("x", allowed))
	c.stdin.next(t)
	c.reply(c.control, c.send(c.control, "shutdown_request", `{"restart":false}`))
	k.waitServed(t)
	if r := c.reply(c.shell, head); r.body["status"] != "error" {
		t.Errorf("reply %v", r.body)
	}
}
