package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// show serves the pages until the context ends, in the browser if there is one.
func (r *notebookRun) show(ctx context.Context, server *pageServer) error {
	r.stdout.printf("%s shows them; Ctrl-C ends that\n", server.url())
	if !r.noBrowser {
		r.openBrowser(server.url())
	}
	return server.serve(ctx)
}

// openBrowser does not wait for the browser, and says so when none opens.
func (r *notebookRun) openBrowser(url string) {
	failed := func(err error) {
		fmt.Fprintf(r.stderr, "gopherscope: no browser opened (%s); open the address yourself\n", printable(err.Error()))
	}
	browser := browserCommand(url)
	if err := browser.Start(); err != nil {
		failed(err)
		return
	}
	go func() {
		if err := browser.Wait(); err != nil {
			failed(err)
		}
	}()
}

// pageServer shows the files of a run to browsers of this machine. It listens
// from the start, so that a port that is taken is known before anything runs.
type pageServer struct {
	listener net.Listener
	root     *os.Root // the output folder
	names    []string // the files in it that this run wrote
}

func newPageServer(folder string, port int) (*pageServer, error) {
	listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("cannot serve the pages: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return &pageServer{listener: listener, root: root}, nil
}

func (s *pageServer) close() {
	s.listener.Close()
	s.root.Close()
}

func (s *pageServer) url() string { return "http://" + s.listener.Addr().String() + "/" }

// serve answers until the context ends.
func (s *pageServer) serve(ctx context.Context) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("cannot serve the pages: %w", err)
	case <-ctx.Done():
		return server.Close()
	}
}

// ServeHTTP serves index.html, also as the root, and the notebooks and pages of
// this run, and nothing else that the folder holds.
func (s *pageServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-store") // another run may get the same port
	header.Set("Content-Security-Policy", "frame-ancestors 'none'")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")

	// A page elsewhere can make its own name mean 127.0.0.1 and so read what
	// answers there; the browser then says that name.
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	if r.Host != "127.0.0.1:"+port && r.Host != "localhost:"+port {
		http.Error(w, "this server answers as "+s.url()+" only", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are answered", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	if !slices.Contains(s.names, name) {
		http.NotFound(w, r)
		return
	}
	file, err := s.root.Open(name)
	if err != nil {
		http.NotFound(w, r) // removed since
		return
	}
	defer file.Close()
	if path.Ext(name) == ".ipynb" {
		header.Set("Content-Type", "application/x-ipynb+json")
		header.Set("Content-Disposition", "attachment")
	} else {
		header.Set("Content-Type", "text/html; charset=utf-8")
	}
	http.ServeContent(w, r, "", time.Time{}, file)
}
