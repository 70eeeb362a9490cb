package weights

import (
	"fmt"
	"regexp"
	"strconv"
)

// A model that is split over several GGUF files has these entries in each, and in the
// first one all other metadata of the model. https://github.com/ggml-org/llama.cpp,
// tools/gguf-split.
const (
	splitPart    = "split.no"            // from 0
	splitCount   = "split.count"         // of parts
	splitTensors = "split.tensors.count" // in all parts together
)

// splitName is the name of a part, with its number from 1 and the number of parts.
var splitName = regexp.MustCompile(`(?s)^(.*)-([0-9]{5})-of-([0-9]{5})\.gguf$`)

// ggufRest opens the other parts of the model whose first part is at path. There are
// none if the model is not split, or if path is a later part: that one stands alone. It
// fails if the name of path is not the first part's, if a part is missing or belongs to
// another model, and if the parts together have more or fewer tensors than the first says.
func ggufRest(path string, first part, open func(path string) (part, error)) ([]part, error) {
	count, err := splitNumber(path, first, splitCount)
	if err != nil || count < 2 {
		return nil, err
	}
	number, err := splitNumber(path, first, splitPart)
	if err != nil || number > 0 {
		return nil, err
	}
	total, err := splitNumber(path, first, splitTensors)
	if err != nil {
		return nil, err
	}
	name := splitName.FindStringSubmatch(path)
	if want := fmt.Sprintf("%05d", count); name == nil || name[2] != "00001" || name[3] != want {
		return nil, &FormatError{File: path,
			Reason: fmt.Sprintf("it is the first of %d parts, but its name does not end in -00001-of-%s.gguf", count, want)}
	}
	parts := make([]part, 0, count-1)
	tensors := len(first.tensors)
	for i := 1; i < count; i++ {
		at := fmt.Sprintf("%s-%05d-of-%05d.gguf", name[1], i+1, count)
		p, err := open(at)
		if err != nil {
			return nil, err
		}
		if p.format != formatGGUF {
			return nil, &FormatError{File: at, Reason: "it is a " + p.format + " file, not a part of a GGUF model"}
		}
		for _, entry := range []struct {
			key  string
			want int
		}{{splitPart, i}, {splitCount, count}, {splitTensors, total}} {
			got, err := splitNumber(at, p, entry.key)
			if err != nil {
				return nil, err
			}
			if got != entry.want {
				return nil, &FormatError{File: at, Reason: fmt.Sprintf("%s is %d, but as part %d of %d of %s it must be %d",
					entry.key, got, i+1, count, path, entry.want)}
			}
		}
		parts = append(parts, p)
		tensors += len(p.tensors)
	}
	if tensors != total {
		return nil, &FormatError{File: path,
			Reason: fmt.Sprintf("%s is %d, but the %d parts have %d tensors", splitTensors, total, count, tensors)}
	}
	return parts, nil
}

// splitNumber returns an entry about the split, 0 if the part has no such entry.
func splitNumber(path string, p part, key string) (int, error) {
	text, given := p.metadata[key]
	if !given {
		if key != splitCount {
			return 0, &FormatError{File: path, Reason: "a part of a split model without " + key}
		}
		return 0, nil
	}
	n, _ := strconv.Atoi(text) // readGGUF has checked that it is a number
	return n, nil
}
