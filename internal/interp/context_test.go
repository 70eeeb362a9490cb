package interp

import (
	"context"
	"errors"
	"testing"
)

// The session keeps nothing of a context that was only asked for its error, and the error
// is that of the end, by an interrupt or with the session.
func TestErrOfCellContext(t *testing.T) {
	life, endSession := context.WithCancel(t.Context())
	asked, interrupted := &cellContext{life: life}, &cellContext{life: life}
	if err := asked.Err(); err != nil {
		t.Errorf("before its end: %v", err)
	}
	if asked.ctx != nil {
		t.Error("the session keeps a context that nobody waits for")
	}
	interrupted.end()
	if err := interrupted.Err(); !errors.Is(err, context.Canceled) || asked.Err() != nil {
		t.Errorf("after an interrupt: %v; of the other cell: %v", err, asked.Err())
	}
	<-interrupted.Done()
	endSession()
	if err := asked.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("after the session: %v", err)
	}
	<-asked.Done()
}
