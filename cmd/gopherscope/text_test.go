package main

import (
	"strings"
	"testing"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "512": 512, "512B": 512, "2k": 2048, "2K": 2048, "2kB": 2000, "2KiB": 2048,
		"512MiB": 512 << 20, "512M": 512 << 20, "512MB": 512e6, "3.5GB": 3.5e9, "1.5 GiB": 3 << 29, "2T": 2 << 40,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "1e9", "GB", "1 XB", "0.5", "1..5M", "99999999999T", "1GB2", "nan"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("parseSize(%q) = %d", text, got)
		} else if !strings.Contains(err.Error(), "is not a size such as") {
			t.Errorf("parseSize(%q): %v", text, err)
		}
	}
}

func TestShortCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.00k", 999_500: "1.00M", 70_600_000_000: "70.6G"} {
		if got := shortCount(n); got != want {
			t.Errorf("shortCount(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		include, exclude []string
		name             string
		want             bool
	}{
		{nil, nil, "anything", true},
		{[]string{"*.mlp.*"}, nil, "model.layers.0.mlp.up.weight", true},
		{[]string{"mlp"}, nil, "model.layers.0.mlp.up.weight", false}, // the whole name
		{[]string{"a", "b*"}, nil, "bcd", true},
		{[]string{"*"}, []string{"*.bias"}, "x.bias", false},
		{nil, []string{"*.bias"}, "x.weight", true},
		{[]string{"layers.?.w"}, nil, "layers.1.w", true},
		{[]string{"layers.?.w"}, nil, "layers.10.w", false},
		{[]string{"layers.[0-3].w"}, nil, "layers.2.w", true},
		{[]string{"layers.[!0-3].w"}, nil, "layers.2.w", false},
		{[]string{"layers.[!0-3].w"}, nil, "layers.4.w", true},
		{[]string{"a.b"}, nil, "axb", false}, // a dot is a dot
		{[]string{"w[0]"}, nil, "w0", true},
		{[]string{"*größe"}, nil, "die größe", true},
		{[]string{"*"}, nil, "two\nlines", true},
		{[]string{"(a|b)+"}, nil, "(a|b)+", true},
		{[]string{"x[^]"}, nil, "x^", true},
	} {
		g, err := newGlobs(c.include, c.exclude)
		if err != nil {
			t.Errorf("%q %q: %v", c.include, c.exclude, err)
			continue
		}
		if got := g.match(c.name); got != c.want {
			t.Errorf("include %q, exclude %q: %q is %v, want %v", c.include, c.exclude, c.name, got, c.want)
		}
	}
	for _, bad := range []string{"", "a[", "a[]", "a[!]", "a[z-a]"} {
		if _, err := newGlobs([]string{bad}, nil); err == nil || !strings.Contains(err.Error(), "--include") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTextTable(t *testing.T) {
	table := textTable{columns: []textColumn{{"name", false}, {"bytes", true}, {"note", false}}}
	table.add("größe", "1", "")
	table.add("b", "12345678", "x")
	var b strings.Builder
	if err := table.print(&b); err != nil {
		t.Fatal(err)
	}
	const want = "name      bytes  note\ngröße         1\nb      12345678  x\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
