package domain

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Canonical returns the marking's canonical JSON, the text that is stored with an event and hashed. Equal markings
// have equal text: no tokens is [], and visits and notes without entries are left out.
func (m Marking) Canonical() ([]byte, error) { return m.AppendCanonical(nil) }

// AppendCanonical appends the canonical JSON of the marking to out. It is written by hand because every event on the
// hot path hashes two markings. A note that is not JSON is an error.
func (m Marking) AppendCanonical(out []byte) ([]byte, error) {
	out = append(out, '{')
	if len(m.Notes) > 0 {
		out = append(out, `"notes":{`...)
		for i, name := range slices.Sorted(maps.Keys(m.Notes)) {
			note, err := Canonicalise(m.Notes[name])
			if err != nil {
				return nil, fmt.Errorf("note of node %s: %w", name, err)
			}
			out = append(appendName(out, i, name), note...)
		}
		out = append(out, `},`...)
	}
	out = append(out, `"tokens":[`...)
	for i, token := range m.Tokens {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendCanonicalString(append(out, `{"node":`...), token.Node)
		out = strconv.AppendInt(appendName(out, 1, "visit"), int64(token.Visit), 10)
		out = append(out, '}')
	}
	out = append(out, ']')
	if len(m.Visits) > 0 {
		out = append(out, `,"visits":{`...)
		var room [16]string
		names := room[:0]
		for name := range m.Visits {
			names = append(names, name)
		}
		slices.Sort(names)
		for i, name := range names {
			out = strconv.AppendInt(appendName(out, i, name), int64(m.Visits[name]), 10)
		}
		out = append(out, '}')
	}
	return append(out, '}'), nil
}

// ParseMarking reads what Canonical wrote. Text in any other form is an error, so that a stored marking cannot be
// altered without its event's hash showing it.
func ParseMarking(text []byte) (Marking, error) {
	var marking Marking
	if err := json.Unmarshal(text, &marking); err != nil {
		return Marking{}, fmt.Errorf("read marking: %w", err)
	}
	canonical, err := marking.Canonical()
	if err != nil {
		return Marking{}, fmt.Errorf("read marking: %w", err)
	}
	if string(canonical) != string(text) {
		return Marking{}, fmt.Errorf("read marking: %q is not in canonical form", text)
	}
	return marking, nil
}

func appendName(out []byte, index int, name string) []byte {
	if index > 0 {
		out = append(out, ',')
	}
	return append(appendCanonicalString(out, name), ':')
}
