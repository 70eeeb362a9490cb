package charts

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg/vgsvg"
)

// Save writes the figure to a file, in the format of its extension: .png; .svg,
// with its fonts; or .html, a page that needs no other file. The file appears
// whole or not at all.
func (f *Figure) Save(path string) error {
	content, err := f.encode(strings.ToLower(filepath.Ext(path)))
	if err == nil {
		err = writeFile(path, content)
	}
	if err != nil {
		return fmt.Errorf("charts: save %s: %w", path, err)
	}
	return nil
}

func (f *Figure) encode(ext string) ([]byte, error) {
	switch ext {
	case ".png":
		return f.png, nil
	case ".svg":
		canvas := vgsvg.NewWith(vgsvg.UseWH(f.width(), f.height()), vgsvg.EmbedFonts(true))
		f.draw(canvas)
		var b bytes.Buffer
		_, err := canvas.WriteTo(&b)
		return b.Bytes(), err
	case ".html":
		return []byte(f.page()), nil
	}
	return nil, fmt.Errorf("the extension %q is not .png, .svg or .html", ext)
}

func (f *Figure) page() string {
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>` + html.EscapeString(f.title) + `</title>
<style>:root { color-scheme: light dark; } body { font-family: system-ui, sans-serif; margin: 24px; }</style>
</head>
<body>
` + f.html() + prelude() + "</body>\n</html>\n"
}

// writeFile writes a file under a temporary name and renames it.
func writeFile(path string, content []byte) (err error) {
	t, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(t.Name())
		}
	}()
	_, err = t.Write(content)
	if err == nil {
		err = t.Chmod(0o644) // CreateTemp makes it private
	}
	if closeErr := t.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(t.Name(), path)
}
