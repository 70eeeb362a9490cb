package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	Status          string `json:"status"`
	ExecutionCount  int    `json:"execution_count"`
	Payload         []any  `json:"payload"`
	UserExpressions none   `json:"user_expressions"`
}

type executeAborted struct {
	Status         string `json:"status"`
	ExecutionCount int    `json:"execution_count"`
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
func (k *Kernel) executeRequest(ctx context.Context, r *request) error {
	if k.isAborted(r) {
		return k.reply(r, "execute_reply", executeAborted{Status: "aborted", ExecutionCount: k.count})
	}
	var ask struct {
		Code         string `json:"code"`
		Silent       bool   `json:"silent"`
		StoreHistory *bool  `json:"store_history"`
		StopOnError  *bool  `json:"stop_on_error"`
	}
	if err := r.read(&ask); err != nil {
		// Without a reply the client would wait for ever.
		reply := executeError{Status: "error", ExecutionCount: k.count, failure: describe(err)}
		return errors.Join(err, k.reply(r, "execute_reply", reply))
	}
	cell := interp.Cell{Name: "In[ ]", ID: r.cellID(), Source: ask.Code}
	if !ask.Silent && orTrue(ask.StoreHistory) {
		k.count++
		cell.Name = fmt.Sprintf("In[%d]", k.count)
	}
	out := &output{kernel: k, ctx: ctx, parent: r.header, silent: ask.Silent}
	out.publish("execute_input", executeInput{Code: ask.Code, ExecutionCount: k.count})

	var result *display.Data
	err := protect(func() (err error) {
		result, err = k.session.Run(ctx, cell, out)
		return err
	})
	var shown display.Data
	if err == nil && result != nil {
		shown = out.encode(*result)
	}
	out.flush()
	if err != nil {
		failed := describe(err)
		out.publish("error", failed)
		if !ask.Silent && orTrue(ask.StopOnError) {
			k.abortRest()
		}
		return k.reply(r, "execute_reply", executeError{Status: "error", ExecutionCount: k.count, failure: failed})
	}
	if len(shown.Data) > 0 {
		out.publish("execute_result", executeResult{ExecutionCount: k.count, Data: shown.Data, Metadata: shown.Metadata})
	}
	return k.reply(r, "execute_reply", executeOK{Status: "ok", ExecutionCount: k.count, Payload: []any{}})
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
