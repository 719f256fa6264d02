package domain

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// EmptyMarking is the canonical form of a marking without tokens, used for system streams.
const EmptyMarking = `{"tokens":[]}`

// Canonical returns the canonical JSON of the marking, which is stored with an event and hashed.
// Equal markings have equal text: without tokens it has [], and empty visits and notes are omitted.
// It returns an error for a note that is not JSON. It does not use package json, because every step
// of a case encodes two markings.
func (m Marking) Canonical() ([]byte, error) {
	out := append(make([]byte, 0, 256), '{')
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
		var buffer [16]string // avoids an allocation
		names := buffer[:0]
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

func appendName(out []byte, index int, name string) []byte {
	if index > 0 {
		out = append(out, ',')
	}
	return append(appendCanonicalString(out, name), ':')
}
