package display

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

type markup string

type octets []byte

type broken struct{}

func (broken) MarshalJSON() ([]byte, error) { panic("no JSON") }
func (broken) String() string               { panic("no text") }

func TestEncode(t *testing.T) {
	tests := []struct {
		mimeType string
		value    any
		want     any // nil: a problem
	}{
		{"text/plain", "a", "a"},
		{"text/plain", "", ""},
		{"text/plain", []byte("a"), "a"},
		{"text/plain", 12, "12"},
		{"text/plain", nil, "<nil>"},
		{"text/plain", []int{1, 2}, "[1 2]"},
		{"text/html", markup("<b>"), "<b>"},
		{"text/html", octets("<b>"), "<b>"},
		{"text/html; charset=utf-8", []byte("é"), "é"},
		{"text/csv", []byte(nil), ""},
		{"image/svg+xml", []byte("<svg/>"), "<svg/>"},
		{"application/xml", []byte("<a/>"), "<a/>"},
		{"image/x+xml", []byte("<a/>"), "<a/>"},
		{"application/javascript", []byte("f()"), "f()"},

		{"application/json", "5", json.Number("5")},
		{"application/json", " [1, 1e400]\n", []any{json.Number("1"), json.Number("1e400")}},
		{"application/json", `"a"`, "a"},
		{"application/json", "null", nil},
		{"application/json", "{bad", "{bad"},
		{"application/json", []byte("{bad"), "{bad"},
		{"application/json", "", ""},
		{"application/json", "1 2", "1 2"},
		{"application/json", []byte(`{"a":[3]}`), map[string]any{"a": []any{json.Number("3")}}},
		{"application/json", json.RawMessage(`{"a":3}`), map[string]any{"a": json.Number("3")}},
		{"application/json", struct{ A []int }{[]int{1}}, map[string]any{"A": []any{json.Number("1")}}},
		{"application/json", true, true},
		{"application/vnd.x.v1+json", `{"k": "<&>"}`, map[string]any{"k": "<&>"}},
		{"application/json", math.NaN(), nil},
		{"application/json", func() {}, nil},
		// JSON that the notebook format does not know as such is a text there.
		{"application/json; charset=utf-8", []byte("[1]"), "[1]"},
		{"model/gltf+json", []byte("{}"), "{}"},
		{"text/json", map[string]int{"a": 1}, `{"a":1}`},

		{"image/png", []byte{0, 1, 0xff}, "AAH/"},
		{"image/png", "AAH/", "AAH/"},
		{"image/png", octets{0}, "AA=="},
		{"image/png", []byte(nil), ""},
		{"application/octet-stream", 5, "5"},
		{"application/octet-stream", []int{1, 2}, "[1,2]"},
		{"application/octet-stream", make(chan int), nil},
		{"application/json", broken{}, nil},
		{"text/plain", broken{}, nil},
	}
	for _, test := range tests {
		got, problems := Encode(Data{Data: MIMEMap{test.mimeType: test.value}})
		value, kept := got.Data[test.mimeType]
		isNull := test.value == "null"
		if !reflect.DeepEqual(value, test.want) || kept != (test.want != nil || isNull) || (len(problems) == 0) != kept {
			t.Errorf("%s %T %.40[2]v: %#v, kept %v, problems %q, want %#v", test.mimeType, test.value, value, kept, problems, test.want)
		}
	}
}

func TestEncodeProblems(t *testing.T) {
	type size struct {
		Width int `json:"width"`
	}
	given := Data{
		Data:      MIMEMap{"b/b": make(chan int), "application/json": math.Inf(1), "text/plain": "p"},
		Metadata:  MIMEMap{"image/png": size{3}, "text": "[1]", "z": func() {}},
		Transient: MIMEMap{"display_id": "d", "bad": func() {}},
	}
	got, problems := Encode(given)
	if want := (Data{
		Data:      MIMEMap{"text/plain": "p"},
		Metadata:  MIMEMap{"image/png": map[string]any{"width": json.Number("3")}, "text": "[1]"},
		Transient: MIMEMap{"display_id": "d"},
	}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if want := []string{
		"display: application/json left out: json: unsupported value: +Inf",
		"display: b/b left out: json: unsupported type: chan int",
		"display: metadata z left out: json: unsupported type: func()",
		"display: transient bad left out: json: unsupported type: func()",
	}; !reflect.DeepEqual(problems, want) {
		t.Errorf("problems %q, want %q", problems, want)
	}
	if len(given.Data) != 3 || len(given.Metadata) != 3 {
		t.Error("Encode wrote to what it was given")
	}

	empty, problems := Encode(Data{})
	if empty.Data == nil || empty.Metadata == nil || empty.Transient == nil || problems != nil {
		t.Errorf("of nothing: %v, %q, want empty maps", empty, problems)
	}
}
