package workflow

import (
	"encoding/json"
	"slices"
	"testing"

	"countersign/domain"
)

// allKinds lists the declared kinds of nodes.
var allKinds = []Kind{KindStart, KindStage, KindExternal, KindSaga, KindTimer, KindReview,
	KindExclusive, KindFork, KindJoin, KindEnd, KindCall}

// schemaAttributes returns the attributes that the JSON Schema allows for each kind of node,
// besides id, kind and title.
func schemaAttributes(t *testing.T) map[Kind][]string {
	t.Helper()
	var document struct {
		Definitions map[string]struct {
			Properties map[string]struct {
				Const string `json:"const"`
			} `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &document); err != nil {
		t.Fatal(err)
	}
	attributes := map[Kind][]string{}
	for _, definition := range document.Definitions {
		kind := Kind(definition.Properties["kind"].Const)
		if kind == "" {
			continue
		}
		for name := range definition.Properties {
			if !slices.Contains([]string{"id", "kind", "title"}, name) {
				attributes[kind] = append(attributes[kind], name)
			}
		}
	}
	return attributes
}

func TestEveryKindIsRegisteredWithItsAttributes(t *testing.T) {
	t.Parallel()
	documented := schemaAttributes(t)
	if len(nodeKinds) != len(allKinds) || len(documented) != len(allKinds) {
		t.Fatalf("%d kinds are registered, %d declared, %d in the schema", len(nodeKinds),
			len(allKinds), len(documented))
	}
	for _, kind := range allKinds {
		impl := nodeKinds[kind]
		if impl == nil {
			t.Errorf("the kind %s is not registered", kind)
			continue
		}
		accepted, expected := slices.Sorted(slices.Values(impl.attributes())),
			slices.Sorted(slices.Values(documented[kind]))
		if !slices.Equal(accepted, expected) {
			t.Errorf("%s accepts the attributes %v, the schema allows %v", kind, accepted, expected)
		}
	}
}

// kindParts are the parts of a kind's behaviour as a definition shows them.
type kindParts struct {
	opens, cancels, events int
	drawn                  string
	holdsToken             bool
}

func TestEveryKindHasEveryPart(t *testing.T) {
	t.Parallel()
	def := mustParse(t, definitionOf(`
  - {id: a, kind: exclusive, branches: [{when: risk > 1, to: pay}], default: split}
  - {id: pay, kind: saga, steps: [{id: x, call: y}, {id: z, call: y}], on: {done: seal, undone: seal_no}}
  - {id: split, kind: fork, to: [work, outside, wait, check]}
  - {id: work, kind: stage, on: {done: both, other: both}, errors: [{to: both}]}
  - {id: outside, kind: external, topic: t, next: both}
  - {id: wait, kind: timer, after: 1h, next: both}
  - {id: check, kind: review, queue: L1, seats: 2, quorum: 1, on: {approve: both, reject: {to: seal_no, cancel: all}}}
  - {id: both, kind: join, next: seal}`))
	for id, want := range map[string]kindParts{
		"start": {},
		"a":     {drawn: "state a <<choice>>"},
		"pay":   {opens: 1, events: 2, drawn: "pay: pay (x, then z)", holdsToken: true},
		"split": {drawn: "state split <<fork>>"},
		"work":  {opens: 1, cancels: 1, events: 3, drawn: "work: work", holdsToken: true},
		"outside": {opens: 1, cancels: 1, events: 1, drawn: "outside: outside (external, topic t)",
			holdsToken: true},
		"wait": {opens: 1, cancels: 1, events: 1, drawn: "wait: wait (waits 1h)",
			holdsToken: true},
		"check": {opens: 2, cancels: 1, events: 3, drawn: "check: check (queue L1, 1 of 2)",
			holdsToken: true},
		"both":     {drawn: "state both <<join>>", holdsToken: true},
		"archived": {},
	} {
		node, _ := def.Node(id)
		p := stepBuilder{def: def, facts: &domain.ProcessFacts{}}
		node.impl.openWork(&p, node, 1)
		err := node.impl.cancelWork(&p, node, 1)
		if (err != nil) != (node.Kind == KindSaga) {
			t.Errorf("%s: withdrawing its work returns %v", node.Kind, err)
		}
		got := kindParts{len(p.deferred), len(p.effects),
			len(node.impl.possibleEvents(node, &p.state)), node.impl.draw(node),
			node.impl.holdsToken()}
		if got != want {
			t.Errorf("%s: %+v, want %+v", node.Kind, got, want)
		}
	}
}
