package jupyter

import "golang.org/x/sys/windows"

// launcherWatch returns what tells whether the launcher is there. On Windows the
// variable holds an inherited handle of its process.
func launcherWatch(launcher int) (there func() bool) {
	return func() bool {
		event, err := windows.WaitForSingleObject(windows.Handle(launcher), 0)
		return err != nil || event != windows.WAIT_OBJECT_0
	}
}
