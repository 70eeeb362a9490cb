package nb

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rlx-go/gopherscope/internal/display"
)

// imageTypes are the image types that every browser draws, best first, by the
// suffix of their files.
var imageTypes = []struct{ mime, suffixes string }{
	{"image/svg+xml", ".svg"},
	{"image/png", ".png"},
	{"image/jpeg", ".jpg .jpeg"},
	{"image/webp", ".webp"},
	{"image/gif", ".gif"},
}

// maxImageSize bounds an image file that goes into a page.
const maxImageSize = 16 << 20

var errRemote = errors.New("image on the network, not loaded")

var urlScheme = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*:|//)`)

// imageFile returns the function that reads images named by Markdown in a
// notebook of the folder dir, as data URIs.
func imageFile(dir string) func(string) (string, error) {
	return func(destination string) (string, error) {
		if strings.HasPrefix(destination, "data:image/") {
			return destination, nil
		}
		if urlScheme.MatchString(destination) {
			return "", errRemote
		}
		path, err := url.PathUnescape(destination)
		if err != nil {
			path = destination
		}
		mime := imageTypeOf(path)
		if mime == "" {
			return "", fmt.Errorf("not an image file: %s", path)
		}
		file := filepath.Join(dir, filepath.FromSlash(path))
		// Before opening, because opening a named pipe would wait for its writer.
		info, err := os.Stat(file)
		if err != nil {
			return "", fmt.Errorf("image not found: %s", path)
		}
		if !info.Mode().IsRegular() {
			return "", fmt.Errorf("image not readable: %s", path)
		}
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("image not readable: %s", path)
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, maxImageSize+1))
		if err != nil {
			return "", fmt.Errorf("image not readable: %s", path)
		}
		if len(data) > maxImageSize {
			return "", fmt.Errorf("image larger than %d MiB: %s", maxImageSize>>20, path)
		}
		return dataURI(mime, base64.StdEncoding.EncodeToString(data)), nil
	}
}

func imageTypeOf(path string) string {
	suffix := strings.ToLower(filepath.Ext(path))
	for _, t := range imageTypes {
		for s := range strings.FieldsSeq(t.suffixes) {
			if s == suffix {
				return t.mime
			}
		}
	}
	return ""
}

// attachedImage returns an image that a Markdown cell carries.
func attachedImage(attachments map[string]display.MIMEMap, name string) (string, error) {
	if unescaped, err := url.PathUnescape(name); err == nil {
		name = unescaped
	}
	if _, uri := bundledImage(attachments[name]); uri != "" {
		return uri, nil
	}
	return "", fmt.Errorf("no attachment: %s", name)
}

// bundledImage returns the best image of a MIME bundle as a data URI, and its
// type, or "" when there is none that can be shown.
func bundledImage(bundle display.MIMEMap) (mime, uri string) {
	for _, t := range imageTypes {
		s, ok := bundle[t.mime].(string)
		if !ok {
			continue
		}
		if display.IsText(t.mime) {
			s = base64.StdEncoding.EncodeToString([]byte(s))
		} else {
			s = strings.Join(strings.Fields(s), "")
			if _, err := base64.StdEncoding.DecodeString(s); err != nil || s == "" {
				continue
			}
		}
		return t.mime, dataURI(t.mime, s)
	}
	return "", ""
}

func dataURI(mime, base64 string) string { return "data:" + mime + ";base64," + base64 }
