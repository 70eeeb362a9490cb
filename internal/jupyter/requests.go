package jupyter

import (
	"context"
	"fmt"
	"runtime/debug"
	"unicode/utf8"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/kernelinfo"
)

// none is an empty JSON object.
type none struct{}

type statusContent struct {
	ExecutionState string `json:"execution_state"`
}

type statusReply struct {
	Status string `json:"status"`
}

type errorReply struct {
	Status string `json:"status"`
	failure
}

type helpLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

type kernelInfoReply struct {
	Status                string         `json:"status"`
	ProtocolVersion       string         `json:"protocol_version"`
	Implementation        string         `json:"implementation"`
	ImplementationVersion string         `json:"implementation_version"`
	LanguageInfo          map[string]any `json:"language_info"`
	Banner                string         `json:"banner"`
	HelpLinks             []helpLink     `json:"help_links"`
}

func kernelInfo() kernelInfoReply {
	return kernelInfoReply{
		Status:                "ok",
		ProtocolVersion:       protocolVersion,
		Implementation:        "gopherscope",
		ImplementationVersion: kernelinfo.Version(),
		LanguageInfo:          kernelinfo.LanguageInfo(),
		Banner:                fmt.Sprintf("gopherscope %s, Go %s", kernelinfo.Version(), kernelinfo.GoVersion()),
		HelpLinks: []helpLink{
			{"The Go language", "https://go.dev/ref/spec"},
			{"Go packages", "https://pkg.go.dev/"},
		},
	}
}

// codeAt is the content of a request about a place in a cell that is being typed.
type codeAt struct {
	Code        string `json:"code"`
	CursorPos   *int   `json:"cursor_pos"`
	DetailLevel int    `json:"detail_level"`
}

// cursor is the place in code points, the end of the code when it is not given.
func (c codeAt) cursor() int {
	end := utf8.RuneCountInString(c.Code)
	if c.CursorPos == nil {
		return end
	}
	return min(max(*c.CursorPos, 0), end)
}

type completeReply struct {
	Status      string         `json:"status"`
	Matches     []string       `json:"matches"`
	CursorStart int            `json:"cursor_start"`
	CursorEnd   int            `json:"cursor_end"`
	Metadata    map[string]any `json:"metadata"`
}

// typedMatch is a match as JupyterLab shows it, with an icon and a signature.
type typedMatch struct {
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Text      string `json:"text"`
	Type      string `json:"type"`
	Signature string `json:"signature,omitempty"`
}

// completeRequest answers with the session's completion. Positions are code
// points on both sides.
func (k *Kernel) completeRequest(ctx context.Context, r *request) (any, error) {
	var ask codeAt
	if err := r.read(&ask); err != nil {
		return nil, err
	}
	cursor := ask.cursor()
	reply := completeReply{Status: "ok", Matches: []string{}, CursorStart: cursor, CursorEnd: cursor, Metadata: map[string]any{}}
	err := protect(func() error {
		found, err := k.session.Complete(ctx, ask.Code, cursor)
		if err != nil || len(found.Matches) == 0 {
			return err
		}
		reply.Matches, reply.CursorStart, reply.CursorEnd = found.Matches, found.Start, found.End
		if len(found.Types) != len(found.Matches) {
			return nil
		}
		typed := make([]typedMatch, len(found.Matches))
		for i, text := range found.Matches {
			typed[i] = typedMatch{Start: found.Start, End: found.End, Text: text, Type: found.Types[i]}
			if i < len(found.Signatures) {
				typed[i].Signature = found.Signatures[i]
			}
		}
		reply.Metadata["_jupyter_types_experimental"] = typed
		return nil
	})
	return reply, err
}

type inspectReply struct {
	Status   string         `json:"status"`
	Found    bool           `json:"found"`
	Data     map[string]any `json:"data"`
	Metadata map[string]any `json:"metadata"`
}

// inspectRequest describes the name at the cursor.
func (k *Kernel) inspectRequest(ctx context.Context, r *request) (any, error) {
	var ask codeAt
	if err := r.read(&ask); err != nil {
		return nil, err
	}
	reply := inspectReply{Status: "ok", Data: map[string]any{}, Metadata: map[string]any{}}
	err := protect(func() error {
		found, err := k.session.Inspect(ctx, ask.Code, ask.cursor(), ask.DetailLevel)
		if err != nil || found == nil {
			return err
		}
		shown, _ := display.Encode(*found)
		if len(shown.Data) > 0 {
			reply.Found, reply.Data, reply.Metadata = true, shown.Data, shown.Metadata
		}
		return nil
	})
	return reply, err
}

type isCompleteReply struct {
	Status string `json:"status"`
	Indent string `json:"indent,omitempty"`
}

// isCompleteRequest says whether a line end means that the cell is to run. A
// console that hears "unknown" decides for itself.
func (k *Kernel) isCompleteRequest(_ context.Context, r *request) (any, error) {
	var ask codeAt
	answer := isCompleteReply{Status: "unknown"}
	err := protect(func() error {
		if err := r.read(&ask); err != nil {
			return err
		}
		answer.Status, answer.Indent = k.session.IsComplete(ask.Code)
		return nil
	})
	return answer, err
}

type historyReply struct {
	Status string `json:"status"`
	// History has session, execution count and source of each cell, or instead
	// of the source a pair of it and the result.
	History [][3]any `json:"history"`
}

func (k *Kernel) historyRequest(_ context.Context, r *request) (any, error) {
	var ask historyQuery
	if err := r.read(&ask); err != nil {
		return nil, err
	}
	found, err := k.history.find(ask)
	if err != nil {
		return nil, err
	}
	reply := historyReply{Status: "ok", History: [][3]any{}}
	for _, cell := range found {
		var text any = cell.In
		if ask.Output {
			text = []any{cell.In, cell.Out}
		}
		reply.History = append(reply.History, [3]any{cell.session, cell.Line, text})
	}
	return reply, nil
}

type commInfoReply struct {
	Status string `json:"status"`
	Comms  none   `json:"comms"`
}

func (k *Kernel) commInfoRequest(context.Context, *request) (any, error) {
	return commInfoReply{Status: "ok"}, nil
}

type commClose struct {
	CommID string `json:"comm_id"`
	Data   none   `json:"data"`
}

// commOpen refuses a comm: the kernel has no other end for one.
func (k *Kernel) commOpen(_ context.Context, r *request) (any, error) {
	var ask struct {
		CommID string `json:"comm_id"`
	}
	if err := r.read(&ask); err != nil || ask.CommID == "" {
		return nil, err
	}
	k.publish(r.header, "comm_close", commClose{CommID: ask.CommID})
	return nil, nil
}

func (k *Kernel) interruptRequest(context.Context, *request) (any, error) {
	k.Interrupt()
	return statusReply{"ok"}, nil
}

type shutdownReply struct {
	Status  string `json:"status"`
	Restart bool   `json:"restart"`
}

func (k *Kernel) shutdownRequest(_ context.Context, r *request) (any, error) {
	var ask struct {
		Restart bool `json:"restart"`
	}
	// Whatever else is wrong with the content, the kernel is to end.
	bad := r.read(&ask)
	return shutdownReply{Status: "ok", Restart: ask.Restart}, bad
}

// protect turns a panic of the session into an error: a defect there must not
// take the variables of the notebook with it.
func protect(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}
