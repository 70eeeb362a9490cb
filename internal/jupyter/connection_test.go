package jupyter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const goodConnection = `{"transport":"tcp","ip":"127.0.0.1","shell_port":1,"iopub_port":2,"stdin_port":3,
	"control_port":4,"hb_port":65535,"signature_scheme":"hmac-sha256","key":"k","kernel_name":"gopherscope","later":[]}`

func TestReadConnection(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kernel.json")
	if err := os.WriteFile(file, []byte(goodConnection), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadConnection(file)
	want := Connection{
		Transport: "tcp", IP: "127.0.0.1", ShellPort: 1, IOPubPort: 2, StdinPort: 3, ControlPort: 4, HBPort: 65535,
		SignatureScheme: "hmac-sha256", Key: "k",
	}
	if err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestBadConnectionFilesAreNamedWithTheReason(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(goodConnection, old, new, 1) }
	for _, test := range []struct{ name, content, reason string }{
		{"empty", "", "not the JSON of a connection"},
		{"text", "hello", "not the JSON of a connection"},
		{"list", "[1]", "not the JSON of a connection"},
		{"cut", goodConnection[:40], "not the JSON of a connection"},
		{"object", "{}", `transport is ""`},
		{"transport", with("tcp", "udp"), `transport is "udp"`},
		{"ip", with("127.0.0.1", ""), "ip is missing"},
		{"scheme", with("hmac-sha256", "hmac-md5"), `signature_scheme is "hmac-md5"`},
		{"port", with("65535", "65536"), "hb_port is 65536"},
		{"no port", with(`"shell_port":1,`, ""), "shell_port is 0"},
		{"port as text", with(`"shell_port":1`, `"shell_port":"1"`), "not the JSON of a connection"},
		{"large", goodConnection + strings.Repeat(" ", maxConnectionFile), "larger than"},
	} {
		file := filepath.Join(t.TempDir(), test.name+".json")
		if err := os.WriteFile(file, []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		checkReason(t, file, test.reason)
	}
	checkReason(t, filepath.Join(t.TempDir(), "missing.json"), "")
	checkReason(t, t.TempDir(), "")
}

func checkReason(t *testing.T, file, reason string) {
	t.Helper()
	_, err := ReadConnection(file)
	switch {
	case err == nil:
		t.Errorf("%s: no error", file)
	case !strings.Contains(err.Error(), reason) || strings.Count(err.Error(), file) != 1 || strings.Contains(err.Error(), "\n"):
		t.Errorf("%q is not one line that names %s once and says %q", err, file, reason)
	}
}
