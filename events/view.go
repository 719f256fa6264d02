package events

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/domain"
)

// StatusChanged replaces a staff event that changed the status for users who are not staff. It has
// only the new status, so that a submitter sees "in review" but not who reviews. It is never
// stored.
const StatusChanged domain.EventType = "case.status_changed"

// VisibleEvent is an event as one user can see it. It has no marking, because that names nodes that
// only staff can know.
type VisibleEvent struct {
	Seq           int64
	Type          domain.EventType
	SchemaVersion int
	At            time.Time
	Status        domain.Status
	// Actor is NoID if the viewer cannot know the actor.
	Actor domain.ID
	// OnBehalfOf is the delegator for whom the actor acted; only staff can see it.
	OnBehalfOf domain.ID
	Body       json.RawMessage // canonical; null after erasure
	// Traceparent is the span of the change, "" without one. It is shown only to viewers who see the
	// whole event.
	Traceparent string
	Whole       bool // nothing of the event is hidden

	contract *Contract // of the visible part of Body; nil if unknown
}

// Sentence returns the event as an English sentence with the values that the viewer can see, "" for
// an event without a contract.
func (e *VisibleEvent) Sentence() string {
	switch {
	case e.Type == StatusChanged:
		return "The document is now " + strings.ReplaceAll(string(e.Status), "_", " ") + "."
	case e.contract != nil:
		return e.contract.RenderSentence(e.Body)
	}
	return ""
}

// View returns the part of the event that a viewer of the audience can see, and false if that is
// nothing. Staff see the whole event. Other users see public events without staff properties and
// without any actor except themselves and the system. Of other events they see only that the status
// changed.
func View(event *domain.Event, audience domain.Audience, viewer domain.ID) (VisibleEvent, bool) {
	visible := VisibleEvent{Seq: event.Seq, Type: event.Type, SchemaVersion: event.SchemaVersion,
		At: event.At, Status: event.StatusAfter, Actor: event.Actor, Body: event.Body,
		Traceparent: event.Traceparent}
	contract, known := ContractOf(event.Type, event.SchemaVersion)
	visible.contract = contract
	if audience == domain.AudienceStaff {
		visible.OnBehalfOf, visible.Whole = event.OnBehalfOf, true
		return visible, true
	}
	if event.Actor != viewer && event.Actor != domain.SystemUserID {
		visible.Actor = domain.NoID
	}
	if known && contract.Audience == domain.AudienceAll {
		visible.Body = publicBody(contract.Body, event.Body)
		return visible, true
	}
	if event.StatusBefore == event.StatusAfter {
		return VisibleEvent{}, false
	}
	visible.Type, visible.SchemaVersion, visible.Actor = StatusChanged, 1, domain.NoID
	visible.Body = json.RawMessage(`{"status":` + strconv.Quote(string(event.StatusAfter)) + `}`)
	return visible, true
}

// publicBody returns the public properties of a body. It drops fields that the contract does not
// have, because a newer program may have meant them for staff.
func publicBody(schema *Schema, body json.RawMessage) json.RawMessage {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return nil // erased
	}
	public, err := domain.CanonicalJSON(removeStaffProperties(schema, value))
	if err != nil {
		return nil
	}
	return public
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

// RenderSentence renders the contract's sentence with the values of the body. A part in [ ] is left
// out if one of its values is missing or empty; elsewhere a missing value is rendered as "…".
func (c *Contract) RenderSentence(body []byte) string {
	var values map[string]any
	_ = json.Unmarshal(body, &values) // an erased body has no values
	var sentence strings.Builder
	rest := c.Sentence
	for rest != "" {
		open := strings.IndexByte(rest, '[')
		if open < 0 {
			open = len(rest)
		}
		text, _ := fillTemplate(rest[:open], values)
		if endsSentence(sentence.String()) { // the value before it already ends with a full stop
			text = strings.TrimPrefix(text, ".")
		}
		sentence.WriteString(text)
		if rest = rest[open:]; rest == "" {
			break
		}
		part, after, _ := strings.Cut(rest[1:], "]")
		if text, whole := fillTemplate(part, values); whole {
			sentence.WriteString(text)
		}
		rest = after
	}
	return capitalize(sentence.String())
}

// endsSentence reports whether the text ends with the punctuation of a sentence.
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
	case []any:
		return joinTexts(value)
	}
	return ""
}

// joinTexts returns the texts of a list: "vendor, number".
func joinTexts(list []any) string {
	var texts []string
	for _, item := range list {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", ")
}

func capitalize(text string) string {
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		return string(text[0]-'a'+'A') + text[1:]
	}
	return text
}
