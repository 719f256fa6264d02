package events_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/events"
	"countersign/events/gen/render"
)

func TestEveryEventTypeHasAContract(t *testing.T) {
	t.Parallel()
	known := map[domain.EventType]bool{}
	for _, kind := range domain.EventTypes() {
		known[kind] = true
		for version := 1; version <= max(1, events.NewestVersion(kind)); version++ {
			if _, ok := events.ContractOf(kind, version); !ok {
				t.Errorf("%s version %d has no contract", kind, version)
			}
		}
	}
	for _, contract := range events.Contracts() {
		if !known[contract.Type] {
			t.Errorf("the contract of %s is for no event type", contract.Type)
		}
	}
}

func TestReviewsAndPeopleAreForStaff(t *testing.T) {
	t.Parallel()
	for _, kind := range domain.EventTypes() {
		want := domain.AudienceStaff
		for _, prefix := range []string{"case.", "stage.", "incident.", "fields.", "document.",
			"timer.", "saga."} {
			if strings.HasPrefix(string(kind), prefix) {
				want = domain.AudienceAll
			}
		}
		if got := events.AudienceOf(kind); got != want {
			t.Errorf("%s is for %s, want %s", kind, got, want)
		}
	}
	if got := events.AudienceOf("case.unknown"); got != domain.AudienceStaff {
		t.Errorf("an unknown type is for %s", got)
	}
}

func TestGeneratedTypesAreUpToDate(t *testing.T) {
	t.Parallel()
	files, err := render.Files(events.Contracts())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not up to date with the schemas: run go generate ./events", name)
		}
	}
}

func TestParseContractRejects(t *testing.T) {
	t.Parallel()
	good := `{"$schema":"x","$id":"urn:countersign:event:a.b:v1","title":"a.b","audience":"all","sentence":"s","type":"object"}`
	if _, err := events.ParseContract("a.b.v1.json", []byte(good)); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ name, text string }{
		"an unsupported keyword": {"a.b.v1.json",
			strings.Replace(good, `"type"`, `"oneOf":[],"type"`, 1)},
		"a name without version":          {"a.b.json", good},
		"another version than the name's": {"a.b.v2.json", good},
		"another title than the name's":   {"a.c.v1.json", good},
		"no audience": {"a.b.v1.json",
			strings.Replace(good, `"all"`, `""`, 1)},
		"no sentence": {"a.b.v1.json",
			strings.Replace(good, `"s"`, `""`, 1)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := events.ParseContract(tc.name, []byte(tc.text)); err == nil {
				t.Fatal("accepted")
			}
		})
	}
}
