package events_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/events"
	"countersign/events/gen/render"
)

// TestEveryEventTypeHasAContract checks that the versions of each type have no gap, and that each
// constant of package domain names a type with a contract.
func TestEveryEventTypeHasAContract(t *testing.T) {
	t.Parallel()
	for _, kind := range events.Types() {
		for version := 1; version <= events.NewestVersion(kind); version++ {
			if _, ok := events.ContractOf(kind, version); !ok {
				t.Errorf("%s version %d has no contract", kind, version)
			}
		}
	}
	constants := eventConstants(t)
	if len(constants) == 0 {
		t.Fatal("package domain has no constants of event types")
	}
	for name, kind := range constants {
		if events.NewestVersion(kind) == 0 {
			t.Errorf("domain.%s names %s, which has no contract", name, kind)
		}
	}
}

// eventConstants returns the constants of package domain that have the type EventType.
func eventConstants(t *testing.T) map[string]domain.EventType {
	t.Helper()
	paths, err := filepath.Glob("../domain/*.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]domain.EventType{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != len(spec.Names) {
				return true
			}
			if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "EventType" {
				return true
			}
			for i, name := range spec.Names {
				value, err := strconv.Unquote(spec.Values[i].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				constants[name.Name] = domain.EventType(value)
			}
			return true
		})
	}
	return constants
}

func TestReviewsAndPeopleAreForStaff(t *testing.T) {
	t.Parallel()
	for _, kind := range events.Types() {
		want := domain.AudienceStaff
		for _, prefix := range []string{"case.", "stage.", "incident.", "fields.", "document.",
			"line_items.", "timer.", "saga.", "order.restated"} {
			if strings.HasPrefix(string(kind), prefix) {
				want = domain.AudienceAll
			}
		}
		if strings.HasPrefix(string(kind), "case.internal_note_") {
			want = domain.AudienceStaff
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
