// Package display is what cells import as "display": it makes rich values, one
// content in one or more MIME types, and finds how a Go value shows itself.
package display

// MIMEMap maps a MIME type (or a metadata key) to its value. Values are strings
// for text types, []byte for binary ones and any JSON value for JSON ones.
// It is an alias, so that a package can return one without importing this one.
type MIMEMap = map[string]any

// Data is one rich value: the same content in one or more MIME types. The
// field set is gophernotes' own, and the type is an unnamed struct as there, so
// that a package can return one without importing this one.
type Data = struct {
	Data      MIMEMap
	Metadata  MIMEMap
	Transient MIMEMap
}
