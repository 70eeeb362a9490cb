package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/internal/testreq"
)

// testPages returns a server of the page a.html and its notebook, in a folder
// that holds more.
func testPages(t *testing.T) *pageServer {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "out")
	for name, text := range map[string]string{
		"index.html": "the list", "a b.html": "the page", "a b.ipynb": "{}", "other.html": "of another run", "sub/c.html": "deeper",
		"../secret.html": "secret",
	} {
		write(t, filepath.Join(folder, name), text)
	}
	s, err := newPageServer(folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	s.names = []string{"index.html", "a b.html", "a b.ipynb"}
	return s
}

func TestServedPages(t *testing.T) {
	s := testPages(t)
	address := s.listener.Addr().(*net.TCPAddr)
	if !address.IP.IsLoopback() {
		t.Errorf("listens at %v", address)
	}
	host := address.String()
	for _, c := range []struct {
		method, target, host string
		status               int
		body                 string
	}{
		{"GET", "/", host, 200, "the list"},
		{"GET", "/index.html", host, 200, "the list"},
		{"GET", "/", fmt.Sprintf("localhost:%d", address.Port), 200, "the list"},
		{"GET", "/a%20b.html", host, 200, "the page"},
		{"GET", "/a%20b.ipynb?x=1", host, 200, "{}"},
		{"HEAD", "/", host, 200, ""},
		{"POST", "/", host, 405, ""},
		{"DELETE", "/a%20b.html", host, 405, ""},
		{"GET", "/other.html", host, 404, ""},
		{"GET", "/sub/c.html", host, 404, ""},
		{"GET", "/sub/", host, 404, ""},
		{"GET", "/../secret.html", host, 404, ""},
		{"GET", "/%2e%2e/secret.html", host, 404, ""},
		{"GET", "/..%2fsecret.html", host, 404, ""},
		{"GET", `/..%5csecret.html`, host, 404, ""},
		{"GET", "//index.html", host, 404, ""},
		{"GET", "/index.html/", host, 404, ""},
		{"GET", "/index.html%00", host, 404, ""},
		{"GET", "/", "example.com", 403, ""},
		{"GET", "/", fmt.Sprintf("example.com:%d", address.Port), 403, ""},
		{"GET", "/", "127.0.0.1", 403, ""},
		{"GET", "/", "127.0.0.1.example.com:" + fmt.Sprint(address.Port), 403, ""},
		{"GET", "/", "", 403, ""},
	} {
		r := httptest.NewRequest(c.method, "/", nil)
		r.Host = c.host
		var err error
		if r.URL, err = r.URL.Parse("http://x" + c.target); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.status || c.status == 200 && w.Body.String() != c.body {
			t.Errorf("%s %s of %q: status %d, %q; want %d, %q", c.method, c.target, c.host, w.Code, w.Body, c.status, c.body)
		}
		if strings.Contains(w.Body.String(), "secret\n") || strings.Contains(w.Body.String(), "deeper") {
			t.Errorf("%s shows what is not served", c.target)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "frame-ancestors 'none'", "Cross-Origin-Resource-Policy": "same-origin",
			"Access-Control-Allow-Origin": "",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", c.method, c.target, name, got, want)
			}
		}
	}
}

// A file that became a link out of the folder is not followed.
func TestServedPageReplacedByLink(t *testing.T) {
	s := testPages(t)
	page := filepath.Join(s.root.Name(), "a b.html")
	if err := os.Remove(page); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "secret.html"), page); err != nil {
		testreq.Skip(t, "no symbolic links: "+err.Error())
	}
	r := httptest.NewRequest("GET", "/a%20b.html", nil)
	r.Host = s.listener.Addr().String()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != 404 || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("status %d, %q", w.Code, w.Body)
	}
}

// serving is a run that serves its pages.
type serving struct {
	url  string
	stop func() (stdout, stderr string, status int)
}

func serveRun(t *testing.T, args ...string) serving {
	t.Helper()
	reader, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	status := make(chan int, 1)
	go func() {
		status <- execute(ctx, append([]string{"run", "--serve"}, args...), stdout, stderr)
		stdout.Close()
	}()
	var s serving
	var seen strings.Builder
	lines := bufio.NewReader(reader)
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)
	for s.url == "" {
		line, err := lines.ReadString('\n')
		seen.WriteString(line)
		s.url = address.FindString(line)
		if err != nil {
			t.Fatalf("no address: status %d, stdout %q, stderr %q", <-status, seen.String(), read(t, stderr.Name()))
		}
	}
	s.stop = func() (string, string, int) {
		cancel()
		code := <-status
		rest, _ := io.ReadAll(lines)
		reader.Close()
		stderr.Close()
		return seen.String() + string(rest), read(t, stderr.Name()), code
	}
	return s
}

func get(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 {
		t.Fatalf("%s: status %d, %v", url, answer.StatusCode, err)
	}
	return string(body)
}

func TestRunServe(t *testing.T) {
	t.Chdir(t.TempDir())
	writeNotebook(t, "a.ipynb", "6 * 7")
	s := serveRun(t, "--no-browser", "a.ipynb")
	if got := get(t, s.url); got != read(t, "out/index.html") {
		t.Errorf("the list is %.80q", got)
	}
	if got := get(t, s.url+"a.html"); !strings.Contains(got, "42") {
		t.Errorf("the page is %.80q", got)
	}
	if got := get(t, s.url+"a.ipynb"); got != read(t, "out/a.ipynb") {
		t.Errorf("the notebook is %.80q", got)
	}
	if stdout, stderr, status := s.stop(); status != 0 || strings.Contains(stderr, "gopherscope:") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	if answer, err := http.Get(s.url); err == nil {
		answer.Body.Close()
		t.Error("it still answers")
	}
}

// Pages that say what failed are served too, and the failure is the exit status.
func TestRunServeFailure(t *testing.T) {
	t.Chdir(t.TempDir())
	writeNotebook(t, "a.ipynb", `panic("at the disco")`)
	s := serveRun(t, "--no-browser", "a.ipynb")
	if got := get(t, s.url+"a.html"); !strings.Contains(got, "<strong>Failed at") {
		t.Error("the page does not say that it failed")
	}
	if _, stderr, status := s.stop(); status != 1 || !strings.HasSuffix(stderr, "gopherscope: 1 of 1 notebooks failed\n") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

func TestRunServeOpensBrowser(t *testing.T) {
	if runtime.GOOS == "windows" {
		testreq.Skip(t, "the browser's command cannot be replaced on Windows")
	}
	t.Chdir(t.TempDir())
	writeNotebook(t, "a.ipynb", "1")
	for _, name := range []string{"xdg-open", "open"} {
		write(t, filepath.Join("bin", name), "#!/bin/sh\necho \"$@\" > opened.part && mv opened.part opened\n")
		if err := os.Chmod(filepath.Join("bin", name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := filepath.Abs("bin")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	s := serveRun(t, "a.ipynb")
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat("opened"); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	s.stop()
	if got := read(t, "opened"); got != s.url+"\n" {
		t.Errorf("opened %q, want %q", got, s.url)
	}
}

// Without a browser the address is enough.
func TestRunServeNoBrowserFound(t *testing.T) {
	t.Chdir(t.TempDir())
	writeNotebook(t, "a.ipynb", "1")
	t.Setenv("PATH", t.TempDir())
	if runtime.GOOS == "windows" {
		testreq.Skip(t, "Windows always has the command that opens a browser")
	}
	s := serveRun(t, "a.ipynb")
	if got := get(t, s.url); !strings.Contains(got, "Title of a.ipynb") {
		t.Errorf("the list is %.80q", got)
	}
	if _, stderr, status := s.stop(); status != 0 || !strings.Contains(stderr, "no browser opened") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

func TestRunServeBadFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	writeNotebook(t, "a.ipynb", "1")
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := fmt.Sprint(taken.Addr().(*net.TCPAddr).Port)
	for args, want := range map[string]string{
		"--serve --port " + port: "cannot serve the pages: ",
		"--serve --port 70000":   "--port 70000: want 0 to 65535",
		"--serve --json":         "[json serve]",
		"--port 8080":            "--port and --no-browser are for --serve",
		"--no-browser":           "--port and --no-browser are for --serve",
	} {
		stdout, stderr, status := command(t, t.Context(), append([]string{"run"}, append(strings.Fields(args), "a.ipynb")...)...)
		if status == statusOK || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("run %s: status %d, stdout %q, stderr %q; want %q", args, status, stdout, stderr, want)
		}
	}
}
