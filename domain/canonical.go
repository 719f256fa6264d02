package domain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// CanonicalJSON encodes a value in the canonical form that is hashed: RFC 8785, except that
// integers keep all digits. Members are sorted by name, escapes are used only where required, and
// each number has one spelling.
func CanonicalJSON(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return rewrite(buffer.Bytes()) // the encoder's output is valid
}

// Canonicalise rewrites JSON text in canonical form. It returns an error if the text is not exactly
// one JSON value, repeats a member name, or is nested deeper than 200 levels.
func Canonicalise(text []byte) ([]byte, error) {
	if !json.Valid(text) {
		return nil, errors.New("canonical JSON: the text is not one JSON value")
	}
	return rewrite(text)
}

// rewrite converts valid JSON to canonical form.
func rewrite(text []byte) ([]byte, error) {
	writer := canonicalWriter{in: text, out: make([]byte, 0, len(text))}
	if err := writer.value(0); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return writer.out, nil
}

// canonicalWriter rewrites text that is known to be valid JSON, so it does not check the syntax.
type canonicalWriter struct {
	in  []byte
	at  int
	out []byte
}

func (w *canonicalWriter) space() {
	for w.at < len(w.in) {
		switch w.in[w.at] {
		case ' ', '\t', '\n', '\r':
			w.at++
		default:
			return
		}
	}
}

func (w *canonicalWriter) value(depth int) error {
	if depth > 200 {
		return errors.New("nested too deeply")
	}
	w.space()
	switch c := w.in[w.at]; {
	case c == '{':
		return w.object(depth)
	case c == '[':
		return w.array(depth)
	case c == '"':
		return w.text()
	case c == '-' || (c >= '0' && c <= '9'):
		return w.number()
	default: // true, false, null
		start := w.at
		for w.at < len(w.in) && w.in[w.at] >= 'a' && w.in[w.at] <= 'z' {
			w.at++
		}
		w.out = append(w.out, w.in[start:w.at]...)
		return nil
	}
}

func (w *canonicalWriter) array(depth int) error {
	w.at++
	w.out = append(w.out, '[')
	for first := true; ; first = false {
		w.space()
		if w.in[w.at] == ']' {
			w.at++
			w.out = append(w.out, ']')
			return nil
		}
		if w.in[w.at] == ',' {
			w.at++
		}
		if !first {
			w.out = append(w.out, ',')
		}
		if err := w.value(depth + 1); err != nil {
			return err
		}
	}
}

// member is the position of one `"name":value` in the output.
type member struct{ start, colon, end int }

func (w *canonicalWriter) object(depth int) error {
	w.at++
	w.out = append(w.out, '{')
	first, sorted := len(w.out), true
	var room [16]member
	members := room[:0]
	for {
		w.space()
		if w.in[w.at] == '}' {
			w.at++
			break
		}
		if w.in[w.at] == ',' {
			w.at++
			w.space()
		}
		if len(members) > 0 {
			w.out = append(w.out, ',')
		}
		m := member{start: len(w.out)}
		if err := w.text(); err != nil {
			return err
		}
		m.colon = len(w.out)
		w.space()
		w.at++ // ':'
		w.out = append(w.out, ':')
		if err := w.value(depth + 1); err != nil {
			return err
		}
		m.end = len(w.out)
		if n := len(members); n > 0 && w.compare(members[n-1], m) >= 0 {
			sorted = false
		}
		members = append(members, m)
	}
	if !sorted {
		if err := w.sort(first, members); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

// compare orders members by the encoded bytes of their names without quotes. RFC 8785 orders by
// UTF-16 units, which differs only for names outside the basic multilingual plane. No event
// contract uses such names.
func (w *canonicalWriter) compare(a, b member) int {
	return bytes.Compare(w.out[a.start+1:a.colon-1], w.out[b.start+1:b.colon-1])
}

func (w *canonicalWriter) sort(first int, members []member) error {
	slices.SortFunc(members, w.compare)
	ordered := make([]byte, 0, len(w.out)-first)
	for i, m := range members {
		if i > 0 {
			if w.compare(members[i-1], m) == 0 {
				return fmt.Errorf("duplicate member %s", w.out[m.start:m.colon])
			}
			ordered = append(ordered, ',')
		}
		ordered = append(ordered, w.out[m.start:m.end]...)
	}
	w.out = append(w.out[:first], ordered...)
	return nil
}

// text copies a string. It decodes and encodes only strings with an escape or an invalid byte.
func (w *canonicalWriter) text() error {
	start, plain := w.at, true
	for w.at++; w.in[w.at] != '"'; w.at++ {
		switch c := w.in[w.at]; {
		case c == '\\':
			plain = false
			w.at++
		case c >= 0x80:
			plain = false
		}
	}
	w.at++
	raw := w.in[start:w.at]
	if plain {
		w.out = append(w.out, raw...)
		return nil
	}
	var decoded string
	if err := json.Unmarshal(raw, &decoded); err != nil {
		return err
	}
	w.out = appendCanonicalString(w.out, decoded)
	return nil
}

func appendCanonicalString(out []byte, text string) []byte {
	const hexDigits = "0123456789abcdef"
	out = append(out, '"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\b':
			out = append(out, '\\', 'b')
		case c == '\t':
			out = append(out, '\\', 't')
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\f':
			out = append(out, '\\', 'f')
		case c == '\r':
			out = append(out, '\\', 'r')
		case c < 0x20:
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}

// number copies the digits of an integer and formats other numbers like ECMAScript.
func (w *canonicalWriter) number() error {
	start, integer := w.at, true
	for ; w.at < len(w.in); w.at++ {
		c := w.in[w.at]
		if c == '.' || c == 'e' || c == 'E' {
			integer = false
		} else if c != '-' && c != '+' && (c < '0' || c > '9') {
			break
		}
	}
	raw := w.in[start:w.at]
	if integer {
		if string(raw) == "-0" {
			raw = []byte("0")
		}
		w.out = append(w.out, raw...)
		return nil
	}
	value, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return fmt.Errorf("number %s: %w", raw, err)
	}
	if value == 0 { // drops the sign of minus zero
		w.out = append(w.out, '0')
		return nil
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	w.out = append(w.out, encoded...)
	return nil
}
