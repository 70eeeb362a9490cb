package interp

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// corpus reads the cells of testdata/cells. A file has one topic; each of its
// parts is a cell, and the part of the same name in the file's .want what the go
// command prints when it runs the cell as a program.
func corpus(t *testing.T, visit func(topic, name, cell, want string)) {
	files, err := filepath.Glob("testdata/cells/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	for _, file := range files {
		cells, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		wanted, err := txtar.ParseFile(strings.TrimSuffix(file, "txtar") + "want")
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, f := range wanted.Files {
			want[f.Name] = string(f.Data)
		}
		topic := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, f := range cells.Files {
			visit(topic, f.Name, string(f.Data), want[f.Name])
		}
	}
}

var packageUse = regexp.MustCompile(`\b([a-z][a-z0-9]*)\.[A-Z]`)

// importsOf are the packages that a cell uses by their last element.
func importsOf(cell string) string {
	paths := map[string]string{
		"ast": "go/ast", "atomic": "sync/atomic", "base64": "encoding/base64", "big": "math/big", "binary": "encoding/binary", "bits": "math/bits",
		"cmplx": "math/cmplx", "crc32": "hash/crc32", "csv": "encoding/csv", "filepath": "path/filepath", "fs": "io/fs", "fstest": "testing/fstest",
		"gzip": "compress/gzip", "heap": "container/heap", "hex": "encoding/hex", "http": "net/http", "httptest": "net/http/httptest",
		"json": "encoding/json", "list": "container/list", "parser": "go/parser", "rand": "math/rand", "ring": "container/ring",
		"sha256": "crypto/sha256", "tabwriter": "text/tabwriter", "template": "text/template", "url": "net/url", "utf8": "unicode/utf8",
	}
	for _, same := range strings.Fields("bufio bytes context errors fmt io log math os reflect regexp sort strconv strings sync time unicode") {
		paths[same] = same
	}
	var lines []string
	for _, use := range packageUse.FindAllStringSubmatch(cell, -1) {
		if path := paths[use[1]]; path != "" && !slices.Contains(lines, fmt.Sprintf("import %q", path)) {
			lines = append(lines, fmt.Sprintf("import %q", path))
		}
	}
	return strings.Join(lines, "; ")
}

func TestCorpus(t *testing.T) {
	count := 0
	corpus(t, func(topic, name, cell, want string) {
		count++
		t.Run(topic+"/"+name, func(t *testing.T) {
			s := open(t)
			if line := importsOf(cell); line != "" {
				run(t, s, line)
			}
			o := runCell(s, "cell", strings.TrimRight(cell, "\n")+";")
			if o.err != nil {
				t.Fatalf("%s\n%s", cell, traceback(o.err))
			}
			if got := o.text("stdout"); got != want || o.text("stderr") != "" {
				t.Errorf("%s\nprinted\n%s%s\nwant\n%s", cell, got, o.text("stderr"), want)
			}
		})
	})
	if count < 150 {
		t.Errorf("the corpus has %d cells", count)
	}
}
