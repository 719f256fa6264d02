package events_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
)

// TestGeneratedExamplesMatchTheirContracts builds a sparse and a full body of every contract from its
// schema. Each one must be valid, and its generated Go type must keep every value.
func TestGeneratedExamplesMatchTheirContracts(t *testing.T) {
	t.Parallel()
	covered := map[domain.EventType]int{}
	for _, empty := range generated.Bodies() {
		kind, version := empty.Contract()
		covered[kind] = max(covered[kind], version)
		contract, ok := events.ContractOf(kind, version)
		if !ok {
			t.Errorf("the body of %s version %d has no contract", kind, version)
			continue
		}
		for _, full := range []bool{false, true} {
			checkExample(t, contract, reflect.TypeOf(empty), exampleOf(t, contract.Body, full))
		}
	}
	for _, kind := range events.Types() {
		if covered[kind] != events.NewestVersion(kind) {
			t.Errorf("%s version %d has no generated body", kind, events.NewestVersion(kind))
		}
	}
}

func checkExample(t *testing.T, contract *events.Contract, body reflect.Type, example any) {
	t.Helper()
	want, err := domain.CanonicalJSON(example)
	if err != nil {
		t.Fatal(err)
	}
	value := reflect.New(body)
	if err := json.Unmarshal(want, value.Interface()); err != nil {
		t.Fatalf("%s: %v", contract.Type, err)
	}
	var event domain.Event
	if err := events.SetBody(&event, value.Elem().Interface().(events.Body)); err != nil {
		t.Fatal(err)
	}
	if string(event.Body) != string(want) {
		t.Errorf("%s is encoded as %s, want %s", contract.Type, event.Body, want)
	}
	if err := events.Validate(contract.Type, contract.Version, event.Body); err != nil {
		t.Errorf("%s: %v", event.Body, err)
	}
}

// exampleOf returns a value that is valid for the schema: with every property if full, otherwise
// with the required ones.
func exampleOf(t *testing.T, schema *events.Schema, full bool) any {
	t.Helper()
	switch schema.Type {
	case "object":
		value := map[string]any{}
		for name, property := range schema.Properties {
			if full || slices.Contains(schema.Required, name) {
				value[name] = exampleOf(t, property, full)
			}
		}
		return value
	case "array":
		return []any{exampleOf(t, schema.Items, full)}
	case "integer":
		if schema.Minimum != nil {
			return max(1, *schema.Minimum)
		}
		return 1
	case "boolean":
		return true
	}
	return exampleText(t, schema)
}

func exampleText(t *testing.T, schema *events.Schema) string {
	t.Helper()
	if len(schema.Enum) > 0 {
		return schema.Enum[0]
	}
	switch schema.Format {
	case "uuid":
		return person.String()
	case "date-time":
		return "2026-03-04T05:06:07Z"
	case "email":
		return "ann@example.org"
	}
	pattern, err := regexp.Compile(schema.Pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"text", sha, "EUR", "DE"} {
		if pattern.MatchString(text) {
			return text
		}
	}
	t.Fatalf("no example matches %s: add one", schema.Pattern)
	return ""
}
