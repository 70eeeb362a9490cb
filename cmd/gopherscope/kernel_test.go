package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kernelVerb runs a command line below "kernel" and returns what it printed and its exit status.
func kernelVerb(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return command(t, t.Context(), append([]string{"kernel"}, args...)...)
}

// isolate points every place where kernels may be at an empty folder.
func isolate(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"JUPYTER_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"} {
		t.Setenv(name, "")
	}
	t.Setenv("JUPYTER_DATA_DIR", filepath.Join(dir, "user"))
	return dir
}

func TestKernelIsInstalledWhereTheFlagsSay(t *testing.T) {
	dir := isolate(t)
	prefix, env := filepath.Join(dir, "prefix"), filepath.Join(dir, "env")
	t.Setenv("CONDA_PREFIX", env)
	for _, test := range []struct {
		flags []string
		data  string
		name  string
	}{
		{nil, filepath.Join(dir, "user"), "gopherscope"},
		{[]string{"--user", "--name", "gophernotes"}, filepath.Join(dir, "user"), "gophernotes"},
		{[]string{"--sys-prefix"}, filepath.Join(env, "share", "jupyter"), "gopherscope"},
		{[]string{"--prefix", prefix}, filepath.Join(prefix, "share", "jupyter"), "gopherscope"},
	} {
		folder := filepath.Join(test.data, "kernels", test.name)
		stdout, stderr, code := kernelVerb(t, append([]string{"install"}, test.flags...)...)
		if code != 0 {
			t.Fatalf("install %v: status %d, %s", test.flags, code, stderr)
		}
		unseen := test.data == filepath.Join(prefix, "share", "jupyter")
		if hint := strings.Contains(stderr, "JUPYTER_PATH has "+test.data+"\n"); hint != unseen || stderr != "" && !hint {
			t.Errorf("install %v: %q on stderr", test.flags, stderr)
		}
		lines := strings.Fields(stdout)
		if len(lines) != 5 {
			t.Errorf("install %v printed %q, want the 5 files written", test.flags, stdout)
		}
		for _, file := range lines {
			if info, err := os.Stat(file); err != nil || filepath.Dir(file) != folder || info.Size() == 0 {
				t.Errorf("install %v names %s: %v", test.flags, file, err)
			}
		}
		if stdout, _, _ := kernelVerb(t, "list"); !unseen && !strings.Contains(stdout, folder) {
			t.Errorf("list does not show %s:\n%s", folder, stdout)
		}
		stdout, stderr, code = kernelVerb(t, append([]string{"uninstall"}, test.flags...)...)
		if code != 0 || stdout != "removed "+folder+"\n" {
			t.Errorf("uninstall %v: status %d, %q, %s", test.flags, code, stdout, stderr)
		}
		if _, err := os.Stat(folder); !os.IsNotExist(err) {
			t.Errorf("%s is still there", folder)
		}
	}
	if stdout, _, code := kernelVerb(t, "list"); code != 0 || !strings.Contains(stdout, "gopherscope kernel install") {
		t.Errorf("an empty list does not say what to do: %q", stdout)
	}
}

func TestKernelMistakesAreOneLine(t *testing.T) {
	dir := isolate(t)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"start", file}, file},
		{[]string{"start", filepath.Join(dir, "missing")}, filepath.Join(dir, "missing")},
		{[]string{"start"}, "arg"},
		{[]string{"instal"}, `unknown command "instal"`},
		{[]string{"install", "--sys-prefix"}, "CONDA_PREFIX"},
		{[]string{"install", "--user", "--prefix", dir}, "prefix"},
		{[]string{"install", "--prefix", file}, file},
		{[]string{"install", "--name", "../x"}, "../x"},
		{[]string{"uninstall"}, filepath.Join(dir, "user")},
	} {
		stdout, stderr, code := kernelVerb(t, test.args...)
		if code == statusOK || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, test.says) {
			t.Errorf("%v: status %d, stdout %q, stderr %q, want one line that says %q", test.args, code, stdout, stderr, test.says)
		}
	}
}

func TestKernelStartNamesTheFileOfAPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	file := filepath.Join(t.TempDir(), "connection.json")
	write(t, file, fmt.Sprintf(`{"transport": "tcp", "ip": "127.0.0.1", "signature_scheme": "hmac-sha256", "key": "k",
		"shell_port": %[1]d, "iopub_port": %[1]d, "stdin_port": %[1]d, "control_port": %[1]d, "hb_port": %[1]d}`, port))
	_, stderr, code := kernelVerb(t, "start", file)
	if code != 1 || !strings.Contains(stderr, "connection file "+file+": ") || !strings.Contains(stderr, fmt.Sprint(port)) {
		t.Errorf("status %d, stderr %q", code, stderr)
	}
}
