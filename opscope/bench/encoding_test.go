package bench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Instructions that Go's assembler does not know are written as numbers, with the
// instruction in a comment as the GNU assembler takes it, which must agree.
func TestEncodings(t *testing.T) {
	t.Run("amd64", func(t *testing.T) {
		source := readSource(t, "loops_avx512_amd64.s")
		var want []byte
		var instructions []string
		for _, line := range regexp.MustCompile(`(?m)^.*BYTE .*$`).FindAllString(source, -1) {
			code, comment, _ := strings.Cut(line, "//")
			for _, b := range regexp.MustCompile(`BYTE \$0x(..)`).FindAllStringSubmatch(code, -1) {
				want = append(want, byte(number(t, b[1], 16)))
			}
			instructions = append(instructions, comment)
		}
		sameCode(t, []string{"as", "--64"}, "objcopy", instructions, want)
	})
	t.Run("arm64", func(t *testing.T) {
		source := readSource(t, "loops_arm64.s")
		var want []byte
		var instructions []string
		// Each macro, and each use of it with numbers of registers.
		for _, macro := range regexp.MustCompile(`#define (\w+)\((m, )?n, d\) WORD \$\(0x(\w+) .*// (.*)`).FindAllStringSubmatch(source, -1) {
			for _, use := range regexp.MustCompile(`\t`+macro[1]+`\((?:(\d+), )?(\d+), (\d+)\)`).FindAllStringSubmatch(source, -1) {
				m, n, d := number(t, "0"+use[1], 10), number(t, use[2], 10), number(t, use[3], 10)
				want = binary.LittleEndian.AppendUint32(want, uint32(number(t, macro[3], 16)|m<<16|n<<5|d))
				instructions = append(instructions, strings.NewReplacer("vd.", fmt.Sprintf("v%d.", d), "vn.", fmt.Sprintf("v%d.", n), "vm.", fmt.Sprintf("v%d.", m)).Replace(macro[4]))
			}
		}
		sameCode(t, []string{"aarch64-linux-gnu-as", "-march=armv8.6-a"}, "aarch64-linux-gnu-objcopy", instructions, want)
	})
}

func readSource(t *testing.T, file string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

func number(t *testing.T, digits string, base int) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// sameCode fails unless the assembler makes want of the instructions.
func sameCode(t *testing.T, assembler []string, objcopy string, instructions []string, want []byte) {
	t.Helper()
	if len(instructions) == 0 {
		t.Fatal("no instructions found")
	}
	dir := t.TempDir()
	object, code := filepath.Join(dir, "code.o"), filepath.Join(dir, "code")
	as := exec.Command(assembler[0], append(assembler[1:], "-o", object)...)
	as.Stdin = strings.NewReader(strings.Join(instructions, "\n") + "\n")
	for _, c := range []*exec.Cmd{as, exec.Command(objcopy, "-O", "binary", "-j", ".text", object, code)} {
		if _, err := exec.LookPath(c.Path); err != nil {
			if os.Getenv("GOPHERSCOPE_REQUIRE") == "all" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", c.Args, err, out)
		}
	}
	got, err := os.ReadFile(code)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the assembler makes\n% x of\n%s\nnot\n% x", got, strings.Join(instructions, "\n"), want)
	}
	t.Logf("%d encodings agree", len(instructions))
}
