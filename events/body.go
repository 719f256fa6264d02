package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/domain"
)

// Body is a generated type that knows its contract.
type Body interface {
	Contract() (kind domain.EventType, version int)
}

// Encode returns the body as canonical JSON, the exact bytes that are stored and hashed.
func Encode(body any) ([]byte, error) {
	encoded, err := domain.CanonicalJSON(body)
	if err != nil {
		return nil, fmt.Errorf("encode event body: %w", err)
	}
	return encoded, nil
}

// SetBody sets the event's type, schema version and canonical body.
func SetBody(event *domain.Event, body Body) error {
	encoded, err := Encode(body)
	if err != nil {
		return err
	}
	event.Type, event.SchemaVersion = body.Contract()
	event.Body = encoded
	return nil
}

// Decode decodes a body and ignores unknown fields.
func Decode[T Body](body []byte) (T, error) {
	var value T
	if err := json.Unmarshal(body, &value); err != nil {
		return value, fmt.Errorf("decode event body: %w", err)
	}
	return value, nil
}

var compiledSchemas = sync.OnceValues(func() (map[contractKey]*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	for key, contract := range contractsByKey() {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(contract.Source))
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", key.kind, err)
		}
		if err := compiler.AddResource(schemaID(key.kind, key.version), document); err != nil {
			return nil, fmt.Errorf("schema of %s: %w", key.kind, err)
		}
	}
	schemas := make(map[contractKey]*jsonschema.Schema, len(contractsByKey()))
	for key := range contractsByKey() {
		schema, err := compiler.Compile(schemaID(key.kind, key.version))
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", key.kind, err)
		}
		schemas[key] = schema
	}
	return schemas, nil
})

// Validate checks a body against its contract. It returns ValidationFailed with the position of the
// fault, also for a type or version without a contract.
func Validate(kind domain.EventType, version int, body []byte) error {
	schemas, err := compiledSchemas()
	if err != nil {
		return err
	}
	schema, ok := schemas[contractKey{kind, version}]
	if !ok {
		return domain.Errorf(domain.ValidationFailed, "Event %s version %d has no contract.",
			kind, version)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return domain.Errorf(domain.ValidationFailed, "The body of event %s is not valid JSON.",
			kind).WithCause(err)
	}
	if err := schema.Validate(value); err != nil {
		return domain.Errorf(domain.ValidationFailed,
			"The body of event %s version %d does not match its contract.", kind, version).
			WithCause(err)
	}
	return nil
}
