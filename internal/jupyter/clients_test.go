package jupyter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/kernelinfo"
	"github.com/rlx-go/gopherscope/internal/testreq"
)

// python returns a Python that has the modules, Debian's first.
func python(t *testing.T, modules ...string) string {
	t.Helper()
	for _, name := range []string{"/usr/bin/python3", "python3", "python"} {
		if exec.Command(name, "-c", "import "+strings.Join(modules, ", ")).Run() == nil {
			return name
		}
	}
	testreq.Skip(t, "no Python with "+strings.Join(modules, " and "))
	panic("unreachable")
}

// installed returns the environment of a Jupyter client that finds the kernel
// by its kernelspec.
func installed(t *testing.T) []string {
	t.Helper()
	prefix := t.TempDir()
	out, err := exec.Command(gopherscope(t), "kernel", "install", "--prefix", prefix).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return append(os.Environ(), "JUPYTER_PATH="+PrefixDataDir(prefix), "JUPYTER_RUNTIME_DIR="+t.TempDir(),
		"JUPYTER_DATA_DIR="+t.TempDir(), "PYTHONWARNINGS=ignore")
}

// exchange is a reply and the outputs of a cell, as client.py prints them.
type exchange struct {
	reply   map[string]any
	outputs []struct {
		kind    string
		content map[string]any
	}
}

func (e *exchange) UnmarshalJSON(data []byte) error {
	var outputs [][2]json.RawMessage
	if err := json.Unmarshal(data, &[]any{&e.reply, &outputs}); err != nil {
		return err
	}
	e.outputs = make([]struct {
		kind    string
		content map[string]any
	}, len(outputs))
	for i, o := range outputs {
		if err := json.Unmarshal(o[0], &e.outputs[i].kind); err != nil {
			return err
		}
		if err := json.Unmarshal(o[1], &e.outputs[i].content); err != nil {
			return err
		}
	}
	return nil
}

func TestJupyterClient(t *testing.T) {
	run := exec.Command(python(t, "jupyter_client"), filepath.Join("testdata", "client.py"), kernelinfo.Name)
	run.Env = installed(t)
	run.Stderr = testLog{t}
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Hello, Value, Undefined, Division, Kept, Restarted exchange
		AfterRestart                                       exchange `json:"after restart"`
		Answer, Refused                                    exchange
		Complete, Interrupted, Behind                      map[string]any
		Inspect, Question                                  map[string]any
		CommInfo                                           map[string]any `json:"comm_info"`
		History                                            [][3]any
		IsComplete                                         []string `json:"is_complete"`
		Beats, Alive                                       bool
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if o := seen.Hello.outputs; len(o) != 2 || o[1].kind != "stream" || o[1].content["text"] != "hello, world\n" {
		t.Errorf("hello: %+v", seen.Hello)
	}
	for name, want := range map[string]struct {
		exchange
		text string
	}{"value": {seen.Value, "21"}, "answer": {seen.Answer, "<Ada>"}, "kept": {seen.Kept, "20"}, "after restart": {seen.AfterRestart, "42"}} {
		o := want.outputs
		if len(o) != 2 || o[1].kind != "execute_result" || o[1].content["data"].(map[string]any)["text/plain"] != want.text {
			t.Errorf("%s: %+v, want %s", name, want.exchange, want.text)
		}
	}
	for name, failed := range map[string]exchange{"undefined": seen.Undefined, "division": seen.Division, "restarted": seen.Restarted} {
		if o := failed.outputs; failed.reply["status"] != "error" || len(o) != 2 || o[1].kind != "error" {
			t.Errorf("%s: %+v, want one error", name, failed)
		}
	}
	if got := fmt.Sprint(seen.Complete["matches"]); !strings.Contains(got, "Println") {
		t.Errorf("completion of fmt.Printl: %v", seen.Complete)
	}
	if got := fmt.Sprint(seen.Inspect["data"]); seen.Inspect["found"] != true || !strings.Contains(got, "func Println(a ...any)") {
		t.Errorf("inspection of fmt.Println: %v", seen.Inspect)
	}
	if got := fmt.Sprint(seen.CommInfo); got != "map[comms:map[] status:ok]" {
		t.Errorf("comms: %s", got)
	}
	if got := fmt.Sprint(seen.Question); got != "map[password:false prompt:]" {
		t.Errorf("question: %s", got)
	}
	if got := fmt.Sprint(seen.Refused.reply, seen.Refused.outputs); len(seen.Refused.outputs) == 0 {
		t.Errorf("input that is not allowed: %s", got)
	}
	// The session before the restart is there, and this one.
	if got, want := fmt.Sprint(seen.History), "[[1 8 [x 20]] [2 1 [x <nil>]] [2 2 [40 + 2 42]]]"; got != want {
		t.Errorf("history %s, want %s", got, want)
	}
	if want := []string{"complete", "incomplete", "invalid"}; !slices.Equal(seen.IsComplete, want) {
		t.Errorf("is_complete %v, want %v", seen.IsComplete, want)
	}
	if seen.Interrupted["status"] != "error" || seen.Behind["status"] != "aborted" {
		t.Errorf("interrupted: %v, behind it: %v", seen.Interrupted, seen.Behind)
	}
	if !seen.Beats {
		t.Error("no heartbeat")
	}
	if seen.Alive {
		t.Error("the kernel is alive after its shutdown")
	}
}

// TestKernelSuite runs the Jupyter project's own test of kernels, all of it.
func TestKernelSuite(t *testing.T) {
	run := exec.Command(python(t, "jupyter_kernel_test"), "-B", "-m", "unittest", "-v", "suite")
	run.Dir = "testdata"
	run.Env = append(installed(t), "KERNEL="+kernelinfo.Name)
	out, err := run.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("skipped")) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestConsole(t *testing.T) {
	run := exec.Command(python(t, "jupyter_console", "pexpect"), filepath.Join("testdata", "console.py"), kernelinfo.Name)
	run.Env = append(installed(t), "IPYTHONDIR="+t.TempDir())
	run.Stderr = testLog{t}
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	var seen map[string]any
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, want := range map[string]string{
		"import":      `^$`,
		"declaration": `^$`,
		"printed":     `^hello 21$`,
		"value":       `^Out\[4\]: 40$`,
		"error":       `^CompileError: undefined: undefinedName\n`,
		"name":        `: <Ada>$`,
		"interrupted": `^Interrupted: `,
		"kept":        `: 20$`,
		"status":      `^0$`,
	} {
		if got := fmt.Sprint(seen[name]); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: the terminal shows %q, want %s", name, got, want)
		}
	}
}

// TestNbconvert also covers nbclient, which is what executes there.
func TestNbconvert(t *testing.T) {
	interpreter := python(t, "nbclient", "nbconvert")
	env, out := installed(t), t.TempDir()
	convert := func(args ...string) {
		t.Helper()
		run := exec.Command(interpreter, append([]string{"-m", "nbconvert", "--output-dir", out}, args...)...)
		run.Env = env
		if text, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	convert("--to", "notebook", "--execute", "--output", "executed", filepath.Join("testdata", "cells.ipynb"))
	executed := filepath.Join(out, "executed.ipynb")
	data, err := os.ReadFile(executed)
	if err != nil {
		t.Fatal(err)
	}
	var book struct {
		Cells []struct {
			ID      string
			Outputs []struct {
				OutputType string `json:"output_type"`
				Text       any
				Data       map[string]any
				Ename      string
			}
		}
		Metadata struct {
			LanguageInfo map[string]any `json:"language_info"`
		}
	}
	if err := json.Unmarshal(data, &book); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, cell := range book.Cells {
		for _, o := range cell.Outputs {
			got[cell.ID] += fmt.Sprintf("%s %v %v %v; ", o.OutputType, o.Text, o.Data["text/plain"], o.Data["text/html"])
		}
	}
	for id, want := range map[string]string{
		"a": "stream [before\n] <nil> <nil>; ",
		"b": "execute_result <nil> [5] <nil>; ",
		"e": "stream [a\n b\n] <nil> <nil>; execute_result <nil> [3] <nil>; ",
	} {
		if got[id] != want {
			t.Errorf("cell %s has %q, want %q", id, got[id], want)
		}
	}
	if !strings.Contains(got["c"], "[<b>bold</b>]") || !strings.HasPrefix(got["d"], "error ") {
		t.Errorf("cells c and d have %q and %q", got["c"], got["d"])
	}
	if book.Metadata.LanguageInfo["mimetype"] != "text/x-go" {
		t.Errorf("language_info %v", book.Metadata.LanguageInfo)
	}

	convert("--to", "html", "--output", "page", executed)
	page, err := os.ReadFile(filepath.Join(out, "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	// Pygments knows "func" as a keyword of Go, and "type" as no keyword of Python.
	for _, want := range []string{"highlight hl-go", `<span class="kd">func</span>`, "<b>bold</b>"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
