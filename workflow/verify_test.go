package workflow

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/definitiontest"
)

var update = flag.Bool("update", false, "update the golden files")

func TestBuiltinDefinitionsAreSound(t *testing.T) {
	t.Parallel()
	sources, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) == 0 {
		t.Fatal("no built-in definitions")
	}
	for _, source := range sources {
		result := Verify(mustParse(t, string(source.YAML)))
		if !result.Sound() {
			t.Errorf("%s: %v", source.Key, result.Problems)
		}
		if result.Markings < 5 {
			t.Errorf("%s: only %d markings explored", source.Key, result.Markings)
		}
	}
}

func TestDiagramsOfBuiltinDefinitions(t *testing.T) {
	t.Parallel()
	sources, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		equalsGolden(t, filepath.Join("testdata", source.Key+".mmd"),
			Mermaid(mustParse(t, string(source.YAML))))
	}
}

// equalsGolden compares a drawing with its golden file.
func equalsGolden(t *testing.T, golden, drawn string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(drawn), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if drawn != string(want) {
		t.Errorf("%s differs from the definition; run go test ./workflow -update\n%s",
			golden, drawn)
	}
}

// definitionTail completes a definition with three sealing stages and their ends.
const definitionTail = definitiontest.Tail

// definitionOf returns a definition of the nodes between a header and definitionTail.
func definitionOf(nodes string) string {
	return "key: net\non_abandon: seal_gone\nnodes:\n  - {id: start, kind: start, next: a}\n" +
		nodes + definitionTail
}

// parallelReviews is a sound pair of reviews; a rejection of one withdraws the other.
const parallelReviews = `
  - {id: a, kind: fork, to: [kyc, credit]}
  - {id: kyc, kind: review, queue: AML, seats: 2, quorum: 2, on: {approve: both, reject: {to: seal_no, cancel: all}, return: a}}
  - {id: credit, kind: review, queue: L1, on: {approve: both, reject: {to: seal_no, cancel: all}}}
  - {id: both, kind: join, next: seal}
`

// TestVerifyAcceptsSoundAndRejectsUnsound covers similar definitions of both kinds; unsoundNets has
// more unsound ones.
func TestVerifyAcceptsSoundAndRejectsUnsound(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		nodes, rule, node string
	}{
		"sound": {parallelReviews, "", ""},
		"livelock": {`
  - {id: a, kind: stage, on: {done: seal, bad: seal_no, odd: b}}
  - {id: b, kind: fork, to: [c, d]}
  - {id: c, kind: stage, next: both}
  - {id: d, kind: stage, on: {done: both, again: d}}
  - {id: both, kind: join, next: e}
  - {id: e, kind: exclusive, branches: [{when: risk > 1, to: seal}], default: b}`, "", ""},
		"end with open work": {`
  - {id: a, kind: fork, to: [b, c]}
  - {id: b, kind: stage, on: {done: both}}
  - {id: c, kind: stage, on: {done: d, other: both}}
  - {id: d, kind: stage, on: {done: d2, bad: seal_no}}
  - {id: d2, kind: stage, next: d}
  - {id: both, kind: join, next: seal}`, "unsound", "rejected"},
		"waits for itself": {`
  - {id: a, kind: fork, to: [b, c]}
  - {id: b, kind: stage, next: both}
  - {id: c, kind: stage, next: inner}
  - {id: inner, kind: join, next: d}
  - {id: d, kind: stage, on: {done: both, again: inner}}
  - {id: both, kind: join, next: e}
  - {id: e, kind: stage, on: {done: seal, bad: seal_no}}`, "stuck_join", "inner"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			def, problems := Check([]byte(definitionOf(test.nodes)))
			if len(problems) == 0 {
				problems = Verify(def).Problems
			}
			if test.rule == "" {
				if len(problems) > 0 {
					t.Fatalf("rejected: %v", problems)
				}
				return
			}
			if len(problems) == 0 || problems[0].Rule != test.rule ||
				problems[0].Node != test.node {
				t.Fatalf("reported %v, want %s at %s", problems, test.rule, test.node)
			}
			if strings.HasPrefix(test.rule, "un") && test.rule != "unreachable" &&
				len(problems[0].Path) == 0 {
				t.Fatalf("no counter-example: %v", problems)
			}
		})
	}
}

func TestTooManyMarkingsAreRejected(t *testing.T) {
	t.Parallel()
	var nodes, branches strings.Builder
	names := []string{}
	for _, letter := range "bcdefghijklmnopqrstu" {
		name := "n" + string(letter)
		names = append(names, name)
		branches.WriteString(
			"  - {id: " + name + ", kind: stage, next: " + name + "2}\n  - {id: " + name +
				"2, kind: stage, on: {done: both}}\n")
	}
	nodes.WriteString("\n  - {id: a, kind: fork, to: [" + strings.Join(names,
		", ") + "]}\n" + branches.String())
	nodes.WriteString(
		"  - {id: both, kind: join, next: e}\n  - {id: e, kind: stage, on: {done: seal, bad: seal_no}}")
	result := verify(mustParse(t, definitionOf(nodes.String())), 2_000)
	if result.Sound() || result.Problems[0].Rule != "state_space" {
		t.Fatalf("%+v", result)
	}
}

func BenchmarkVerify(b *testing.B) {
	def := builtin(b, "document_approval")
	for b.Loop() {
		if result := Verify(def); !result.Sound() {
			b.Fatal(result.Problems)
		}
	}
}
