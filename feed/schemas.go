package feed

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"countersign/domain"
	"countersign/events"
)

// SchemaPrefix is the path below which the contracts of the events are served.
const SchemaPrefix = "/schemas/events/"

const (
	noticeSchema   = "notice.v1.json"
	envelopeSchema = "cloudevent.v1.json"
	indexFile      = "index.json"
	metaSchema     = "https://json-schema.org/draft/2020-12/schema"
)

// SchemaPath returns the path of the contract of a body for an audience. Receivers who are not staff
// get bodies without the properties for staff, which have contracts of their own.
func SchemaPath(kind domain.EventType, version int, audience domain.Audience) string {
	return SchemaPrefix + schemaFile(kind, version, audience)
}

func schemaFile(kind domain.EventType, version int, audience domain.Audience) string {
	folder := ""
	if audience != domain.AudienceStaff {
		folder = "public/"
	}
	return fmt.Sprintf("%s%s.v%d.json", folder, kind, version)
}

// object is a JSON object under construction.
type object = map[string]any

// Schemas returns all contracts by their names below SchemaPrefix, with an index of the names.
var Schemas = sync.OnceValues(func() (map[string]json.RawMessage, error) {
	files := map[string]any{noticeSchema: noticeContract(), envelopeSchema: envelopeContract(),
		accessSchema: accessContract(),
		schemaFile(events.StatusChanged, 1, domain.AudienceAll): statusContract()}
	for _, contract := range events.Contracts() {
		name := schemaFile(contract.Type, contract.Version, domain.AudienceStaff)
		files[name] = titled(contract, name, contract.Body)
		if contract.Audience == domain.AudienceAll {
			name = schemaFile(contract.Type, contract.Version, domain.AudienceAll)
			files[name] = titled(contract, name, publicPart(contract.Body))
		}
	}
	files[indexFile] = object{"schemas": slices.Sorted(maps.Keys(files))}
	encoded := make(map[string]json.RawMessage, len(files))
	for name, file := range files {
		text, err := json.MarshalIndent(file, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("feed: schema %s: %w", name, err)
		}
		encoded[name] = text
	}
	return encoded, nil
})

// titled returns the schema of a body as a document of its own.
func titled(contract *events.Contract, name string, body *events.Schema) any {
	return struct {
		Meta  string `json:"$schema"`
		ID    string `json:"$id"`
		Title string `json:"title"`
		events.Schema
	}{metaSchema, "urn:countersign:schemas:events:" + name, string(contract.Type), *withoutAudience(body)}
}

// publicPart returns the schema without the properties for staff, as events.View shows bodies.
func publicPart(schema *events.Schema) *events.Schema {
	public := *schema
	if schema.Items != nil {
		public.Items = publicPart(schema.Items)
	}
	if schema.Properties == nil {
		return &public
	}
	public.Properties = map[string]*events.Schema{}
	for name, property := range schema.Properties {
		if property.Audience != domain.AudienceStaff {
			public.Properties[name] = publicPart(property)
		}
	}
	public.Required = slices.DeleteFunc(slices.Clone(schema.Required), func(name string) bool {
		return public.Properties[name] == nil
	})
	return &public
}

// withoutAudience leaves out the keyword that JSON Schema does not have.
func withoutAudience(schema *events.Schema) *events.Schema {
	plain := *schema
	plain.Audience = ""
	if schema.Items != nil {
		plain.Items = withoutAudience(schema.Items)
	}
	if schema.Properties != nil {
		plain.Properties = map[string]*events.Schema{}
		for name, property := range schema.Properties {
			plain.Properties[name] = withoutAudience(property)
		}
	}
	return &plain
}

func text(description string) object {
	return object{"type": "string", "minLength": 1, "description": description}
}

func contract(name, title, description string, properties object, required ...string) object {
	return object{"$schema": metaSchema, "$id": "urn:countersign:schemas:events:" + name,
		"title": title, "description": description, "type": "object", "properties": properties,
		"required": required}
}

func noticeContract() object {
	return contract(noticeSchema, "notice", "Data of an event that has ids only.", object{
		"stream": text("The stream: the id of the case, or of another stream."),
		"caseId": object{"type": "string", "format": "uuid",
			"description": "The case, if the event is about one."},
		"seq": object{"type": "integer", "minimum": 1,
			"description": "Number of the event in its stream."},
	}, "stream", "seq")
}

func statusContract() object {
	return contract(schemaFile(events.StatusChanged, 1, domain.AudienceAll),
		string(events.StatusChanged),
		"The status of the case changed by an event that the receiver may not see.",
		object{"status": text("The new status.")}, "status")
}

// envelopeContract is the contract of a CloudEvent without its data.
func envelopeContract() object {
	uri := object{"type": "string", "format": "uri-reference"}
	return contract(envelopeSchema, "cloudevent",
		"An event in the JSON format of CloudEvents 1.0.", object{
			"specversion":     object{"type": "string", "enum": []string{"1.0"}},
			"id":              text("Stream and number of the event: the key by which repeated deliveries are recognized."),
			"source":          uri,
			"type":            text("Type of the event."),
			"subject":         text("The id of the case, or the name of another stream."),
			"time":            object{"type": "string", "format": "date-time"},
			"datacontenttype": object{"type": "string", "enum": []string{"application/json"}},
			"dataschema":      uri,
			"data":            object{"description": "See dataschema. Null if the body was erased."},
			"sequence":        text("Number of the event in its stream, in decimal digits."),
			"cursor":          text("Position after the event."),
			"casestatus":      text("Status of the case after the event."),
			"actor":           text("Who acted, if the receiver may know it."),
			"onbehalfof":      text("The delegator for whom the actor acted."),
			"correlationid":   text("The same in all events of one request."),
			"traceparent":     text("Trace context of the request (W3C)."),
		}, "specversion", "id", "source", "type", "subject", "time", "datacontenttype",
		"dataschema", "data", "sequence", "cursor")
}
