package display

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"os"
	"strings"
)

// HTML is shown as part of the page.
func HTML(html string) Data { return MakeData(MIMETypeHTML, html) }

// JavaScript runs in notebooks that allow it.
func JavaScript(javascript string) Data { return MakeData(MIMETypeJavaScript, javascript) }

// JPEG is a picture, encoded.
func JPEG(jpeg []byte) Data { return MakeData(MIMETypeJPEG, jpeg) }

// JSON is a tree that some notebooks let a reader fold.
func JSON(json map[string]any) Data { return MakeData(MIMETypeJSON, json) }

// Latex is a formula in the line of text; dollar signs around it are optional.
func Latex(latex string) Data {
	return MakeData3(MIMETypeLatex, cut(latex), "$"+strings.Trim(latex, "$")+"$")
}

// Math is a formula on a line of its own; dollar signs around it are optional.
func Math(latex string) Data {
	return MakeData3(MIMETypeLatex, cut(latex), "$$"+strings.Trim(latex, "$")+"$$")
}

// Markdown is formatted text.
func Markdown(markdown string) Data { return MakeData(MIMETypeMarkdown, markdown) }

// PDF is a document, encoded.
func PDF(pdf []byte) Data { return MakeData(MIMETypePDF, pdf) }

// PNG is a picture, encoded.
func PNG(png []byte) Data { return MakeData(MIMETypePNG, png) }

// SVG is a picture as an svg element.
func SVG(svg string) Data { return MakeData(MIMETypeSVG, svg) }

// maxPixels is how large a picture may be: a decoded page takes four bytes a
// pixel, and an image.Uniform has more pixels than a memory.
const maxPixels = 64_000_000

// Image shows a picture as PNG, in its own size, and as a text that says so when
// it is empty or has more than 64 million pixels.
func Image(img image.Image) Data {
	b := img.Bounds()
	if b.Empty() {
		return MakeData(MIMETypeText, fmt.Sprintf("<image of %d x %d pixels: nothing to show>", b.Dx(), b.Dy()))
	}
	if b.Dx() > maxPixels/b.Dy() {
		return MakeData(MIMETypeText, fmt.Sprintf("<image of %d x %d pixels: too large to show, the limit is %d million pixels>", b.Dx(), b.Dy(), maxPixels/1_000_000))
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		panic(fmt.Errorf("display.Image: %w", err))
	}
	d := PNG(buf.Bytes())
	size := img.Bounds()
	d.Metadata = MIMEMap{MIMETypePNG: MIMEMap{"width": size.Dx(), "height": size.Dy()}}
	return d
}

// File shows the content of a file as the given MIME type; an empty type is
// detected from the content. It panics when the file cannot be read.
func File(mimeType string, path string) Data {
	content, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return Any(mimeType, content)
}

// Auto is Any with a detected MIME type.
func Auto(data any) Data { return Any("", data) }

// Any shows a value that shows itself, or a string, a []byte, an io.Reader or
// an io.WriterTo as content of the given MIME type. An empty type means plain
// text for a string and is detected for the others. Other values are shown as
// Text when the type is empty or plain text. It panics when the type is another,
// and on a read error.
func Any(mimeType string, data any) Data {
	if d, ok := Render(data, Methods(data)); ok {
		return d
	}
	var content []byte
	switch data := data.(type) {
	case string:
		if mimeType == "" {
			mimeType = MIMETypeText
		}
		return MakeData(mimeType, data)
	case []byte:
		content = data
	case io.Reader:
		var err error
		if content, err = io.ReadAll(data); err != nil {
			panic(err)
		}
	case io.WriterTo:
		var buf bytes.Buffer
		if _, err := data.WriteTo(&buf); err != nil {
			panic(err)
		}
		content = buf.Bytes()
	default:
		if mimeType == "" || mimeType == MIMETypeText {
			return MakeData(MIMETypeText, Text(data))
		}
		panic(fmt.Errorf("display.Any: a %T cannot be shown as %q", data, mimeType))
	}
	if mimeType == "" {
		mimeType, _, _ = strings.Cut(http.DetectContentType(content), ";")
	}
	if IsText(mimeType) {
		return MakeData(mimeType, string(content))
	}
	return MakeData(mimeType, content)
}

// MakeData is content of one MIME type, with a plain text for other readers: the
// beginning of it when it is long.
func MakeData(mimeType string, data any) Data {
	d := Data{Data: MIMEMap{mimeType: data}}
	if mimeType != MIMETypeText {
		d.Data[MIMETypeText] = plain(mimeType, data)
	}
	return d
}

// MakeData3 is content of one MIME type with the plain text to show beside it.
func MakeData3(mimeType string, plaintext string, data any) Data {
	return Data{Data: MIMEMap{MIMETypeText: plaintext, mimeType: data}}
}

// MIME is content in several MIME types, with metadata for some of them.
func MIME(data, metadata MIMEMap) Data { return Data{Data: data, Metadata: metadata} }

// plain is the text/plain beside content that has none.
func plain(mimeType string, data any) string {
	switch data := data.(type) {
	case string:
		return cut(data)
	case []byte:
		return fmt.Sprintf("<%s, %d bytes>", mimeType, len(data))
	}
	return Text(data)
}
