package interp

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A cellContext is the ctx of a cell. It ends with an interrupt of the cell or
// with the session, not with the cell: its goroutines may go on. The session keeps
// only those that somebody asked to tell of their end, so that thousands of cells
// leave nothing behind.
type cellContext struct {
	life   context.Context // of the session
	once   sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	ended  atomic.Bool // by an interrupt
}

func (c *cellContext) asked() context.Context {
	c.once.Do(func() { c.ctx, c.cancel = context.WithCancel(c.life) })
	return c.ctx
}

// end ends the context as an interrupt does.
func (c *cellContext) end() {
	c.asked()
	c.ended.Store(true)
	c.cancel()
}

// Deadline implements context.Context.
func (c *cellContext) Deadline() (time.Time, bool) { return c.life.Deadline() }

// Done implements context.Context.
func (c *cellContext) Done() <-chan struct{} { return c.asked().Done() }

// Err implements context.Context. The session asks it of every cell, so it leaves
// nothing behind either.
func (c *cellContext) Err() error {
	if c.ended.Load() {
		return context.Canceled
	}
	return c.life.Err()
}

// Value implements context.Context.
func (c *cellContext) Value(key any) any { return c.asked().Value(key) }

// String keeps what shows a value from looking into the context, which other
// goroutines change.
func (c *cellContext) String() string { return "the context of a cell" }
