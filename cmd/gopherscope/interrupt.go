package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// secondInterruptKills gives Ctrl-C and SIGTERM their usual effect back once the context
// has ended by the first. The caller calls stop when it is done.
func secondInterruptKills(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })
}

// interrupted replaces the error of a context that ended by a word for it.
func interrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// graceAfterInterrupt is how long a call may take to see that its context ended.
// A read from a network file system may block for longer.
const graceAfterInterrupt = 500 * time.Millisecond

// abandonable calls f, and leaves it behind when the context has ended and it does
// not return: its error is then the context's.
func abandonable[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(graceAfterInterrupt):
		var none T
		return none, ctx.Err()
	}
}
