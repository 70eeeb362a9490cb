package jupyter

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

// newHistory is a history as a kernel has it that starts on a folder.
func newHistory(t *testing.T, dir string) *history {
	t.Helper()
	h := &history{dir: dir, log: log.New(testLog{t}, "", 0)}
	t.Cleanup(func() {
		if h.file != nil {
			h.file.Close()
		}
	})
	return h
}

// brief writes cells as session:line=source.
func brief(cells []past) string {
	var all []string
	for _, c := range cells {
		all = append(all, fmt.Sprintf("%d:%d=%s", c.session, c.Line, c.In))
	}
	return strings.Join(all, " ")
}

func TestHistoryQueries(t *testing.T) {
	dir := t.TempDir()
	for _, session := range [][]string{{"a := 1", "b"}, {}, {"a := 1", "fmt.Println(\n)", "c", "a := 1"}} {
		h := newHistory(t, dir)
		for i, code := range session {
			h.add(past{Line: i + 1, In: code})
		}
	}
	h := newHistory(t, dir) // the session after them
	h.add(past{Line: 1, In: "now"})
	h.add(past{Line: 3, In: "later"}) // cells between were not stored
	for _, test := range []struct{ query, want string }{
		{`{"hist_access_type":"tail","n":3}`, "2:4=a := 1 3:1=now 3:3=later"},
		{`{"hist_access_type":"tail","n":0}`, ""},
		{`{"hist_access_type":"tail","n":-4}`, ""},
		{`{"hist_access_type":"tail"}`, "1:1=a := 1 1:2=b 2:1=a := 1 2:2=fmt.Println(\n) 2:3=c 2:4=a := 1 3:1=now 3:3=later"},
		{`{"hist_access_type":"range","session":2,"start":2,"stop":4}`, "2:2=fmt.Println(\n) 2:3=c"},
		{`{"hist_access_type":"range","session":-1,"start":3}`, "2:3=c 2:4=a := 1"},
		{`{"hist_access_type":"range","session":-1,"start":3,"stop":null}`, "2:3=c 2:4=a := 1"},
		{`{"hist_access_type":"range","session":2,"start":-3,"stop":-1}`, "2:2=fmt.Println(\n) 2:3=c"},
		{`{"hist_access_type":"range","session":0,"start":1,"stop":3}`, "3:1=now"},
		{`{"hist_access_type":"range","session":99,"start":1,"stop":3}`, ""},
		{`{"hist_access_type":"range","session":-99,"start":1,"stop":3}`, ""},
		{`{"hist_access_type":"search","pattern":"a*"}`, "1:1=a := 1 2:1=a := 1 2:4=a := 1"},
		{`{"hist_access_type":"search","pattern":"a*","unique":true}`, "2:4=a := 1"},
		{`{"hist_access_type":"search","pattern":"a*","n":2}`, "2:1=a := 1 2:4=a := 1"},
		{`{"hist_access_type":"search","pattern":"f*)"}`, "2:2=fmt.Println(\n)"},
		{`{"hist_access_type":"search","pattern":"fmt.Println(?)"}`, "2:2=fmt.Println(\n)"},
		{`{"hist_access_type":"search","pattern":"?"}`, "1:2=b 2:3=c"},
		{`{"hist_access_type":"search","pattern":"[bc]"}`, ""},
		{`{"hist_access_type":"search","n":1}`, "3:3=later"},
	} {
		var q historyQuery
		if err := json.Unmarshal([]byte(test.query), &q); err != nil {
			t.Fatal(err)
		}
		found, err := h.find(q)
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
		}
		if got := brief(found); got != test.want {
			t.Errorf("%s:\ngot  %q\nwant %q", test.query, got, test.want)
		}
	}
	if _, err := h.find(historyQuery{AccessType: "all"}); err == nil || !strings.Contains(err.Error(), `"all"`) {
		t.Errorf("error %v, want one that names the access type", err)
	}
}

func TestHistoryOfKernelsSideBySide(t *testing.T) {
	dir := t.TempDir()
	a, b := newHistory(t, dir), newHistory(t, dir)
	for i := range 3 {
		a.add(past{Line: i + 1, In: fmt.Sprint("a", i+1)})
		b.add(past{Line: i + 1, In: fmt.Sprint("b", i+1)})
	}
	const want = "1:1=a1 1:2=a2 1:3=a3 2:1=b1 2:2=b2 2:3=b3"
	for _, h := range []*history{a, b, newHistory(t, dir)} {
		if got := brief(h.last(-1, func(past) bool { return true })); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	dir := t.TempDir()
	h := newHistory(t, dir)
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "1.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Fatalf("mode %v lets others read", info.Mode())
		}
		return info.Size()
	}
	big := strings.Repeat("x", maxHistoryCell-10)
	const cells = 3 * maxHistorySession / maxHistoryCell
	for i := range cells {
		h.add(past{Line: i + 1, In: fmt.Sprint(i, big)})
		if n := size(); n > maxHistorySession {
			t.Fatalf("%d bytes are kept", n)
		}
	}
	kept := h.cells(1)
	if n := len(kept); n < cells/8 || kept[n-1].Line != cells || kept[0].Line != cells-n+1 {
		t.Errorf("%d cells are kept, %d to %d, want the newest", n, kept[0].Line, kept[n-1].Line)
	}

	output := strings.Repeat("o", maxHistoryOutput+1)
	h.add(past{Line: 500, In: strings.Repeat("y", maxHistoryCell+1)})
	h.add(past{Line: 501, In: "z", Out: &output})
	h.add(past{Line: 502, In: " \n"})
	if slices.ContainsFunc(h.cells(1), func(c past) bool { return c.Line == 500 }) {
		t.Error("a cell of more than maxHistoryCell bytes is kept")
	}
	if last := h.last(1, func(past) bool { return true }); brief(last) != "1:501=z" || last[0].Out != nil {
		t.Errorf("last %+v", last)
	}
}

func TestHistoryForgetsTheOldestSessions(t *testing.T) {
	dir := t.TempDir()
	for i := range maxSessions + 5 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i+1, historySuffix)), []byte(`{"line":1,"in":"x"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := newHistory(t, dir)
	h.add(past{Line: 1, In: "new"})
	got := h.sessions()
	if len(got) != maxSessions || got[0] != maxSessions+6 || got[len(got)-1] != 7 {
		t.Errorf("%d sessions, %d to %d", len(got), got[len(got)-1], got[0])
	}

	dir = t.TempDir()
	for i := range 4 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i+1, historySuffix)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(dir, fmt.Sprint(i+1, historySuffix)), maxHistory/2); err != nil {
			t.Fatal(err)
		}
	}
	h = newHistory(t, dir)
	h.add(past{Line: 1, In: "new"})
	if got, want := h.sessions(), []int{5, 4, 3}; !slices.Equal(got, want) {
		t.Errorf("sessions %v, want %v", got, want)
	}
}

func TestHistoryOfDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"1.jsonl":     "{\"line\":1,\"in\":\"good\"}\nnonsense\n\xff\xfe\n[]\n{\"line\":\"2\",\"in\":\"x\"}\n\n{\"line\":3,\"in\":\"also good\"}\n{\"line\":4,\"in\":\"cut",
		"02.jsonl":    "{\"line\":1,\"in\":\"not ours\"}\n",
		"-3.jsonl":    "{\"line\":1,\"in\":\"not ours\"}\n",
		"0.jsonl":     "{\"line\":1,\"in\":\"not ours\"}\n",
		"notes.jsonl": "{\"line\":1,\"in\":\"not ours\"}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "7.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	h := newHistory(t, dir)
	h.add(past{Line: 1, In: "new"})
	if got, want := brief(h.last(-1, func(past) bool { return true })), "1:1=good 1:3=also good 8:1=new"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A folder that cannot be used costs the history and no cell.
func TestHistoryWithoutAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	h := &history{dir: filepath.Join(file, "history"), log: log.New(&text, "", 0)}
	h.add(past{Line: 1, In: "x"})
	h.add(past{Line: 2, In: "y"})
	if strings.Count(text.String(), "\n") != 1 || !strings.Contains(text.String(), file) {
		t.Errorf("the log has %q, want one line that names the folder", text.String())
	}
	for _, h := range []*history{h, {log: log.New(io.Discard, "", 0)}} {
		h.add(past{Line: 1, In: "x"})
		if found, err := h.find(historyQuery{AccessType: "range"}); err != nil || len(found) > 0 {
			t.Errorf("found %v, %v", found, err)
		}
	}
}

func TestHistoryIsKeptAcrossRestarts(t *testing.T) {
	dir := t.TempDir()
	cells := scripted{
		"value": func(context.Context, interp.Sink) (*display.Data, error) {
			return &display.Data{Data: map[string]any{"text/plain": "42"}}, nil
		},
		"fail": fail,
	}
	for restart := range 2 {
		k := listenKernel(t, Connection{Transport: "tcp", IP: "127.0.0.1", Key: "k"}, cells.session())
		k.history.dir = dir
		k.serve(t)
		c := k.connect(t)
		c.execute("value")
		c.execute("fail")
		c.ask(c.shell, "execute_request", executeJSON("not stored", `,"store_history":false`))
		c.ask(c.shell, "execute_request", executeJSON("silent", `,"silent":true`))
		reply, _ := c.ask(c.shell, "history_request", `{"hist_access_type":"tail","n":3,"output":true,"raw":true}`)
		if restart == 0 {
			wantBody(t, reply, `{"status":"ok","history":[[1,1,["value","42"]],[1,2,["fail",null]]]}`)
		} else {
			wantBody(t, reply, `{"status":"ok","history":[[1,2,["fail",null]],[2,1,["value","42"]],[2,2,["fail",null]]]}`)
			reply, _ = c.ask(c.shell, "history_request", `{"hist_access_type":"search","pattern":"f*","unique":true,"output":false}`)
			wantBody(t, reply, `{"status":"ok","history":[[2,2,"fail"]]}`)
		}
		c.ask(c.control, "shutdown_request", `{"restart":true}`)
		k.waitServed(t)
		k.history.file.Close()
	}
}
