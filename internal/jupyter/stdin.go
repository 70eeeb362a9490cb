package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"
)

const (
	// stdinPoll is how often a question looks whether its client is still there,
	// and stdinGone how long the client may be away.
	stdinPoll = 50 * time.Millisecond
	stdinGone = 2 * time.Second

	// endOfInput is what clients answer when the person at the keyboard ends the
	// input, which is the control character of terminals.
	endOfInput = "\x04"
)

// question is an input_request that waits for its answer.
type question struct {
	identity string // of the client that is asked
	msgID    string
	answer   chan inputReply
}

type inputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

type inputReply struct {
	Value *string `json:"value"`
}

// input asks the client that sent an execute request for a line, and returns
// io.EOF when there is none. Questions are asked one after the other.
func (k *Kernel) input(ctx context.Context, r *request) (string, error) {
	select {
	case k.asking <- struct{}{}:
		defer func() { <-k.asking }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if r.from.identity == "" {
		return "", errors.New("the client gave no identity on the shell socket, so that it cannot be asked for input")
	}
	id := k.wire.newID()
	frames, err := k.wire.encodeAs(id, r.identities, "input_request", r.header, inputRequest{})
	if err != nil {
		return "", err
	}
	q := &question{identity: r.from.identity, msgID: id, answer: make(chan inputReply, 1)}
	k.setQuestion(q)
	defer k.setQuestion(nil)

	tick := time.NewTicker(stdinPoll)
	defer tick.Stop()
	asked, there := map[*peer]bool{}, time.Now()
	for {
		for _, p := range k.stdin.identified(q.identity) {
			there = time.Now()
			if !asked[p] {
				asked[p] = true
				p.send(frames)
			}
		}
		if time.Since(there) > stdinGone {
			return "", errors.New("the client that could give input has gone")
		}
		select {
		case a := <-q.answer:
			switch {
			case a.Value == nil:
				return "", errors.New("the client's input_reply has no value")
			case *a.Value == endOfInput:
				return "", io.EOF
			}
			return *a.Value, nil
		case <-ctx.Done():
			return "", ctx.Err()
		case <-tick.C:
		}
	}
}

func (k *Kernel) setQuestion(q *question) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.question = q
}

// receiveInput takes the answer to the question that waits, and nothing else: one
// that comes after an interrupt is not for the next question.
func (k *Kernel) receiveInput(from *peer, frames [][]byte) {
	m, ok := k.decode("stdin", from, frames)
	if !ok {
		return
	}
	var parent struct {
		MsgID string `json:"msg_id"`
	}
	var content inputReply
	if m.msgType != "input_reply" || json.Unmarshal(m.parent, &parent) != nil {
		return
	}
	if json.Unmarshal(m.content, &content) != nil {
		content.Value = nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	q := k.question
	// Some clients do not say what they answer.
	if q == nil || from.identity != q.identity || parent.MsgID != "" && parent.MsgID != q.msgID {
		return
	}
	k.question = nil
	q.answer <- content
}
