package jupyter

import (
	"context"
	"os"
	"strconv"
	"time"
)

// parentPoll is how often the kernel looks whether its launcher is still there.
const parentPoll = 250 * time.Millisecond

// WithParent returns a context that ends with ctx, or when the launcher that set
// JPY_PARENT_PID has gone: a kernel that nobody can reach is not to stay. Where
// processes are not given to another parent (Windows) only ctx ends it.
func WithParent(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	parent := os.Getppid()
	// A wrapper script may stand between the launcher and the kernel, so that
	// the variable says that there is a launcher and not which process it is.
	// Process 1 adopts orphans: it cannot be told from a launcher.
	if pid, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID")); err != nil || pid < 1 || parent == 1 {
		return ctx, cancel
	}
	go func() {
		tick := time.NewTicker(parentPoll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if os.Getppid() != parent {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, cancel
}
