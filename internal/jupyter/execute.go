package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

type executeInput struct {
	Code           string `json:"code"`
	ExecutionCount int    `json:"execution_count"`
}

type executeResult struct {
	ExecutionCount int            `json:"execution_count"`
	Data           map[string]any `json:"data"`
	Metadata       map[string]any `json:"metadata"`
}

type executeOK struct {
	Status          string         `json:"status"`
	ExecutionCount  int            `json:"execution_count"`
	Payload         []page         `json:"payload"`
	UserExpressions map[string]any `json:"user_expressions"`
}

// page is a payload: what a front end shows beside the notebook.
type page struct {
	Source   string         `json:"source"`
	Data     map[string]any `json:"data"`
	Metadata map[string]any `json:"metadata"`
	Start    int            `json:"start"` // the line to begin with
}

type expressionOK struct {
	Status   string         `json:"status"`
	Data     map[string]any `json:"data"`
	Metadata map[string]any `json:"metadata"`
}

type executeError struct {
	Status         string `json:"status"`
	ExecutionCount int    `json:"execution_count"`
	failure
}

type failure struct {
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// executeRequest runs a cell: input, outputs, then the result or the error, then
// the reply.
func (k *Kernel) executeRequest(ctx context.Context, r *request) (any, error) {
	if k.isAborted(r) {
		return statusReply{"aborted"}, nil // with a count, front ends would number the cell as if it had run
	}
	var ask struct {
		Code            string            `json:"code"`
		Silent          bool              `json:"silent"`
		StoreHistory    *bool             `json:"store_history"`
		UserExpressions map[string]string `json:"user_expressions"`
		AllowStdin      bool              `json:"allow_stdin"`
		StopOnError     *bool             `json:"stop_on_error"`
	}
	if err := r.read(&ask); err != nil {
		return executeError{Status: "error", ExecutionCount: k.count, failure: describe(err)}, err
	}
	cell := interp.Cell{Name: "In[ ]", ID: r.cellID(), Source: ask.Code}
	stored := !ask.Silent && orTrue(ask.StoreHistory)
	if stored {
		k.count++
		cell.Name = fmt.Sprintf("In[%d]", k.count)
	}
	out := &output{kernel: k, ctx: ctx, parent: r.header, silent: ask.Silent, paging: ask.AllowStdin}
	if ask.AllowStdin {
		cell.Input = func() (string, error) {
			out.flush() // what was printed is often the question
			return k.input(ctx, r)
		}
	}
	out.publish("execute_input", executeInput{Code: ask.Code, ExecutionCount: k.count})

	if !ask.Silent {
		if text := k.ending.tell(); text != "" {
			out.Stream("stderr", text)
		}
	}
	if err := k.ending.begin(cell.Name); err != nil {
		k.log.Print(err)
	}
	var result *display.Data
	err := protect(func() (err error) {
		result, err = k.session.Run(ctx, cell, out)
		return err
	})
	if err := k.ending.end(); err != nil {
		k.log.Print(err)
	}
	var shown display.Data
	if err == nil && result != nil {
		shown = out.encode(*result)
	}
	out.flush()
	if stored {
		k.remember(ask.Code, shown)
	}
	if err != nil {
		failed := describe(err)
		out.publish("error", failed)
		if !ask.Silent && orTrue(ask.StopOnError) {
			k.abortRest()
		}
		return executeError{Status: "error", ExecutionCount: k.count, failure: failed}, nil
	}
	if len(shown.Data) > 0 {
		out.publish("execute_result", executeResult{ExecutionCount: k.count, Data: shown.Data, Metadata: shown.Metadata})
	}
	values := k.evaluate(ctx, ask.UserExpressions)
	out.flush()
	return executeOK{Status: "ok", ExecutionCount: k.count, Payload: out.payload(), UserExpressions: values}, nil
}

// remember puts a cell into the history.
func (k *Kernel) remember(code string, result display.Data) {
	cell := past{Line: k.count, In: code}
	if text, ok := result.Data[display.MIMETypeText].(string); ok {
		cell.Out = &text
	}
	k.history.add(cell)
}

// evaluate gives each expression its value, or the error it failed with.
func (k *Kernel) evaluate(ctx context.Context, expressions map[string]string) map[string]any {
	values := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(expressions)) {
		var value *display.Data
		err := protect(func() (err error) {
			value, err = k.session.Evaluate(ctx, expressions[name])
			return err
		})
		if err != nil {
			values[name] = errorReply{Status: "error", failure: describe(err)}
			continue
		}
		if value == nil {
			value = &display.Data{}
		}
		shown, _ := display.Encode(*value)
		values[name] = expressionOK{Status: "ok", Data: shown.Data, Metadata: shown.Metadata}
	}
	return values
}

func (k *Kernel) isAborted(r *request) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return r.aborted
}

// abortRest drops the cells that the client sent before it could know of a
// failure.
func (k *Kernel) abortRest() {
	time.Sleep(abortWindow)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.abortQueued()
}

// cellID is the notebook's id of the cell, which front ends put in the metadata.
func (r *request) cellID() string {
	var metadata struct {
		CellID string `json:"cellId"`
	}
	if json.Unmarshal(r.metadata, &metadata) != nil {
		return ""
	}
	return metadata.CellID
}

// describe says what front ends are told of a failed cell. Some of them show
// the traceback only, so that there always is one.
func describe(err error) failure {
	var f failure
	if cell := (*interp.Error)(nil); errors.As(err, &cell) {
		f = failure{Name: cell.Name, Value: cell.Value, Traceback: cell.Traceback}
	} else {
		f = failure{Name: "Error", Value: err.Error()}
	}
	if len(f.Traceback) == 0 {
		f.Traceback = []string{f.Name + ": " + f.Value}
	}
	return f
}

func orTrue(b *bool) bool { return b == nil || *b }
