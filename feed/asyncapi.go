package feed

import (
	"encoding/json"
	"fmt"

	"countersign/domain"
	"countersign/events"
)

// AsyncAPI returns the AsyncAPI 3 document of the feed at the public address: one channel, one
// message per contract, whose payload is the CloudEvent with the body as data.
func AsyncAPI(publicURL, host, protocol, version string) ([]byte, error) {
	messages, references := object{}, object{}
	add := func(name, title, summary, schema string) {
		messages[name] = object{"name": title, "title": title, "summary": summary,
			"contentType": ContentType, "payload": object{"allOf": []any{
				object{"$ref": publicURL + SchemaPrefix + envelopeSchema},
				object{"type": "object", "properties": object{
					"type": object{"const": title},
					"data": object{"anyOf": []any{
						object{"$ref": publicURL + schema},
						object{"$ref": publicURL + SchemaPrefix + noticeSchema},
						object{"type": "null"}}}}}}}}
		references[name] = object{"$ref": "#/components/messages/" + name}
	}
	for _, contract := range events.Contracts() {
		name := fmt.Sprintf("%s.v%d", contract.Type, contract.Version)
		add(name, string(contract.Type), contract.Description,
			SchemaPath(contract.Type, contract.Version, domain.AudienceStaff))
		if contract.Audience == domain.AudienceAll {
			add(name+".public", string(contract.Type),
				contract.Description+" As receivers who are not staff get it.",
				SchemaPath(contract.Type, contract.Version, domain.AudienceAll))
		}
	}
	add(string(events.StatusChanged)+".v1.public", string(events.StatusChanged),
		"The status of the case changed by an event that the receiver may not see.",
		SchemaPath(events.StatusChanged, 1, domain.AudienceAll))
	document := object{"asyncapi": "3.0.0",
		"info": object{"title": "Countersign events", "version": version,
			"description": "Everything that happens to cases, in one order, at least once."},
		"defaultContentType": ContentType,
		"servers":            object{"feed": object{"host": host, "protocol": protocol, "security": []any{object{"$ref": "#/components/securitySchemes/token"}}}},
		"channels": object{"events": object{"address": "/events", "messages": references,
			"servers":  []any{object{"$ref": "#/servers/feed"}},
			"bindings": object{"http": object{}}}},
		"operations": object{"readEvents": object{"action": "send",
			"channel":  object{"$ref": "#/channels/events"},
			"summary":  "Read events after a cursor; one JSON object per line.",
			"bindings": object{"http": object{"method": "GET", "bindingVersion": "0.3.0"}}}},
		"components": object{"messages": messages, "securitySchemes": object{
			"token": object{"type": "http", "scheme": "bearer",
				"description": "An API token with the scope events."}}}}
	encoded, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("feed: AsyncAPI: %w", err)
	}
	return encoded, nil
}
