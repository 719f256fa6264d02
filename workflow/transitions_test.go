package workflow

import (
	"encoding/json"
	"testing"

	"countersign/domain"
)

// highRiskCountry is the finding of the rule for high-risk countries.
var highRiskCountry = domain.Finding{Rule: "high_risk_country", Severity: domain.SeverityWarning}

// variedFacts returns facts for which every guard of the built-in definitions is sometimes true and
// sometimes false.
func variedFacts() []domain.ProcessFacts {
	var facts []domain.ProcessFacts
	for _, base := range []int64{-1, 9_900, 100_000, 10_000_001, 100_000_001} {
		for _, country := range []string{"", "DE"} {
			for _, severity := range []domain.Severity{domain.SeverityInfo, domain.SeverityWarning,
				domain.SeverityBlocking} {
				for _, risk := range []int{0, 80} {
					plain := domain.ProcessFacts{AmountKnown: base >= 0, BaseMinor: max(base, 0),
						Country: country, Risk: risk,
						Findings: []domain.Finding{{Rule: "new_vendor", Severity: severity}}}
					listed := plain
					listed.Findings = []domain.Finding{highRiskCountry}
					missing := plain
					missing.Missing = []string{"counterparty"}
					facts = append(facts, plain, listed, missing)
				}
			}
		}
	}
	return facts
}

// TestEveryTransitionOfTheBuiltinDefinitionsIsTaken takes every edge of every built-in definition:
// those of gateways by their facts, the others by an event at a marking that the explorer reached.
func TestEveryTransitionOfTheBuiltinDefinitionsIsTaken(t *testing.T) {
	t.Parallel()
	sources, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		def := mustParse(t, string(source.YAML))
		e := newExplorer(def, maxMarkings)
		e.explore()
		taken := map[*Edge]bool{}
		for at := range e.states {
			for _, next := range e.possibleTransitions(at) {
				advanceAndRecord(t, def, e.states[at].marking, next.event, taken)
			}
		}
		advanceAndRecord(t, def, domain.Marking{}, Event{Kind: Started}, taken)
		total := 0
		for _, node := range def.Nodes {
			for i := range node.Edges {
				if total++; !taken[&node.Edges[i]] {
					t.Errorf("%s: the edge from %s to %s is never taken", source.Key, node.ID,
						node.Edges[i].To)
				}
			}
		}
		t.Logf("%s: %d of %d edges", source.Key, len(taken), total)
	}
}

// advanceAndRecord records the edges that an event takes with any of the varied facts.
func advanceAndRecord(
	t *testing.T, def *Definition, marking domain.Marking, event Event, taken map[*Edge]bool,
) {
	t.Helper()
	for _, facts := range variedFacts() {
		p := stepBuilder{def: def, facts: &facts, state: nodeStates{byNode: marking.Notes},
			visits: map[string]int{}}
		p.tokens = append(p.tokens, marking.Tokens...)
		p.onEdge = func(edge *Edge) { taken[edge] = true }
		if err := p.apply(event); err != nil && !domain.HasCode(err, domain.StateMismatch) {
			t.Fatalf("%+v: %v", event, err)
		}
	}
}

// FuzzAdvance checks that the engine returns a step or a typed error for any stored marking and any
// event.
func FuzzAdvance(f *testing.F) {
	var defs []*Definition
	for _, name := range []string{"supplier_payment", "document_translation"} {
		defs = append(defs, mustParse(f, exampleDefinitions(f)[name]))
	}
	for _, text := range []string{
		`{"tokens":[{"node":"pay","visit":1}],"notes":{"pay":{"step":2}}}`,
		`{"tokens":[{"node":"pay","visit":1}],"notes":{"pay":{"step":99,"undo":true}}}`,
		`{"tokens":[{"node":"approval","visit":1},{"node":"screening","visit":1}],"visits":{"approval":1},"notes":{"approval":{"open":[{"seat":3}],"approvals":7}}}`,
		`{"tokens":[{"node":"both","visit":1}],"notes":{"both":["nowhere"]}}`,
		`{"tokens":[{"node":"returned","visit":1}],"notes":{"returned":{"to":"gone"}}}`,
		`{"tokens":[{"node":"nowhere","visit":1},{"node":"nowhere","visit":1}]}`,
		`{"tokens":[{"node":"approval","visit":1}],"visits":{"approval":1,"checks":1},"notes":{"@route":{"left":{"approval":99,"screening":-1},"resume":{"checks.0":{"node":"both","edge":0},"":{"node":"gone","edge":5}},"skipped":{"checks":{"node":"manager","edge":-1}}}}}`,
		`{"tokens":[{"node":"pay","visit":1}],"visits":{"pay":1,"checks":1},"notes":{"@route":{"resume":{"":{"node":"checks","edge":1}},"skipped":{"checks":{"node":"pay","edge":0}}}}}`,
	} {
		for kind := range uint8(10) {
			f.Add([]byte(text), kind, "pay", 1, 2)
		}
	}
	kinds := []EventKind{Started, StageEnded, StageFailed, TimerFired, StepEnded, StepFailed,
		ReviewDecided, Resubmitted, Replaced, Entered, Abandoned}
	f.Fuzz(func(t *testing.T, text []byte, kind uint8, node string, visit, number int) {
		var marking domain.Marking
		if json.Unmarshal(text, &marking) != nil {
			return
		}
		for _, def := range defs {
			for _, undo := range []bool{false, true} {
				event := Event{Kind: kinds[int(kind)%len(kinds)], Node: node, Visit: visit,
					Seat: number, Step: number, Undo: undo,
					Verdict: []domain.Verdict{domain.Approve, domain.Return,
						domain.Escalate}[max(number, 0)%3], Code: domain.DamagedFile}
				facts := domain.ProcessFacts{}
				if number > 0 {
					facts.Verdicts = map[string]int{"approval": number}
				}
				step, err := Advance(def, marking, event, facts)
				if code := domain.CodeOf(err); err != nil && code == domain.Internal {
					t.Fatal(err)
				}
				if err == nil {
					_ = OpenWork(def, step.Marking, domain.ProcessFacts{})
					_ = StatusOf(def, step.Marking)
				}
			}
		}
	})
}
