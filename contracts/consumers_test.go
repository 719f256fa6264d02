package contracts_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"countersign/contracts"
	public "countersign/contracts/events"
	"countersign/domain"
	"countersign/events"
	"countersign/feed"
)

// TestNoConsumerBreaks checks the expectation file of each consumer against the contracts. If it
// fails, keep the contract and add a new version, or ask the contact of the file.
func TestNoConsumerBreaks(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("consumers/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no expectation files: %v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := contracts.Parse(text)
		if err != nil || e.Consumer+".json" != filepath.Base(name) {
			t.Errorf("%s: consumer %q: %v", name, e.Consumer, err)
		}
		for _, problem := range e.Broken(events.Contracts()) {
			t.Error(problem)
		}
	}
}

// mutated returns the contracts with a text replaced in the schema of one of them.
func mutated(t *testing.T, kind domain.EventType, old, replacement string) []*events.Contract {
	t.Helper()
	all := slices.Clone(events.Contracts())
	for i, contract := range all {
		if contract.Type != kind {
			continue
		}
		source := strings.Replace(string(contract.Source), old, replacement, 1)
		if source == string(contract.Source) {
			t.Fatalf("the contract of %s has no %s", kind, old)
		}
		changed, err := events.ParseContract(string(kind)+".v1.json", []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		all[i] = changed
	}
	return all
}

const expected = `{"consumer": "c", "contact": "x", "audience": "all", "events": [
	{"type": "case.reopened", "versions": [1], "fields": [
		{"path": "reason", "type": "string", "required": true},
		{"path": "from", "type": "string", "required": true, "values": ["archived", "rejected", "abandoned"]}]},
	{"type": "case.submitted", "versions": [1], "fields": [
		{"path": "size", "type": "integer", "required": true},
		{"path": "duplicateOf[]", "type": "string", "format": "uuid"}]}]}`

// Each change of a contract that a consumer cannot bear is found and named.
func TestMutatedContractsBreakTheirConsumers(t *testing.T) {
	t.Parallel()
	e, err := contracts.Parse([]byte(expected))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		kind             domain.EventType
		old, replacement string
		want             string
	}{
		"nothing":        {"case.reopened", "Earlier decisions", "All earlier decisions", ""},
		"an added field": {"case.reopened", `"reason": {`, `"more": {"type": "string"}, "reason": {`, ""},
		"a removed field": {"case.reopened", `"reason": {`, `"cause": {`,
			"consumer c breaks: case.reopened version 1: field reason is missing"},
		"a new value": {"case.reopened", `"archived",`, `"archived", "merged",`,
			`field from has the value "merged", which it does not handle`},
		"a removed value": {"case.reopened", `"archived",`, "", `field from has no longer the value "archived"`},
		"an optional field": {"case.reopened", `"from",
    "reason"`, `"from"`, "field reason is not always there"},
		"a field for staff": {"case.reopened", `"type": "string",
      "minLength": 1`, `"type": "string", "audience": "staff"`, "field reason is for staff only"},
		"an event for staff": {"case.reopened", `"audience": "all"`, `"audience": "staff"`,
			"case.reopened version 1: the event is for staff only"},
		"a changed type": {"case.submitted", `"size": {
      "type": "integer"`, `"size": {"type": "string"`, "field size was expected as integer and is string"},
		"a changed format": {"case.submitted", `"items": {
        "type": "string",
        "format": "uuid"`, `"items": {"type": "string", "format": "email"`,
			`field duplicateOf[] was expected with the format "uuid"`},
		"any value": {"case.reopened", `"enum": [
        "archived",
        "rejected",
        "abandoned"
      ],`, "", "field from has any value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := e.Broken(mutated(t, tc.kind, tc.old, tc.replacement))
			if tc.want == "" && len(found) > 0 ||
				tc.want != "" && (len(found) != 1 || !strings.Contains(found[0], tc.want)) {
				t.Errorf("found %q, want %q", found, tc.want)
			}
		})
	}
}

// A new version and a removed contract break consumers that do not read the version.
func TestVersionsBreakTheirConsumers(t *testing.T) {
	t.Parallel()
	e, err := contracts.Parse([]byte(expected))
	if err != nil {
		t.Fatal(err)
	}
	contract, _ := events.ContractOf("case.submitted", 1)
	newer := *contract
	newer.Version = 2
	found := e.Broken(append(events.Contracts(), &newer))
	if len(found) != 1 || !strings.Contains(found[0], "case.submitted has version 2, which it does not read") {
		t.Errorf("a new version: %q", found)
	}
	found = e.Broken(slices.DeleteFunc(events.Contracts(), func(c *events.Contract) bool {
		return c.Type == "case.submitted"
	}))
	if len(found) != 1 || !strings.Contains(found[0], "there is no such contract") {
		t.Errorf("a removed contract: %q", found)
	}
}

// A file that would not be checked as a whole is refused.
func TestRefusedExpectationFiles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{}", strings.Replace(expected, "contact", "contakt", 1),
		strings.Replace(expected, `"all"`, `"every"`, 1), strings.Replace(expected, "[1]", "[]", 1)} {
		if _, err := contracts.Parse([]byte(text)); err == nil {
			t.Errorf("%.60s was parsed", text)
		}
	}
}

// The Go package decodes the events of every contract, and its event has every attribute.
func TestTheGoPackageHasEveryContract(t *testing.T) {
	t.Parallel()
	known := events.Contracts()
	known = append(known, &events.Contract{Type: events.StatusChanged, Version: 1})
	for _, contract := range known {
		event := public.Event{Data: json.RawMessage("{}"), DataSchema: "https://review.example.com" +
			feed.SchemaPath(contract.Type, contract.Version, domain.AudienceAll)}
		body, err := event.Body()
		if err != nil {
			t.Errorf("%s: %v", contract.Type, err)
			continue
		}
		if kind, version := body.Contract(); kind != string(contract.Type) || version != contract.Version {
			t.Errorf("%s version %d is decoded as %s version %d", contract.Type, contract.Version, kind,
				version)
		}
	}
	if got, want := tags(public.Event{}), tags(feed.CloudEvent{}); !slices.Equal(got, want) {
		t.Errorf("attributes %v, want %v", got, want)
	}
	if got, want := tags(public.Notice{}), tags(feed.NoticeData{}); !slices.Equal(got, want) {
		t.Errorf("members of a notice %v, want %v", got, want)
	}
}

// tags lists the names of a struct's members in JSON.
func tags(value any) (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeOf(value)) {
		names = append(names, field.Tag.Get("json"))
	}
	slices.Sort(names)
	return names
}
