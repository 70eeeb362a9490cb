// Package asmcheck checks the assembly of the whole module.
package asmcheck

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/testreq"
)

// An encoding is an instruction as the GNU assembler takes it and the code that stands
// for it in a source file.
type encoding struct {
	place, instruction string
	code               []byte
}

// Go's assembler does not know every instruction. The others are written as BYTE or
// WORD, with the instruction in a comment at the end of the line, which must agree.
func TestEncodings(t *testing.T) {
	found := map[string][]encoding{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".s" && filepath.Ext(path) != ".h" {
			return err
		}
		source, err := os.ReadFile(path)
		for i, line := range strings.Split(string(source), "\n") {
			code, comment, _ := strings.Cut(line, "//")
			place := fmt.Sprintf("%s:%d", path, i+1)
			switch {
			case strings.Contains(code, "BYTE $"):
				found["x86_64"] = append(found["x86_64"], bytesOf(t, place, code, comment))
			case strings.Contains(code, "WORD $"):
				found["aarch64"] = append(found["aarch64"], wordsOf(t, place, code, comment)...)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for arch, option := range map[string]string{"x86_64": "--64", "aarch64": "-march=armv8.6-a"} {
		t.Run(arch, func(t *testing.T) {
			if len(found[arch]) == 0 {
				t.Fatal("none found")
			}
			check(t, found[arch], arch+"-linux-gnu-as", option)
		})
	}
}

var oneByte = regexp.MustCompile(`BYTE \$(\w+)`)

// bytesOf returns the instruction of a line of BYTE directives.
func bytesOf(t *testing.T, place, code, comment string) encoding {
	e := encoding{place: place, instruction: comment}
	for _, b := range oneByte.FindAllStringSubmatch(code, -1) {
		value, err := strconv.ParseUint(b[1], 0, 8)
		if err != nil {
			t.Fatalf("%s: %v", place, err)
		}
		e.code = append(e.code, byte(value))
	}
	return e
}

var (
	oneWord   = regexp.MustCompile(`WORD \$(.+?)\s*$`)
	parameter = regexp.MustCompile(`^#define \w+\(([\w, ]*)\)`)
)

// wordsOf returns the instructions of a WORD directive: several if it is a macro, whose
// parameters are one letter each, m, n or d for a register, l for a lane of four. In
// the comment, vm is a register and [l] a lane.
func wordsOf(t *testing.T, place, code, comment string) []encoding {
	word := oneWord.FindStringSubmatch(code)
	if word == nil {
		t.Fatalf("%s: a WORD that is not alone", place)
	}
	var parameters []string
	if p := parameter.FindStringSubmatch(code); p != nil {
		parameters = strings.Split(p[1], ", ")
	}
	var all []encoding
	// Every parameter alone has all its bits, then each of them has some.
	for one := range len(parameters) + 1 {
		expression, instruction := word[1], comment
		for i, p := range parameters {
			value := (7*i + 5) % 32
			if one < len(parameters) {
				value = 0
				if i == one {
					value = 31
				}
			}
			if p == "l" {
				value %= 4
			}
			expression = replace(expression, `\b`+p+`\b`, strconv.Itoa(value))
			instruction = replace(instruction, `\b([vsdq])`+p+`\b`, "${1}"+strconv.Itoa(value))
			instruction = replace(instruction, `\[`+p+`\]`, fmt.Sprintf("[%d]", value))
		}
		result, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expression)
		if err != nil {
			t.Fatalf("%s: %v", place, err)
		}
		value, ok := constant.Uint64Val(result.Value)
		if !ok || value>>32 != 0 {
			t.Fatalf("%s: %s is not a word", place, expression)
		}
		all = append(all, encoding{place, instruction, binary.LittleEndian.AppendUint32(nil, uint32(value))})
	}
	return all
}

func replace(s, pattern, by string) string {
	return regexp.MustCompile(pattern).ReplaceAllString(s, by)
}

// check assembles the instructions and compares their code.
func check(t *testing.T, encodings []encoding, assembler, option string) {
	if _, err := exec.LookPath(assembler); err != nil {
		testreq.Skip(t, err.Error())
	}
	var source strings.Builder
	for _, e := range encodings {
		if strings.TrimSpace(e.instruction) == "" {
			t.Fatalf("%s: code without the instruction in a comment", e.place)
		}
		fmt.Fprintln(&source, e.instruction)
	}
	object := filepath.Join(t.TempDir(), "code.o")
	as := exec.Command(assembler, option, "-o", object)
	as.Stdin = strings.NewReader(source.String())
	if out, err := as.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s\nof\n%s", assembler, err, out, source.String())
	}
	file, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, err := file.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range encodings {
		// Lengths are the same until the first difference.
		if !bytes.HasPrefix(got, e.code) {
			t.Fatalf("%s: %s is % x, not % x", e.place, e.instruction, got[:min(len(got), len(e.code))], e.code)
		}
		got = got[len(e.code):]
	}
	if len(got) != 0 {
		t.Fatalf("% x is left", got)
	}
	t.Logf("%d encodings agree", len(encodings))
}
