package jupyter

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"unicode/utf8"

	"github.com/rlx-go/gopherscope/internal/interp"
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
		ImplementationVersion: version(),
		LanguageInfo:          kernelinfo.LanguageInfo(),
		Banner:                fmt.Sprintf("gopherscope %s, Go %s", version(), kernelinfo.GoVersion()),
		HelpLinks: []helpLink{
			{"The Go language", "https://go.dev/ref/spec"},
			{"Go packages", "https://pkg.go.dev/"},
		},
	}
}

// version is the version of the module the program was built from, "(devel)"
// when it was built from a working tree.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

type completeReply struct {
	Status      string   `json:"status"`
	Matches     []string `json:"matches"`
	CursorStart int      `json:"cursor_start"`
	CursorEnd   int      `json:"cursor_end"`
	Metadata    none     `json:"metadata"`
}

// completeRequest answers with the session's completion. Positions are code
// points on both sides.
func (k *Kernel) completeRequest(ctx context.Context, r *request) error {
	var ask struct {
		Code      string `json:"code"`
		CursorPos *int   `json:"cursor_pos"`
	}
	if err := r.read(&ask); err != nil {
		return err
	}
	cursor := utf8.RuneCountInString(ask.Code)
	if ask.CursorPos != nil {
		cursor = min(max(*ask.CursorPos, 0), cursor)
	}
	found := interp.Completion{Start: cursor, End: cursor}
	err := protect(func() error {
		answer, err := k.session.Complete(ctx, ask.Code, cursor)
		if err == nil && len(answer.Matches) > 0 {
			found = answer
		}
		return err
	})
	return errors.Join(err, k.reply(r, "complete_reply", completeReply{
		Status:      "ok",
		Matches:     append([]string{}, found.Matches...),
		CursorStart: found.Start,
		CursorEnd:   found.End,
	}))
}

type isCompleteReply struct {
	Status string `json:"status"`
	Indent string `json:"indent,omitempty"`
}

func (k *Kernel) isCompleteRequest(r *request) error {
	var ask struct {
		Code string `json:"code"`
	}
	if err := r.read(&ask); err != nil {
		return err
	}
	answer := isCompleteReply{Status: "unknown"}
	err := protect(func() error {
		answer.Status, answer.Indent = k.session.IsComplete(ask.Code)
		return nil
	})
	return errors.Join(err, k.reply(r, "is_complete_reply", answer))
}

type inspectReply struct {
	Status   string `json:"status"`
	Found    bool   `json:"found"`
	Data     none   `json:"data"`
	Metadata none   `json:"metadata"`
}

type historyReply struct {
	Status  string `json:"status"`
	History []any  `json:"history"`
}

type commInfoReply struct {
	Status string `json:"status"`
	Comms  none   `json:"comms"`
}

type shutdownReply struct {
	Status  string `json:"status"`
	Restart bool   `json:"restart"`
}

func (k *Kernel) shutdownRequest(r *request) error {
	var ask struct {
		Restart bool `json:"restart"`
	}
	// Whatever else is wrong with the content, the kernel is to end.
	bad := r.read(&ask)
	return errors.Join(bad, k.reply(r, "shutdown_reply", shutdownReply{Status: "ok", Restart: ask.Restart}))
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
