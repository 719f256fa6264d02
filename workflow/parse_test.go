package workflow

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/domain"
	"countersign/internal/yamltext"
)

func TestParseFillsDefaults(t *testing.T) {
	t.Parallel()
	def := mustParse(t, definitionOf(`
  - {id: a, kind: stage, queue_for: {receipt: model}, next: r}
  - {id: r, kind: review, queue: L1, decide_within: 0s, remind: [5m, 1h], on: {approve: s, reject: seal_no, return: }}
  - {id: s, kind: review, queue: L2, level: 2, on: {approve: seal, reject: seal_no}}`))
	a, _ := def.Node("a")
	r, _ := def.Node("r")
	s, _ := def.Node("s")
	if a.Behaviour != "stage" || a.Queue != domain.QueueLight || a.Attempts != 3 ||
		a.Backoff != time.Second || a.Status != domain.Processing {
		t.Errorf("stage: %+v", a)
	}
	if a.QueueOf("receipt") != domain.QueueModel || a.QueueOf("invoice") != domain.QueueLight {
		t.Errorf("queues: %s, %s", a.QueueOf("receipt"), a.QueueOf("invoice"))
	}
	if a.Delay(2) != time.Second || a.Delay(3) != 2*time.Second || a.Delay(4) != 4*time.Second {
		t.Errorf("delays: %s %s %s", a.Delay(2), a.Delay(3), a.Delay(4))
	}
	if r.Seats != 1 || r.Quorum != 1 || r.EscalateTo != "L2" || r.EscalateLevel != 2 ||
		r.ClaimWithin != 2*time.Hour || r.DecideWithin != 0 {
		t.Errorf("review: %+v", r)
	}
	if !slices.Equal(r.Remind, []time.Duration{time.Hour, 5 * time.Minute}) || s.Remind != nil {
		t.Errorf("reminders: %v, %v", r.Remind, s.Remind)
	}
	if edge := r.outcomeEdge("return"); edge == nil || edge.To != "a" || !edge.CancelsAll {
		t.Errorf("a return without a target must continue at re_enter: %+v", edge)
	}
	if s.EscalateTo != "" || len(s.Verdicts()) != 2 {
		t.Errorf("a review in L2 can be escalated: %+v", s)
	}
	if def.DutyOf("r") != "approval" || def.DutyOf("a") != "" || !def.HasAmount ||
		def.Version != 1 {
		t.Errorf("definition: %+v", def)
	}
	if def.ReEnter != "a" || def.OnReplace != "a" || def.OnEnter != "a" {
		t.Errorf("entries: %s %s %s", def.ReEnter, def.OnReplace, def.OnEnter)
	}
}

// faultyDefinitions are nodes that are not valid, with the rule that must report them and the line.
var faultyDefinitions = map[string]struct {
	nodes, rule string
	line        int
}{
	"unknown target": {"  - {id: a, kind: stage, next: nowhere}", "unknown_target", 5},
	"no target": {"  - {id: a, kind: join}\n  - {id: b, kind: stage, next: seal}",
		"unknown_target", 5},
	"back to start": {"  - {id: a, kind: stage, on: {done: seal, again: start}}",
		"unknown_target", 5},
	"no default": {"  - {id: a, kind: exclusive, branches: [{when: risk > 1, to: seal}]}",
		"no_default", 5},
	"bad guard": {
		"  - {id: a, kind: exclusive, branches: [{when: risc > 1, to: seal}], default: seal}",
		"guard", 5},
	"duplicate id": {
		"  - {id: a, kind: stage, next: seal}\n  - {id: a, kind: stage, next: seal}",
		"duplicate_id", 6},
	"unreachable": {
		"  - {id: a, kind: stage, on: {done: seal, bad: seal_no}}\n  - {id: b, kind: stage, next: seal}", "unreachable", 6},
	"no way to the end": {
		"  - {id: a, kind: stage, on: {done: seal, bad: seal_no, odd: b}}\n  - {id: b, kind: stage, next: c}\n  - {id: c, kind: stage, next: b}", "no_end", 6},
	"no reject": {"  - {id: a, kind: review, queue: L1, on: {approve: seal}}",
		"outcomes", 5},
	"odd verdict": {
		"  - {id: a, kind: review, queue: L1, on: {approve: seal, reject: seal_no, maybe: seal}}",
		"outcomes", 5},
	"no queue": {"  - {id: a, kind: review, on: {approve: seal, reject: seal_no}}",
		"queue", 5},
	"quorum beyond seats": {
		"  - {id: a, kind: review, queue: L1, seats: 2, quorum: 3, on: {approve: seal, reject: seal_no}}", "quorum", 5},
	"escalate to itself": {
		"  - {id: a, kind: review, queue: L1, escalate_to: L1, on: {approve: seal, reject: seal_no}}", "escalate_to", 5},
	"next and on": {"  - {id: a, kind: stage, next: seal, on: {done: seal}}",
		"outcomes", 5},
	"neither next nor on": {"  - {id: a, kind: stage}", "outcomes", 5},
	"unsealed end": {"  - {id: a, kind: stage, on: {done: seal, bad: rejected}}",
		"unsealed_end", 5},
	"seal of another end": {
		"  - {id: a, kind: stage, on: {done: x, bad: seal_no}}\n  - {id: x, kind: stage, outcome: abandoned, next: archived}", "unsealed_end", 6},
	"work after a seal": {
		"  - {id: a, kind: stage, on: {done: x, bad: seal_no}}\n  - {id: x, kind: stage, outcome: archived, next: seal}", "unsealed_end", 6},
	"second start": {
		"  - {id: a, kind: stage, on: {done: seal, bad: seal_no}}\n  - {id: b, kind: start, next: a}", "start", 6},
	"reserved id": {
		"  - {id: a, kind: stage, next: returned}\n  - {id: returned, kind: stage, next: seal}",
		"name", 6},
	"bad id":            {"  - {id: A-b, kind: stage, next: seal}", "name", 5},
	"unknown kind":      {"  - {id: a, kind: loop, next: seal}", "kind", 5},
	"foreign attribute": {"  - {id: a, kind: stage, duty: approval, next: seal}", "attribute", 5},
	"bad duration":      {"  - {id: a, kind: stage, backoff: soon, next: seal}", "backoff", 5},
	"no attempts":       {"  - {id: a, kind: stage, attempts: 0, next: seal}", "attempts", 5},
	"bad status":        {"  - {id: a, kind: stage, status: incident, next: seal}", "status", 5},
	"bad outcome": {"  - {id: a, kind: stage, outcome: settled, next: archived}",
		"outcome", 5},
	"bad cancel": {
		"  - {id: a, kind: stage, on: {done: {to: seal, cancel: some}, bad: seal_no}}",
		"cancel", 5},
	"narrow fork": {
		"  - {id: a, kind: fork, to: [b]}\n  - {id: b, kind: stage, on: {done: seal, bad: seal_no}}", "fork", 5},
	"fork to one node": {
		"  - {id: a, kind: fork, to: [b, b]}\n  - {id: b, kind: stage, on: {done: seal, bad: seal_no}}", "fork", 5},
	"lone join": {
		"  - {id: a, kind: stage, on: {done: b, bad: seal_no}}\n  - {id: b, kind: join, next: seal}", "join", 6},
	"circle of gateways": {
		"  - {id: a, kind: exclusive, branches: [{when: risk > 1, to: b}], default: seal}\n  - {id: b, kind: exclusive, branches: [{when: risk > 2, to: seal_no}], default: a}", "circle", 5},
	"unknown key": {"  - {id: a, kind: stage, nxt: seal}", "syntax", 5},
	"unknown target key": {"  - {id: a, kind: stage, on: {done: {to: seal, cancels: all}}}",
		"syntax", 5},
	"repeated key": {"  - {id: a, kind: stage, next: seal, next: seal}", "syntax", 5},
	"alias":        {"  - &x {id: a, kind: stage, next: seal}\n  - *x", "syntax", 5},
	"merge key":    {"  - {id: a, kind: stage, next: seal, <<: {}}", "syntax", 5},
	"tag":          {"  - {id: !!str a, kind: stage, next: seal}", "syntax", 5},
	"timer to nowhere": {"  - {id: a, kind: timer, after: 1h, next: nowhere}",
		"unknown_target", 5},
	"timer without time": {"  - {id: a, kind: timer, after: 0s, next: seal}", "after", 5},
	"timer without end":  {"  - {id: a, kind: timer, next: seal}", "after", 5},
	"timeout to nowhere": {
		"  - {id: a, kind: review, queue: L1, timeout: {after: 1h, to: nowhere}, on: {approve: seal, reject: seal_no}}", "unknown_target", 5},
	"timeout of no time": {
		"  - {id: a, kind: review, queue: L1, timeout: {after: 0h, to: seal_no}, on: {approve: seal, reject: seal_no}}", "timeout", 5},
	"timeout of a stage": {
		"  - {id: a, kind: stage, timeout: {after: 1h, to: seal_no}, next: seal}", "attribute", 5},
	"timeout to the end": {
		"  - {id: a, kind: review, queue: L1, timeout: {after: 1h, to: rejected}, on: {approve: seal, reject: seal_no}}", "unsealed_end", 5},
	"odd overdue": {
		"  - {id: a, kind: review, queue: L1, overdue: shout, on: {approve: seal, reject: seal_no}}", "overdue", 5},
	"too many reminders": {
		"  - {id: a, kind: review, queue: L1, remind: [4h, 3h, 2h, 1h], on: {approve: seal, reject: seal_no}}", "remind", 5},
	"reminder after the deadline": {
		"  - {id: a, kind: review, queue: L1, decide_within: 4h, remind: [4h], on: {approve: seal, reject: seal_no}}", "remind", 5},
	"reminder without a deadline": {
		"  - {id: a, kind: review, queue: L1, claim_within: 0s, decide_within: 0s, remind: [1h], on: {approve: seal, reject: seal_no}}", "remind", 5},
	"reminder at the deadline": {
		"  - {id: a, kind: review, queue: L1, remind: [0s], on: {approve: seal, reject: seal_no}}", "remind", 5},
	"reminder that is no time": {
		"  - {id: a, kind: review, queue: L1, remind: [soon], on: {approve: seal, reject: seal_no}}", "remind", 5},
	"reminder twice": {
		"  - {id: a, kind: review, queue: L1, remind: [60m, 1h], on: {approve: seal, reject: seal_no}}", "remind", 5},
	"reminder of a stage": {
		"  - {id: a, kind: stage, remind: [1h], next: seal}", "attribute", 5},
	"unknown failure": {
		"  - {id: a, kind: stage, next: seal, errors: [{codes: [Oops], to: seal_no}]}",
		"errors", 5},
	"failure twice": {
		"  - {id: a, kind: stage, next: seal, errors: [{codes: [TimedOut], to: seal_no}, {codes: [TimedOut], to: seal}]}", "errors", 5},
	"every failure first": {
		"  - {id: a, kind: stage, next: seal, errors: [{to: seal_no}, {codes: [TimedOut], to: seal}]}", "errors", 5},
	"seal that may fail": {
		"  - {id: a, kind: stage, on: {done: x, bad: seal_no}}\n  - {id: x, kind: stage, outcome: archived, next: archived, errors: [{to: archived}]}", "unsealed_end", 6},
	"no topic": {"  - {id: a, kind: external, next: seal}", "topic", 5},
	"endless lease": {"  - {id: a, kind: external, topic: t, lease: 0s, next: seal}",
		"lease", 5},
	"saga without steps": {"  - {id: a, kind: saga, on: {done: seal, undone: seal_no}}",
		"steps", 5},
	"saga step twice": {
		"  - {id: a, kind: saga, steps: [{id: x, call: c}, {id: x, call: c}], on: {done: seal, undone: seal_no}}", "steps", 5},
	"saga without undone": {"  - {id: a, kind: saga, steps: [{id: x, call: c}], on: {done: seal}}",
		"outcomes", 5},
	"saga with more": {
		"  - {id: a, kind: saga, steps: [{id: x, call: c}], on: {done: seal, undone: seal_no, odd: seal}}", "outcomes", 5},
	"region of nothing": {
		"  - {id: a, kind: stage, on: {done: {to: seal, cancel: [nowhere]}, bad: seal_no}}",
		"cancel", 5},
	"region of itself": {
		"  - {id: a, kind: stage, on: {done: {to: seal, cancel: [a]}, bad: seal_no}}", "cancel", 5},
	"region of a gateway": {
		"  - {id: a, kind: stage, on: {done: {to: g, cancel: [g]}, bad: seal_no}}\n  - {id: g, kind: exclusive, default: seal}", "cancel", 5},
	"wrong type": {"  - {id: a, kind: stage, attempts: many, next: seal}", "syntax", 5},
}

func TestFaultyDefinitionsAreRejectedWithTheirLine(t *testing.T) {
	t.Parallel()
	for name, test := range faultyDefinitions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := Check([]byte(definitionOf(test.nodes)))
			for _, problem := range problems {
				if problem.Rule == test.rule && problem.Line == test.line {
					_, err := Parse([]byte(definitionOf(test.nodes)))
					if !domain.HasCode(err, domain.UnsoundDefinition) {
						t.Fatalf("Parse returns %v", err)
					}
					return
				}
			}
			t.Fatalf("reported %v, want %s in line %d", problems, test.rule, test.line)
		})
	}
}

func TestTextsThatAreNotDefinitions(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":       "",
		"a word":        "key",
		"a list":        "- a",
		"no nodes":      "key: a\non_abandon: b\n",
		"only key":      "key: a",
		"two documents": "key: a\n---\nkey: b\n",
		"not YAML":      "key: [",
		"no start":      "key: a\non_abandon: s\nnodes:\n  - {id: s, kind: stage, outcome: abandoned, next: e}\n  - {id: e, kind: end, status: abandoned}\n",
		"no abandon":    "key: a\nnodes:\n  - {id: start, kind: start, next: s}\n  - {id: s, kind: stage, outcome: archived, next: e}\n  - {id: e, kind: end, status: archived}\n",
		"abandon wrong": strings.Replace(
			definitionOf("  - {id: a, kind: stage, on: {done: seal, bad: seal_no}}"),
			"on_abandon: seal_gone", "on_abandon: seal", 1),
		"version 0": "version: -1\n" + definitionOf(
			"  - {id: a, kind: stage, on: {done: seal, bad: seal_no}}"),
		"too long":   strings.Repeat("# x\n", yamltext.MaxBytes),
		"deep flow":  "key: " + strings.Repeat("[", 100_000),
		"deep block": strings.Repeat("- ", 100_000),
		"long line":  "key: a # " + strings.Repeat("x", yamltext.MaxLine),
		"many nodes": "key: a\nnodes:\n" + strings.Repeat("  - {id: a, kind: stage}\n", 2000),
	} {
		if _, err := Parse([]byte(text)); !domain.HasCode(err, domain.UnsoundDefinition) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUncoveredOutcomes(t *testing.T) {
	t.Parallel()
	def := builtin(t, "document_approval")
	known := map[string][]string{"read": {"done"}, "extract": {"done", "structured"},
		"validate": {"done"}, "assess": {"done"}}
	problems := def.UncoveredOutcomes(func(behaviour string) []string { return known[behaviour] })
	if len(problems) != 4 || problems[0].Node != "extract" || problems[1].Rule != "behaviour" {
		t.Fatalf("%v", problems)
	}
}

func TestUnknownQueues(t *testing.T) {
	t.Parallel()
	def := &Definition{Nodes: []*Node{
		{ID: "a", Kind: KindStage, Queue: "ocrr",
			QueueFor: map[string]string{"invoice": "ocr", "receipt": domain.QueueExternal}},
		{ID: "b", Kind: KindExternal, Queue: domain.QueueExternal},
		{ID: "c", Kind: KindReview, Queue: "L1"},
		{ID: "d", Kind: KindStage, Queue: "light"},
	}}
	problems := def.UnknownQueues([]string{"light", "ocr"})
	if len(problems) != 2 || problems[0].Node != "a" || problems[1].Node != "a" ||
		problems[0].Message !=
			`No worker serves the queue "ocrr". The work queues are light, ocr.` ||
		!strings.Contains(problems[1].Message, `"external"`) {
		t.Errorf("problems: %v", problems)
	}
	for _, source := range []string{"document_approval", "content_review"} {
		if problems := builtin(t, source).UnknownQueues(domain.WorkQueues()); problems != nil {
			t.Errorf("%s: %v", source, problems)
		}
	}
}

// jsonOf converts YAML to the JSON value that the schema validator expects; false if the YAML does
// not parse.
func jsonOf(t *testing.T, text string) (any, bool) {
	t.Helper()
	document, problem := yamltext.Parse([]byte(text), "a definition")
	if problem != nil {
		return nil, false
	}
	var parsed any
	if problem := document.Decode(&parsed); problem != nil {
		return nil, false
	}
	converted, err := json.Marshal(parsed)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(converted))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, false
	}
	return value, true
}

// TestSchemaAgreesWithTheParser checks that the schema, which editors use, accepts every definition
// that the parser accepts, and rejects every definition whose form the parser rejects.
func TestSchemaAgreesWithTheParser(t *testing.T) {
	t.Parallel()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("definition.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("definition.json")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	accepted := []string{definitionOf(parallelReviews)}
	for _, source := range sources {
		accepted = append(accepted, string(source.YAML))
	}
	for _, text := range exampleDefinitions(t) {
		accepted = append(accepted, text)
	}
	for _, text := range accepted {
		value, _ := jsonOf(t, text)
		if err := compiled.Validate(value); err != nil {
			t.Errorf("the schema rejects a definition that the parser accepts: %v", err)
		}
	}
	formRules := []string{"attribute", "kind", "status", "outcome", "no_default", "queue",
		"attempts", "steps", "overdue", "topic"}
	formCases := []string{"unknown key", "unknown target key", "bad cancel", "timer without end",
		"saga without undone", "saga with more"}
	for name, test := range faultyDefinitions {
		if name == "saga step twice" { // a schema cannot express this
			continue
		}
		value, ok := jsonOf(t, definitionOf(test.nodes))
		if !ok || (!slices.Contains(formRules, test.rule) && !slices.Contains(formCases, name)) {
			continue
		}
		if compiled.Validate(value) == nil {
			t.Errorf("the schema accepts %q, which the parser rejects", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	sources, err := Builtin()
	if err != nil {
		f.Fatal(err)
	}
	for _, source := range sources {
		f.Add(source.YAML)
	}
	f.Add([]byte(definitionOf(parallelReviews)))
	for _, text := range exampleDefinitions(f) {
		f.Add([]byte(text))
	}
	for _, test := range faultyDefinitions {
		f.Add([]byte(definitionOf(test.nodes)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		def, err := Parse(text)
		if err != nil {
			if !domain.HasCode(err, domain.UnsoundDefinition) {
				t.Fatal(err)
			}
			return
		}
		verify(def, 500)
		_ = Mermaid(def)
		// An accepted definition may be unsound, but it must not make the engine panic.
		step, err := Advance(def, domain.Marking{}, Event{Kind: Started}, domain.ProcessFacts{})
		if err == nil {
			_, _ = Advance(def, step.Marking, Event{Kind: Abandoned}, domain.ProcessFacts{})
		}
	})
}
