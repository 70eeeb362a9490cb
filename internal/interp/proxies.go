package interp

import (
	"reflect"

	"github.com/rlx-go/gopherscope/internal/display"
)

// The interfaces of package display for values of the types of cells: gomacro
// fills a struct with the methods of a value. The names of the fields, and that
// the value comes first, are its own.
type (
	htmlProxy struct {
		Object any
		HTML_  func(any) string
	}
	javaScriptProxy struct {
		Object      any
		JavaScript_ func(any) string
	}
	jpegProxy struct {
		Object any
		JPEG_  func(any) []byte
	}
	jsonProxy struct {
		Object any
		JSON_  func(any) map[string]any
	}
	latexProxy struct {
		Object any
		Latex_ func(any) string
	}
	markdownProxy struct {
		Object    any
		Markdown_ func(any) string
	}
	pngProxy struct {
		Object any
		PNG_   func(any) []byte
	}
	pdfProxy struct {
		Object any
		PDF_   func(any) []byte
	}
	svgProxy struct {
		Object any
		SVG_   func(any) string
	}
	rendererProxy struct {
		Object  any
		Render_ func(any) display.Data
	}
	simpleRendererProxy struct {
		Object        any
		SimpleRender_ func(any) display.MIMEMap
	}
)

func (p *htmlProxy) HTML() string                            { return p.HTML_(p.Object) }
func (p *javaScriptProxy) JavaScript() string                { return p.JavaScript_(p.Object) }
func (p *jpegProxy) JPEG() []byte                            { return p.JPEG_(p.Object) }
func (p *jsonProxy) JSON() map[string]any                    { return p.JSON_(p.Object) }
func (p *latexProxy) Latex() string                          { return p.Latex_(p.Object) }
func (p *markdownProxy) Markdown() string                    { return p.Markdown_(p.Object) }
func (p *pngProxy) PNG() []byte                              { return p.PNG_(p.Object) }
func (p *pdfProxy) PDF() []byte                              { return p.PDF_(p.Object) }
func (p *svgProxy) SVG() string                              { return p.SVG_(p.Object) }
func (p *rendererProxy) Render() display.Data                { return p.Render_(p.Object) }
func (p *simpleRendererProxy) SimpleRender() display.MIMEMap { return p.SimpleRender_(p.Object) }

var displayProxies = map[string]reflect.Type{
	"HTMLer":         reflect.TypeFor[htmlProxy](),
	"JavaScripter":   reflect.TypeFor[javaScriptProxy](),
	"JPEGer":         reflect.TypeFor[jpegProxy](),
	"JSONer":         reflect.TypeFor[jsonProxy](),
	"Latexer":        reflect.TypeFor[latexProxy](),
	"Markdowner":     reflect.TypeFor[markdownProxy](),
	"PNGer":          reflect.TypeFor[pngProxy](),
	"PDFer":          reflect.TypeFor[pdfProxy](),
	"SVGer":          reflect.TypeFor[svgProxy](),
	"Renderer":       reflect.TypeFor[rendererProxy](),
	"SimpleRenderer": reflect.TypeFor[simpleRendererProxy](),
}
