package nb

import "strings"

// isJSON tells whether a MIME type holds a JSON value in a notebook rather than
// a text, by the pattern of nbformat's schema.
func isJSON(mime string) bool {
	return mime == "application/json" || strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")
}

// isText tells whether a MIME type holds a text that nbformat writes as a list
// of lines. What is neither this nor JSON is written as one string.
func isText(mime string) bool {
	return strings.HasPrefix(mime, "text/") || mime == "application/javascript" || mime == "image/svg+xml"
}
