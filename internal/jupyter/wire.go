package jupyter

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// protocolVersion is the version of the messaging protocol the kernel speaks.
const protocolVersion = "5.4"

// rememberedSignatures is how many signatures are kept to refuse a message that
// is sent again.
const rememberedSignatures = 1 << 16

var (
	delimiter   = []byte("<IDS|MSG>")
	emptyObject = json.RawMessage("{}")
)

type header struct {
	MsgID    string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	MsgType  string `json:"msg_type"`
	Version  string `json:"version"`
}

// message is one message as received.
type message struct {
	// identities are the frames before the delimiter; a reply carries them.
	identities [][]byte
	msgType    string
	// header is the header as it came: the parent header of every answer.
	header   json.RawMessage
	parent   json.RawMessage
	metadata json.RawMessage
	content  json.RawMessage
}

// prefix is the beginning of a digest, which is enough to tell right ones apart.
type prefix [8]byte

// wire turns messages into signed frames and back. Safe for concurrent use.
type wire struct {
	key     []byte
	session string
	sent    atomic.Uint64

	mu     sync.Mutex
	seen   map[prefix]struct{}
	oldest []prefix // ring of what seen holds
	next   int
}

func newWire(key string) *wire {
	return &wire{
		key:     []byte(key),
		session: uuid.NewString(),
		seen:    map[prefix]struct{}{},
	}
}

// encode makes the frames of a message. A nil parent is the empty object.
func (w *wire) encode(identities [][]byte, msgType string, parent json.RawMessage, content any) ([][]byte, error) {
	return w.encodeAs(w.newID(), identities, msgType, parent, content)
}

func (w *wire) newID() string { return fmt.Sprintf("%s_%d", w.session, w.sent.Add(1)) }

// encodeAs is encode with an id from newID.
func (w *wire) encodeAs(id string, identities [][]byte, msgType string, parent json.RawMessage, content any) ([][]byte, error) {
	if parent == nil {
		parent = emptyObject
	}
	head, err := json.Marshal(header{
		MsgID:    id,
		Session:  w.session,
		Username: "gopherscope",
		Date:     time.Now().UTC().Format("2006-01-02T15:04:05.000000Z07:00"),
		MsgType:  msgType,
		Version:  protocolVersion,
	})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("content of %s: %w", msgType, err)
	}
	signed := [][]byte{head, parent, emptyObject, body}
	frames := append(slices.Clone(identities), delimiter, w.sign(signed))
	return append(frames, signed...), nil
}

// decode checks and reads the frames of a message. A message with an error is
// to be dropped; it says nothing about the ones after it.
func (w *wire) decode(frames [][]byte) (*message, error) {
	at := slices.IndexFunc(frames, func(f []byte) bool { return bytes.Equal(f, delimiter) })
	if at < 0 {
		return nil, errors.New("no delimiter frame")
	}
	identities, frames := frames[:at], frames[at+1:]
	// Signature, header, parent header, metadata, content; then buffers, which
	// no message the kernel understands has.
	if len(frames) < 5 {
		return nil, fmt.Errorf("%d frames after the delimiter, and a message has 5", len(frames))
	}
	signature, signed := frames[0], frames[1:5]
	if err := w.verify(signature, signed); err != nil {
		return nil, err
	}
	var head struct {
		MsgType string `json:"msg_type"`
	}
	if err := json.Unmarshal(signed[0], &head); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if head.MsgType == "" {
		return nil, errors.New("header has no msg_type")
	}
	return &message{
		identities: identities,
		msgType:    head.MsgType,
		header:     signed[0],
		parent:     signed[1],
		metadata:   signed[2],
		content:    signed[3],
	}, nil
}

// sign returns the signature frame: the hexadecimal HMAC-SHA256 over the four
// JSON frames, empty when there is no key.
func (w *wire) sign(signed [][]byte) []byte {
	if len(w.key) == 0 {
		return []byte{}
	}
	return hex.AppendEncode(nil, w.digest(signed))
}

func (w *wire) digest(signed [][]byte) []byte {
	mac := hmac.New(sha256.New, w.key)
	for _, frame := range signed {
		mac.Write(frame)
	}
	return mac.Sum(nil)
}

func (w *wire) verify(signature []byte, signed [][]byte) error {
	if len(w.key) == 0 {
		return nil
	}
	var digest [sha256.Size]byte
	if len(signature) != hex.EncodedLen(len(digest)) {
		return errors.New("no signature")
	}
	if _, err := hex.Decode(digest[:], signature); err != nil {
		return fmt.Errorf("signature: %w", err)
	}
	if !hmac.Equal(digest[:], w.digest(signed)) {
		return errors.New("wrong signature")
	}
	return w.remember(prefix(digest[:8]))
}

// remember refuses a signature that came before. It sees right signatures only,
// so that a stranger cannot push the kernel's memory out of it.
func (w *wire) remember(digest prefix) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, again := w.seen[digest]; again {
		return errors.New("message sent again")
	}
	w.seen[digest] = struct{}{}
	if len(w.oldest) < rememberedSignatures {
		w.oldest = append(w.oldest, digest)
		return nil
	}
	delete(w.seen, w.oldest[w.next])
	w.oldest[w.next] = digest
	w.next = (w.next + 1) % rememberedSignatures
	return nil
}
