package contracts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events"
)

// Expectations is what a consumer reads of the events.
type Expectations struct {
	Consumer string `json:"consumer"`
	// Contact is whom to ask before a change.
	Contact string `json:"contact"`
	// Audience is the audience for which the consumer's token gets events.
	Audience domain.Audience `json:"audience"`
	Events   []ExpectedEvent `json:"events"`
}

// ExpectedEvent is a type of event with what the consumer reads of it.
type ExpectedEvent struct {
	Type domain.EventType `json:"type"`
	// Versions are those that the consumer can read.
	Versions []int           `json:"versions"`
	Fields   []ExpectedField `json:"fields"`
}

// ExpectedField is a field that the consumer reads.
type ExpectedField struct {
	// Path names the field: evidence.policyVersion, lines[].amount.
	Path   string `json:"path"`
	Type   string `json:"type"`
	Format string `json:"format,omitempty"`
	// Required is set if the consumer cannot do without the field.
	Required bool `json:"required,omitempty"`
	// Values are the values that the consumer handles, if it tells values apart.
	Values []string `json:"values,omitempty"`
}

// Parse parses an expectation file. An unknown member is an error, because it would not be checked.
func Parse(text []byte) (Expectations, error) {
	var e Expectations
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil {
		return e, fmt.Errorf("expectations: %w", err)
	}
	switch {
	case e.Consumer == "" || e.Contact == "" || len(e.Events) == 0:
		return e, fmt.Errorf("expectations of %q: consumer, contact and events are needed", e.Consumer)
	case e.Audience != domain.AudienceAll && e.Audience != domain.AudienceStaff:
		return e, fmt.Errorf("expectations of %s: audience %q is neither all nor staff", e.Consumer,
			e.Audience)
	}
	for _, event := range e.Events {
		if len(event.Versions) == 0 {
			return e, fmt.Errorf("expectations of %s: %s has no versions", e.Consumer, event.Type)
		}
	}
	return e, nil
}

// Broken describes each expectation that the contracts do not meet, with the name of the consumer,
// the event and the field.
func (e *Expectations) Broken(contracts []*events.Contract) []string {
	var found []string
	for _, event := range e.Events {
		for _, problem := range e.brokenEvent(event, contracts) {
			found = append(found, fmt.Sprintf("consumer %s breaks: %s %s", e.Consumer, event.Type,
				problem))
		}
	}
	return found
}

func (e *Expectations) brokenEvent(event ExpectedEvent, contracts []*events.Contract) []string {
	var found []string
	present := map[int]*events.Contract{}
	newest := 0
	for _, contract := range contracts {
		if contract.Type == event.Type {
			present[contract.Version] = contract
			newest = max(newest, contract.Version)
		}
	}
	if newest > 0 && !slices.Contains(event.Versions, newest) {
		found = append(found, fmt.Sprintf("has version %d, which it does not read", newest))
	}
	for _, version := range event.Versions {
		contract := present[version]
		switch {
		case contract == nil:
			found = append(found, fmt.Sprintf("version %d: there is no such contract", version))
			continue
		case e.Audience == domain.AudienceAll && contract.Audience != domain.AudienceAll:
			found = append(found, fmt.Sprintf("version %d: the event is for staff only", version))
			continue
		}
		for _, field := range event.Fields {
			if problem := e.brokenField(field, contract.Body); problem != "" {
				found = append(found, fmt.Sprintf("version %d: field %s %s", version, field.Path, problem))
			}
		}
	}
	return found
}

// brokenField returns why the body does not have the field as it is expected, or "".
func (e *Expectations) brokenField(field ExpectedField, body *events.Schema) string {
	schema, required, staff := find(body, field.Path)
	switch {
	case schema == nil:
		return "is missing"
	case staff && e.Audience == domain.AudienceAll:
		return "is for staff only"
	case schema.Type != field.Type:
		return fmt.Sprintf("was expected as %s and is %s", field.Type, schema.Type)
	case field.Format != "" && schema.Format != field.Format:
		return fmt.Sprintf("was expected with the format %q and has %q", field.Format, schema.Format)
	case field.Required && !required:
		return "is not always there"
	case len(field.Values) == 0:
		return ""
	case len(schema.Enum) == 0:
		return "has any value, and the consumer handles only some"
	}
	for _, value := range schema.Enum {
		if !slices.Contains(field.Values, value) {
			return fmt.Sprintf("has the value %q, which it does not handle", value)
		}
	}
	for _, value := range field.Values {
		if !slices.Contains(schema.Enum, value) {
			return fmt.Sprintf("has no longer the value %q", value)
		}
	}
	return ""
}

// find returns the schema of the field, nil if there is none. The field is required if it and each
// object that holds it are, and for staff if one of them is. Elements of a list are required.
func find(schema *events.Schema, path string) (found *events.Schema, required, staff bool) {
	required = true
	for name := range strings.SplitSeq(path, ".") {
		name, depth := strings.TrimRight(name, "[]"), strings.Count(name, "[]")
		property := schema.Properties[name]
		if property == nil {
			return nil, false, false
		}
		required = required && slices.Contains(schema.Required, name)
		staff = staff || property.Audience == domain.AudienceStaff
		for schema = property; depth > 0; depth-- {
			if schema.Items == nil {
				return nil, false, false
			}
			schema = schema.Items
		}
	}
	return schema, required, staff
}
