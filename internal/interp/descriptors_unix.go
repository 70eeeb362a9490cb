//go:build unix

package interp

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// Keep returns a file that leads where f leads now, also while a session of
// NewWithDescriptors has what f leads to.
func Keep(f *os.File) (*os.File, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	number := -1
	if controlErr := raw.Control(func(fd uintptr) { number, err = duplicate(int(fd)) }); controlErr != nil {
		return nil, controlErr
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return os.NewFile(uintptr(number), f.Name()), nil
}

// duplicate returns a descriptor that programs that are started do not get.
func duplicate(fd int) (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0) }

// point makes a descriptor lead where f leads.
func point(number int, f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if controlErr := raw.Control(func(fd uintptr) { err = dup2(int(fd), number) }); controlErr != nil {
		return controlErr
	}
	if err != nil {
		return fmt.Errorf("file descriptor %d: %w", number, err)
	}
	return nil
}

// openDescriptors has descriptors 1 and 2 lead to pipes. The trace of a crash
// then goes where descriptor 2 led before: nobody would read the pipe.
func openDescriptors() (opened []*descriptor, err error) {
	defer func() {
		if err != nil {
			for _, d := range opened {
				err = errors.Join(err, d.release())
			}
			opened = nil
		}
	}()
	for number, name := range map[int]string{1: "stdout", 2: "stderr"} {
		fd, err := duplicate(number)
		if err != nil {
			return opened, fmt.Errorf("file descriptor %d: %w", number, err)
		}
		d := &descriptor{number: number, kept: os.NewFile(uintptr(fd), name), ahead: newBacklog(maxBacklog)}
		if d.stream, err = newStream(name, 0); err != nil {
			return opened, errors.Join(err, d.kept.Close())
		}
		enlarge(d.w)
		if err := point(number, d.w); err != nil {
			return opened, errors.Join(err, d.w.Close(), d.r.Close(), d.kept.Close())
		}
		if number == 2 {
			if err := errors.Join(debug.SetCrashOutput(d.kept, debug.CrashOptions{}), tellFatal(d.kept)); err != nil {
				return opened, err
			}
		}
		opened = append(opened, d)
	}
	return opened, nil
}

// closeDescriptors gives the descriptors back.
func closeDescriptors(all []*descriptor) (err error) {
	if len(all) > 0 {
		err = errors.Join(debug.SetCrashOutput(nil, debug.CrashOptions{}), tellFatal(nil))
	}
	for _, d := range all {
		err = errors.Join(err, d.release())
	}
	return err
}

// release gives the descriptor back.
func (d *descriptor) release() error {
	err := errors.Join(point(d.number, d.kept), d.stream.close(), d.kept.Close())
	d.ahead.close()
	return err
}

// retake takes a descriptor again that is closed: an *os.File that a cell made of
// its number closes it when it is collected.
func (d *descriptor) retake() error {
	if _, err := unix.FcntlInt(uintptr(d.number), unix.F_GETFD, 0); err != unix.EBADF {
		return nil
	}
	return point(d.number, d.w)
}
