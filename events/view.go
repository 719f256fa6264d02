package events

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/domain"
)

// StatusChanged is the type under which everyone learns of a change of status that a staff event made: no more than
// the new status, so that a submitter sees "in review" and not whose review it is. It is never stored.
const StatusChanged domain.EventType = "case.status_changed"

// VisibleEvent is an event as one person may see it. It has no marking, which tells of nodes that not everyone may know.
type VisibleEvent struct {
	Seq           int64
	Type          domain.EventType
	SchemaVersion int
	At            time.Time
	Status        domain.Status
	// Actor is NoID when the viewer may not know who it was.
	Actor domain.ID
	// OnBehalfOf is in whose name the actor acted; only staff see it.
	OnBehalfOf domain.ID
	Body       json.RawMessage // canonical; null after erasure

	contract *Contract // that Body fills, as far as it is shown; nil where it is not known
}

// Sentence says the event in English with the values that the viewer may see; "" for one without a contract.
func (s *VisibleEvent) Sentence() string {
	switch {
	case s.Type == StatusChanged:
		return "The document is now " + strings.ReplaceAll(string(s.Status), "_", " ") + "."
	case s.contract != nil:
		return s.contract.RenderSentence(s.Body)
	}
	return ""
}

// View returns what a viewer of the audience sees of the event, and false when that is nothing. Staff see it whole. All
// others see events for everyone, without the properties that are for staff and without the name of any person but
// themselves and the machine; of the rest only that the status changed.
func View(event *domain.Event, audience domain.Audience, viewer domain.ID) (VisibleEvent, bool) {
	seen := VisibleEvent{Seq: event.Seq, Type: event.Type, SchemaVersion: event.SchemaVersion, At: event.At,
		Status: event.StatusAfter, Actor: event.Actor, Body: event.Body}
	contract, known := ContractOf(event.Type, event.SchemaVersion)
	seen.contract = contract
	if audience == domain.AudienceStaff {
		seen.OnBehalfOf = event.OnBehalfOf
		return seen, true
	}
	if event.Actor != viewer && event.Actor != domain.SystemUserID {
		seen.Actor = domain.NoID
	}
	if known && contract.Audience == domain.AudienceAll {
		seen.Body = publicBody(contract.Body, event.Body)
		return seen, true
	}
	if event.StatusBefore == event.StatusAfter {
		return VisibleEvent{}, false
	}
	seen.Type, seen.SchemaVersion, seen.Actor = StatusChanged, 1, domain.NoID
	seen.Body = json.RawMessage(`{"status":` + strconv.Quote(string(event.StatusAfter)) + `}`)
	return seen, true
}

// publicBody keeps the properties of the contract that are for everyone. Fields the contract does not know are
// dropped: a newer writer may have meant them for staff.
func publicBody(schema *Schema, body json.RawMessage) json.RawMessage {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return nil // erased
	}
	kept, err := domain.CanonicalJSON(removeStaffProperties(schema, value))
	if err != nil {
		return nil
	}
	return kept
}

func removeStaffProperties(schema *Schema, value any) any {
	switch typed := value.(type) {
	case map[string]any:
		for name, inner := range typed {
			property, known := schema.Properties[name]
			if !known || property.Audience == domain.AudienceStaff {
				delete(typed, name)
				continue
			}
			typed[name] = removeStaffProperties(property, inner)
		}
	case []any:
		for i, inner := range typed {
			if schema.Items != nil {
				typed[i] = removeStaffProperties(schema.Items, inner)
			}
		}
	}
	return value
}

// RenderSentence renders the contract's sentence with the values of the body. A part in [ ] is left out when a value in it is
// missing or empty; outside of one a missing value reads as "…".
func (c *Contract) RenderSentence(body []byte) string {
	var values map[string]any
	_ = json.Unmarshal(body, &values) // of an erased body only the words remain
	var said strings.Builder
	rest := c.Sentence
	for rest != "" {
		open := strings.IndexByte(rest, '[')
		if open < 0 {
			open = len(rest)
		}
		text, _ := fillTemplate(rest[:open], values)
		if endsSentence(said.String()) { // a value that closed its sentence itself needs no second full stop
			text = strings.TrimPrefix(text, ".")
		}
		said.WriteString(text)
		if rest = rest[open:]; rest == "" {
			break
		}
		part, after, _ := strings.Cut(rest[1:], "]")
		if text, whole := fillTemplate(part, values); whole {
			said.WriteString(text)
		}
		rest = after
	}
	return capitalize(said.String())
}

// endsSentence reports whether the text ends as a sentence does.
func endsSentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".!?。！？", last)
}

func fillTemplate(text string, values map[string]any) (filled string, whole bool) {
	whole = true
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "{")
		out.WriteString(before)
		if !found {
			return out.String(), whole
		}
		path, rest, _ := strings.Cut(after, "}")
		value := lookUp(values, path)
		if value == "" {
			whole, value = false, "…"
		}
		out.WriteString(value)
		if endsSentence(value) {
			rest = strings.TrimPrefix(rest, ".")
		}
		text = rest
	}
}

func lookUp(values map[string]any, path string) string {
	name, inner, deeper := strings.Cut(path, ".")
	switch value := values[name].(type) {
	case map[string]any:
		if deeper {
			return lookUp(value, inner)
		}
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return ""
}

func capitalize(text string) string {
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		return string(text[0]-'a'+'A') + text[1:]
	}
	return text
}
