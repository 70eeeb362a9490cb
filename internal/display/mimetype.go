package display

import "strings"

// MIME types that notebooks show.
const (
	MIMETypeHTML       = "text/html"
	MIMETypeJavaScript = "application/javascript"
	MIMETypeJPEG       = "image/jpeg"
	MIMETypeJSON       = "application/json"
	MIMETypeLatex      = "text/latex"
	MIMETypeMarkdown   = "text/markdown"
	MIMETypePNG        = "image/png"
	MIMETypePDF        = "application/pdf"
	MIMETypeSVG        = "image/svg+xml"
	MIMETypeText       = "text/plain"
)

// IsJSON tells whether a notebook holds content of a MIME type as a JSON value
// rather than a string, by the pattern of nbformat's schema.
func IsJSON(mimeType string) bool {
	return mimeType == MIMETypeJSON || strings.HasPrefix(mimeType, "application/") && strings.HasSuffix(mimeType, "+json")
}

// IsText tells whether content of a MIME type is text, XML and JSON included.
func IsText(mimeType string) bool {
	base := baseType(mimeType)
	return strings.HasPrefix(base, "text/") || base == MIMETypeJavaScript || hasSyntax(base, "xml") || hasSyntax(base, "json")
}

// baseType is a MIME type without parameters.
func baseType(mimeType string) string {
	base, _, _ := strings.Cut(mimeType, ";")
	return strings.ToLower(strings.TrimSpace(base))
}

// hasSyntax tells whether a type or its suffix is the given one (RFC 6839).
func hasSyntax(base, syntax string) bool {
	return strings.HasSuffix(base, "/"+syntax) || strings.HasSuffix(base, "+"+syntax)
}
