package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

// The browser's process serves all tests, and ends with them.
var browser struct {
	sync.Mutex
	ctx   context.Context
	close func()
}

// tab returns the context of a new tab that calls listener with what happens in it.
func tab(t *testing.T, listener func(event any)) context.Context {
	t.Helper()
	browser.Lock()
	defer browser.Unlock()
	if browser.ctx == nil {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.ExecPath(find(t, "chromium", "google-chrome")),
			chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"))
		allocator, closeAllocator := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, closeBrowser := chromedp.NewContext(allocator)
		if err := chromedp.Do(ctx); err != nil {
			t.Fatal(err)
		}
		browser.ctx = ctx
		browser.close = func() {
			closeBrowser()
			closeAllocator()
		}
	}
	// The tab lives as long as the context of its first call, so that this one has
	// no time limit.
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithListener(listener))
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// A page is a tab and what it asked for and complained about.
type page struct {
	t   *testing.T
	ctx context.Context

	lock     sync.Mutex
	requests []string // addresses
	errors   []string // of the console
}

func newPage(t *testing.T) *page {
	t.Helper()
	p := &page{t: t}
	p.ctx = tab(t, p.note)
	call(p, network.Enable, network.EnableParams{})
	call(p, log.Enable, cdp.Empty{})
	return p
}

// call runs a command of the browser's protocol.
func call[P, R any](p *page, command cdp.Command[P, R], params P) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		p.t.Fatalf("%s: %v", command.Method, err)
	}
}

func (p *page) note(event any) {
	p.lock.Lock()
	defer p.lock.Unlock()
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, event.Request.URL)
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.ConsoleAPICalledTypeError {
			text, _ := json.Marshal(event.Args)
			p.errors = append(p.errors, string(text))
		}
	case *runtime.EventExceptionThrown:
		text := event.ExceptionDetails.Text
		if event.ExceptionDetails.Exception != nil {
			text += " " + event.ExceptionDetails.Exception.Description
		}
		p.errors = append(p.errors, text+" "+event.ExceptionDetails.URL)
	case *log.EventEntryAdded:
		if event.Entry.Level == log.EntryLevelError {
			p.errors = append(p.errors, event.Entry.Text+" "+event.Entry.URL)
		}
	}
}

// open shows an address, with what was set before.
func (p *page) open(address string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		p.t.Fatalf("%s: %v", address, err)
	}
}

// withoutScripts stops the scripts of the page; those of the test still run.
func (p *page) withoutScripts() {
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// offline lets every request fail, also those to this machine.
func (p *page) offline() {
	call(p, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Offline: true, DownloadThroughput: -1, UploadThroughput: -1}},
	})
}

// viewport sets the width and the height that the page has for itself.
func (p *page) viewport(width, height int64) {
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
}

// scheme makes the reader one who prefers "light" or "dark".
func (p *page) scheme(name string) {
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	})
}

// asked returns the requests that are not for this machine or for what the page
// itself holds, other than the allowed ones.
func (p *page) asked(allowed ...string) []string {
	p.lock.Lock()
	defer p.lock.Unlock()
	var outside []string
	for _, address := range p.requests {
		u, err := url.Parse(address)
		if err == nil && (u.Scheme == "about" || u.Scheme == "data" || u.Scheme == "blob" || u.Scheme == "file" || u.Hostname() == "127.0.0.1") {
			continue
		}
		if !slices.Contains(allowed, address) {
			outside = append(outside, address)
		}
	}
	return outside
}

// complained returns the errors of the console, other than those that name an
// allowed text.
func (p *page) complained(allowed ...string) []string {
	p.lock.Lock()
	defer p.lock.Unlock()
	return slices.DeleteFunc(slices.Clone(p.errors), func(text string) bool {
		return slices.ContainsFunc(allowed, func(a string) bool { return strings.Contains(text, a) })
	})
}

// quiet checks that the page asked for nothing outside and had no errors, other
// than for the allowed addresses.
func (p *page) quiet(allowed ...string) {
	p.t.Helper()
	if outside := p.asked(allowed...); len(outside) > 0 {
		p.t.Errorf("requests that leave this machine: %q", outside)
	}
	if errors := p.complained(allowed...); len(errors) > 0 {
		p.t.Errorf("%d errors in the console, first %.1000s", len(errors), errors[0])
	}
}

// screenshot returns all that the viewport shows. It is kept in a folder for
// people, if there is one.
func (p *page) screenshot(name string) image.Image {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if folder := os.Getenv("GOPHERSCOPE_SCREENSHOTS"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name+".png"), data, 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		p.t.Fatal(err)
	}
	return img
}

// evaluate returns the value of an expression of the page.
func evaluate[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%.300s: %v", expression, err)
	}
	return value
}

// await waits until an expression of the page is true.
func (p *page) await(what, expression string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if evaluate[bool](p, "Boolean("+expression+")") {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("no sign of %s; the page has\n%s", what, evaluate[string](p, "document.body.innerText"))
		}
	}
}

// quoted returns a JavaScript string.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprint(err)) // strings always marshal
	}
	return string(b)
}
