package charts

import (
	"bytes"
	"fmt"
	"html"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/rlx-go/gopherscope/internal/atomicfile"
)

// Save writes the figure to a file, in the format of its extension: .png; .svg,
// with its fonts; or .html, a page that needs no other file. The file appears
// whole or not at all.
func (f *Figure) Save(path string) error {
	content, err := f.encode(strings.ToLower(filepath.Ext(path)))
	if err == nil {
		err = atomicfile.Write(path, content)
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
