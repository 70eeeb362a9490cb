package display

import (
	"image"
	"image/color"
	"maps"
	"reflect"
)

// The interfaces by which a value shows itself, with gophernotes' names. They
// are aliases, as there: a type implements one without importing this package.
type (
	// Renderer gives everything at once.
	Renderer = interface{ Render() Data }
	// SimpleRenderer gives one content in several MIME types.
	SimpleRenderer = interface{ SimpleRender() MIMEMap }

	HTMLer       = interface{ HTML() string }
	JavaScripter = interface{ JavaScript() string }
	JPEGer       = interface{ JPEG() []byte }
	JSONer       = interface{ JSON() map[string]any }
	Latexer      = interface{ Latex() string }
	Markdowner   = interface{ Markdown() string }
	PNGer        = interface{ PNG() []byte }
	PDFer        = interface{ PDF() []byte }
	SVGer        = interface{ SVG() string }
)

// Lookup returns a method of one value by its name, as a func value bound to
// it, or nil when there is none. Methods looks in compiled types; the
// interpreter has its own for the types of cells.
type Lookup func(name string) any

// Methods finds the methods of a compiled value. A nil pointer has none, since
// most methods would panic on it.
func Methods(v any) Lookup {
	if isNil(v) {
		return func(string) any { return nil }
	}
	rv := reflect.ValueOf(v)
	return func(name string) any {
		if m := rv.MethodByName(name); m.IsValid() {
			return m.Interface()
		}
		return nil
	}
}

func isNil(v any) bool {
	rv := reflect.ValueOf(v)
	return !rv.IsValid() || rv.Kind() == reflect.Pointer && rv.IsNil()
}

// formats are the methods that each give one MIME type.
var formats = []struct{ method, mimeType string }{
	{"HTML", MIMETypeHTML},
	{"JavaScript", MIMETypeJavaScript},
	{"JPEG", MIMETypeJPEG},
	{"JSON", MIMETypeJSON},
	{"Latex", MIMETypeLatex},
	{"Markdown", MIMETypeMarkdown},
	{"PNG", MIMETypePNG},
	{"PDF", MIMETypePDF},
	{"SVG", MIMETypeSVG},
}

// Render asks a value to show itself. It knows a Data, MIMEBundle() (with an
// optional MIMEMetadata()), the methods of Renderer, SimpleRenderer and the
// other interfaces above, and image.Image; it reports false for other values.
// The result always has a text/plain.
func Render(v any, method Lookup) (Data, bool) {
	d, ok := v.(Data)
	if !ok {
		d, ok = byMethods(v, method)
	}
	if !ok || len(d.Data) == 0 {
		return Data{}, false
	}
	if _, has := d.Data[MIMETypeText]; !has {
		// The map may belong to the value: it is copied, not written to.
		d.Data = maps.Clone(d.Data)
		d.Data[MIMETypeText] = TextOf(v, method)
	}
	return d, true
}

func byMethods(v any, method Lookup) (Data, bool) {
	if bundle, ok := method("MIMEBundle").(func() map[string]any); ok {
		d := Data{Data: bundle()}
		if metadata, ok := method("MIMEMetadata").(func() map[string]any); ok {
			d.Metadata = metadata()
		}
		return d, true
	}
	if render, ok := method("Render").(func() Data); ok {
		return render(), true
	}
	d := Data{Data: MIMEMap{}}
	if simple, ok := method("SimpleRender").(func() MIMEMap); ok {
		maps.Copy(d.Data, simple())
	}
	for _, f := range formats {
		switch get := method(f.method).(type) {
		case func() string:
			d.Data[f.mimeType] = get()
		case func() []byte:
			d.Data[f.mimeType] = get()
		case func() map[string]any:
			d.Data[f.mimeType] = get()
		}
	}
	if len(d.Data) > 0 {
		return d, true
	}
	if img, ok := asImage(v, method); ok {
		return Image(img), true
	}
	return Data{}, false
}

// Prelude returns what a value needs once a page, before its own output.
func Prelude(method Lookup) (id, html string, ok bool) {
	prelude, ok := method("MIMEPrelude").(func() (string, string))
	if !ok {
		return "", "", false
	}
	id, html = prelude()
	return id, html, true
}

// methodImage is an image.Image whose methods were found by name.
type methodImage struct {
	model  func() color.Model
	bounds func() image.Rectangle
	at     func(x, y int) color.Color
}

func (m methodImage) ColorModel() color.Model { return m.model() }
func (m methodImage) Bounds() image.Rectangle { return m.bounds() }
func (m methodImage) At(x, y int) color.Color { return m.at(x, y) }

func asImage(v any, method Lookup) (image.Image, bool) {
	if img, ok := v.(image.Image); ok && method("Bounds") != nil {
		return img, true
	}
	var m methodImage
	var okModel, okBounds, okAt bool
	m.model, okModel = method("ColorModel").(func() color.Model)
	m.bounds, okBounds = method("Bounds").(func() image.Rectangle)
	m.at, okAt = method("At").(func(x, y int) color.Color)
	return m, okModel && okBounds && okAt
}
