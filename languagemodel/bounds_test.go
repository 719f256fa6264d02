package languagemodel

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// endless repeats a text and counts what is read of it.
type endless struct {
	text string
	read int
}

// Read implements io.Reader.
func (e *endless) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = e.text[e.read%len(e.text)]
		e.read++
	}
	return len(into), nil
}

// What is kept of a stream that does not end stays near the bound: one line, one event, or the text.
func TestOneEventIsBounded(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	for name, text := range map[string]string{
		"a line":   "data: x",
		"an event": "data: " + strings.Repeat("x", 1000) + "\n",
		"the text": "data: {\"choices\":[{\"delta\":{\"content\":\"" + strings.Repeat("x", 1000) + "\"}}]}\n\n",
	} {
		source, got := &endless{text: text}, reply{}
		err := got.readStream(source, most)
		if !errors.Is(err, errTooLarge) || source.read > most+most/4 {
			t.Errorf("%s: %v after %d bytes", name, err, source.read)
		}
	}
}

// The bound is exact: its last byte is read, the next one is too large.
func TestTheBoundIsExact(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		bytes int
		want  error
	}{{99, nil}, {100, nil}, {101, errTooLarge}, {1000, errTooLarge}} {
		text, err := io.ReadAll(&boundedReader{&withEOF{strings.Repeat("x", tc.bytes)}, 100})
		if !errors.Is(err, tc.want) || len(text) > 100 {
			t.Errorf("%d bytes: %d read (%v)", tc.bytes, len(text), err)
		}
	}
}

// withEOF returns the end together with the last bytes, as bodies of HTTP do.
type withEOF struct{ text string }

// Read implements io.Reader.
func (w *withEOF) Read(into []byte) (int, error) {
	n := copy(into, w.text)
	if w.text = w.text[n:]; w.text == "" {
		return n, io.EOF
	}
	return n, nil
}

// With TLS the proxy of the environment is used. Without, it would hide the address from the check.
func TestProxies(t *testing.T) {
	t.Parallel()
	if newTransport(false).Proxy == nil || newTransport(true).Proxy != nil {
		t.Error("the proxy is used without TLS, or not with TLS")
	}
	given := &http.Client{Transport: http.DefaultTransport}
	kept, is := newHTTPClient(given, false).Transport.(withoutRedirects)
	if !is || kept.next == http.DefaultTransport || given.Transport != http.DefaultTransport {
		t.Error("the given client was changed, or used without the bounds")
	}
}
