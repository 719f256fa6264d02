package domain

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// EmptyMarking is the canonical form of a marking without tokens: that of a stream that is no case.
const EmptyMarking = `{"tokens":[]}`

// Canonical returns the marking's canonical JSON, the text that is stored with an event and hashed. Equal markings
// have equal text: no tokens is [], and visits and notes without entries are left out. A note that is not JSON is an
// error. It is written by hand because every step of a case needs two.
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

func appendName(out []byte, index int, name string) []byte {
	if index > 0 {
		out = append(out, ',')
	}
	return append(appendCanonicalString(out, name), ':')
}
