package jupyter

import (
	"context"
	"os"
	"strconv"
	"time"
)

// parentPoll is how often the kernel looks whether its launcher is still there.
const parentPoll = 100 * time.Millisecond

// WithParent returns a context that ends with ctx, or when the launcher that set
// JPY_PARENT_PID has gone: a kernel that nobody can reach is not to stay.
func WithParent(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	launcher, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	if err != nil || launcher < 1 {
		return ctx, cancel
	}
	there := launcherWatch(launcher)
	go func() {
		tick := time.NewTicker(parentPoll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if !there() {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, cancel
}
