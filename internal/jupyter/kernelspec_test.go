package jupyter

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func program(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// foldersIn returns what a kernels folder holds, hidden entries too.
func foldersIn(t *testing.T, data string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(data, "kernels"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestInstallListUninstall(t *testing.T) {
	data := filepath.Join(t.TempDir(), "not", "there", "yet")
	files, err := Install(data, "Mine", "", program(t, "first"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(data, "kernels", "mine") // Jupyter looks names up in lower case
	exe := filepath.Join(dir, "gopherscope")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	var want []string
	for _, name := range []string{filepath.Base(exe), "kernel.json", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"} {
		want = append(want, filepath.Join(dir, name))
	}
	slices.Sort(files)
	if !slices.Equal(files, want) {
		t.Errorf("wrote %v, want %v", files, want)
	}

	var spec map[string]any
	content, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &spec); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"display_name": "Go (mine)", "language": "go", "interrupt_mode": "message"} {
		if spec[key] != want {
			t.Errorf("%s is %v, want %s", key, spec[key], want)
		}
	}
	argv := spec["argv"].([]any)
	if len(argv) != 4 || argv[0] != exe || argv[1] != "kernel" || argv[2] != "start" || argv[3] != "{connection_file}" {
		t.Errorf("argv %q", argv)
	}
	if info, err := os.Stat(exe); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o755 {
		t.Errorf("the program: %v, %v", info.Mode(), err)
	}

	// Installing again, even from the installed copy, replaces it.
	if _, err := Install(data, "mine", "A name", exe); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(exe); err != nil || string(got) != "first" {
		t.Errorf("the program holds %q, %v", got, err)
	}
	if got := foldersIn(t, data); !slices.Equal(got, []string{"mine"}) {
		t.Errorf("left %v", got)
	}
	specs, err := List([]string{filepath.Join(data, "nowhere"), data})
	if err != nil || len(specs) != 1 || specs[0] != (Spec{Name: "mine", DisplayName: "A name", Dir: dir}) {
		t.Errorf("list %v, %v", specs, err)
	}

	if removed, err := Uninstall(data, "mine"); err != nil || removed != dir {
		t.Errorf("removed %q, %v", removed, err)
	}
	if got := foldersIn(t, data); len(got) != 0 {
		t.Errorf("left %v", got)
	}
	if _, err := Uninstall(data, "mine"); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second time: %v", err)
	}
}

func TestOtherProgramsKernelspecsStay(t *testing.T) {
	data := t.TempDir()
	dir := filepath.Join(data, "kernels", "python3")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "kernel.json")
	for _, content := range []string{`{"argv":["python"],"display_name":"Python 3","language":"python"}`, `{"argv":`} {
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Install(data, "python3", "", program(t, "x")); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("install over %s: %v", content, err)
		}
		if _, err := Uninstall(data, "python3"); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("uninstall of %s: %v", content, err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != content {
			t.Errorf("the file became %q, %v", got, err)
		}
	}
	if specs, err := List([]string{data}); err != nil || len(specs) != 0 {
		t.Errorf("list %v, %v", specs, err)
	}
}

func TestInstallLeavesNothingBehindWhenItFails(t *testing.T) {
	data := t.TempDir()
	if _, err := Install(data, "k", "", filepath.Join(data, "missing")); err == nil {
		t.Error("no error for a missing program")
	}
	if got := foldersIn(t, data); len(got) != 0 {
		t.Errorf("left %v", got)
	}
	for _, name := range []string{"", ".", "..", "../up", "a/b", `a\b`, ".hidden", "a b", "ä"} {
		if _, err := Install(data, name, "", program(t, "x")); err == nil {
			t.Errorf("no error for the name %q", name)
		}
		if _, err := Uninstall(data, name); err == nil {
			t.Errorf("no error for removing %q", name)
		}
	}
}

func TestLogos(t *testing.T) {
	for name, side := range map[string]int{"logo-32x32.png": 32, "logo-64x64.png": 64} {
		data, err := logos.ReadFile("logos/" + name)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if size := img.Bounds().Size(); size.X != side || size.Y != side {
			t.Errorf("%s is %v", name, size)
		}
	}
	data, err := logos.ReadFile("logos/logo-svg.svg")
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestUserDataDir(t *testing.T) {
	home := t.TempDir()
	for _, test := range []struct {
		goos string
		env  map[string]string
		want string
	}{
		{"linux", nil, filepath.Join(home, ".local", "share", "jupyter")},
		{"linux", map[string]string{"XDG_DATA_HOME": "/xdg"}, filepath.Join("/xdg", "jupyter")},
		{"linux", map[string]string{"XDG_DATA_HOME": "/xdg", "JUPYTER_DATA_DIR": "/own"}, "/own"},
		{"darwin", map[string]string{"XDG_DATA_HOME": "/xdg"}, filepath.Join(home, "Library", "Jupyter")},
		{"windows", map[string]string{"APPDATA": "/roaming"}, filepath.Join("/roaming", "jupyter")},
		{"windows", nil, filepath.Join(home, ".jupyter", "data")},
		{"windows", map[string]string{"JUPYTER_DATA_DIR": "/own"}, "/own"},
	} {
		for _, name := range []string{"JUPYTER_DATA_DIR", "XDG_DATA_HOME", "APPDATA"} {
			t.Setenv(name, test.env[name])
		}
		t.Setenv("HOME", home)
		t.Setenv("USERPROFILE", home)
		if got, err := userDataDir(test.goos); err != nil || got != test.want {
			t.Errorf("%s %v: %s, %v, want %s", test.goos, test.env, got, err, test.want)
		}
	}
}

func TestSysPrefix(t *testing.T) {
	for _, test := range []struct{ venv, conda, want string }{
		{"/venv", "", "/venv"}, {"", "/conda", "/conda"}, {"/venv", "/conda", "/venv"},
	} {
		t.Setenv("VIRTUAL_ENV", test.venv)
		t.Setenv("CONDA_PREFIX", test.conda)
		if got, err := SysPrefix(); err != nil || got != test.want {
			t.Errorf("%+v: %s, %v", test, got, err)
		}
	}
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("CONDA_PREFIX", "")
	if _, err := SysPrefix(); err == nil || !strings.Contains(err.Error(), "CONDA_PREFIX") || !strings.Contains(err.Error(), "VIRTUAL_ENV") {
		t.Errorf("error %v does not say what is missing", err)
	}
}

func TestDataDirsAreInJupytersOrder(t *testing.T) {
	list := string(filepath.ListSeparator)
	t.Setenv("JUPYTER_PATH", "/one"+list+list+"/two")
	t.Setenv("JUPYTER_DATA_DIR", "/user")
	t.Setenv("VIRTUAL_ENV", "/venv")
	want := []string{"/one", "/two", "/user", filepath.Join("/venv", "share", "jupyter")}
	if got := DataDirs(); !slices.Equal(got[:min(len(want), len(got))], want) {
		t.Errorf("%v, want %v first", got, want)
	}
}
