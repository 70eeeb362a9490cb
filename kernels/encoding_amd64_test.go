package kernels

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Instructions that Go's assembler does not know are written as bytes, with the
// instruction in a comment as the GNU assembler takes it, which must agree.
func TestEncodings(t *testing.T) {
	for _, tool := range []string{"as", "objcopy"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("GOPHERSCOPE_REQUIRE") == "all" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	files, err := filepath.Glob("*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no assembly found: %v", err)
	}
	oneByte := regexp.MustCompile(`BYTE \$0x([0-9A-Fa-f]{2})\b`)
	checked := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(source), "\n") {
			found := oneByte.FindAllStringSubmatch(line, -1)
			if found == nil {
				continue
			}
			var want []byte
			for _, f := range found {
				b, err := strconv.ParseUint(f[1], 16, 8)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, byte(b))
			}
			_, instruction, ok := strings.Cut(line, "//")
			if !ok {
				t.Errorf("%s:%d: bytes without the instruction in a comment", file, i+1)
				continue
			}
			if got := assemble(t, instruction); !bytes.Equal(got, want) {
				t.Errorf("%s:%d:%s is % x, not % x", file, i+1, instruction, got, want)
			}
			checked++
		}
	}
	if checked == 0 {
		t.Error("no bytes found")
	}
	t.Logf("%d encodings agree", checked)
}

// assemble returns the code of one instruction for amd64.
func assemble(t *testing.T, instruction string) []byte {
	dir := t.TempDir()
	object, code := filepath.Join(dir, "code.o"), filepath.Join(dir, "code")
	as := exec.Command("as", "--64", "-o", object)
	as.Stdin = strings.NewReader(instruction + "\n")
	for _, c := range []*exec.Cmd{as, exec.Command("objcopy", "-O", "binary", "-j", ".text", object, code)} {
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", instruction, err, out)
		}
	}
	got, err := os.ReadFile(code)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
