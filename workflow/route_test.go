package workflow

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// routeRun advances a case and counts its verdicts as casework does: all votes count until key
// facts change.
type routeRun struct {
	t        *testing.T
	def      *Definition
	facts    domain.ProcessFacts
	step     Step
	open     map[string]Event
	verdicts map[string]int
	opened   []string // reviews and stages, in order
}

func newRouteRun(t *testing.T, text string, facts domain.ProcessFacts) *routeRun {
	t.Helper()
	run := &routeRun{t: t, def: mustParse(t, text), facts: facts, open: map[string]Event{},
		verdicts: map[string]int{}}
	run.send(Event{Kind: Started})
	return run
}

func (r *routeRun) send(event Event) {
	r.t.Helper()
	r.facts.Verdicts = r.verdicts
	step, err := Advance(r.def, r.step.Marking, event, r.facts)
	if err != nil {
		r.t.Fatalf("%+v at %+v: %v", event, r.step.Marking, err)
	}
	r.step = step
	for _, effect := range step.Effects {
		next, ok := successEvent(r.def, effect)
		if !ok {
			continue
		}
		r.open[next.Node] = next
		r.opened = append(r.opened, next.Node)
		if next.Kind == ReviewDecided {
			delete(r.verdicts, next.Node)
		}
	}
	for node := range r.open {
		if !slices.ContainsFunc(step.Marking.Tokens,
			func(token domain.Token) bool { return token.Node == node }) {
			delete(r.open, node)
		}
	}
}

// ends ends the work at the nodes successfully, in this order.
func (r *routeRun) ends(nodes ...string) {
	r.t.Helper()
	for _, node := range nodes {
		event, ok := r.open[node]
		if !ok {
			r.t.Fatalf("%s is not open: %+v", node, r.step.Marking)
		}
		delete(r.open, node)
		if event.Kind == ReviewDecided {
			r.verdicts[node]++
		}
		r.send(event)
	}
}

// revoke revokes all votes, because key facts have changed.
func (r *routeRun) revoke() { r.verdicts = map[string]int{} }

// at checks where the tokens are.
func (r *routeRun) at(nodes ...string) {
	r.t.Helper()
	var present []string
	for _, token := range r.step.Marking.Tokens {
		present = append(present, token.Node)
	}
	slices.Sort(present)
	slices.Sort(nodes)
	if !slices.Equal(present, nodes) {
		r.t.Fatalf("the case is at %v, want %v (%v)", present, nodes, r.step.Marking)
	}
}

func (r *routeRun) openings(node string) (n int) {
	for _, opened := range r.opened {
		if opened == node {
			n++
		}
	}
	return n
}

func remittanceRun(t *testing.T, amount, country string) *routeRun {
	t.Helper()
	sources, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(sources,
		func(s Source) bool { return s.Key == "cross_border_remittance" })
	run := newRouteRun(t, string(sources[at].YAML), remittance(t, amount, "USD", country))
	run.ends("read", "extract", "validate", "assess")
	return run
}

func TestRouteEvaluatedAgainInRemittance(t *testing.T) {
	t.Parallel()
	t.Run("a high-risk country set by the reviewer", func(t *testing.T) {
		t.Parallel()
		run := remittanceRun(t, "200000.00", "DE")
		run.at("review_l1")
		run.facts = remittance(t, "200000.00", "USD", "IR")
		run.ends("review_l1")
		run.at("review_aml")
		run.ends("review_aml")
		run.at("archive")
		if run.openings("review_l1") != 1 {
			t.Errorf("opened %v", run.opened)
		}
		run.ends("archive")
		if run.step.Status != domain.Archived || run.step.Marking.Notes != nil {
			t.Errorf("%s %v", run.step.Status, run.step.Marking.Notes)
		}
	})
	t.Run("a country listed after the approval", func(t *testing.T) {
		t.Parallel()
		run := remittanceRun(t, "200000.00", "DE")
		run.ends("review_l1")
		run.at("archive")
		run.send(Event{Kind: Reevaluated, Node: "archive", Visit: 1})
		run.at("archive") // nothing is missing
		run.facts = remittance(t, "200000.00", "USD", "IR")
		run.send(Event{Kind: Reevaluated, Node: "archive", Visit: 1})
		run.at("review_aml")
		run.ends("review_aml")
		run.at("archive")
		run.ends("archive")
		if run.openings("review_l1") != 1 || run.step.Status != domain.Archived ||
			run.step.Marking.Notes != nil {
			t.Errorf("opened %v, %v", run.opened, run.step.Marking.Notes)
		}
	})
	t.Run("country and amount", func(t *testing.T) {
		t.Parallel()
		run := remittanceRun(t, "900000.00", "DE")
		run.facts = remittance(t, "1200000.00", "USD", "IR")
		run.ends("review_l1")
		run.at("review_aml")
		run.ends("review_aml")
		run.at("review_l2")
		run.ends("review_l2")
		run.at("archive")
	})
	t.Run("the second reviewer changes the country", func(t *testing.T) {
		t.Parallel()
		run := remittanceRun(t, "1200000.00", "DE")
		run.ends("review_l1")
		run.at("review_l2")
		run.facts = remittance(t, "1200000.00", "USD", "KP")
		run.revoke()
		run.ends("review_l2", "review_aml", "review_l1")
		run.at("archive")
	})
	t.Run("the added reviewer changes the facts", func(t *testing.T) {
		t.Parallel()
		run := remittanceRun(t, "200000.00", "DE")
		run.facts = remittance(t, "200000.00", "USD", "IR")
		run.ends("review_l1")
		run.facts = remittance(t, "2000000.00", "USD", "IR")
		run.revoke()
		run.ends("review_aml", "review_l1")
		run.at("review_l2")
	})
	t.Run("a lower risk does not skip the decision", func(t *testing.T) {
		t.Parallel()
		run := remittanceRun(t, "200000.00", "IR")
		run.at("review_aml")
		run.facts = remittance(t, "200000.00", "USD", "DE")
		run.ends("review_aml")
		run.at("review_l1")
		run.facts = remittance(t, "2000.00", "USD", "DE")
		run.ends("review_l1")
		run.at("archive")
	})
	t.Run("a rejection is not delayed", func(t *testing.T) {
		t.Parallel()
		run := remittanceRun(t, "200000.00", "DE")
		run.facts = remittance(t, "200000.00", "USD", "IR")
		run.send(decided("review_l1", 1, 1, domain.Reject))
		run.at("seal_rejected")
	})
	t.Run("the added review rejects", func(t *testing.T) {
		t.Parallel()
		run := remittanceRun(t, "200000.00", "DE")
		run.facts = remittance(t, "200000.00", "USD", "IR")
		run.ends("review_l1")
		run.send(decided("review_aml", 1, 1, domain.Reject))
		run.at("seal_rejected")
	})
	t.Run("the added review returns", func(t *testing.T) {
		t.Parallel()
		run := remittanceRun(t, "200000.00", "DE")
		run.facts = remittance(t, "200000.00", "USD", "IR")
		run.ends("review_l1")
		run.send(decided("review_aml", 1, 1, domain.Return))
		run.revoke()
		run.send(Event{Kind: Resubmitted})
		run.ends("validate", "assess", "review_aml", "review_l1")
		run.at("archive")
	})
}

// TestRouteIsNotEvaluatedWithoutVerdicts covers callers with constant facts, such as Simulate.
func TestRouteIsNotEvaluatedWithoutVerdicts(t *testing.T) {
	t.Parallel()
	run := remittanceRun(t, "200000.00", "DE")
	facts := remittance(t, "200000.00", "USD", "IR")
	step, err := Advance(run.def, run.step.Marking, decided("review_l1", 1, 1, domain.Approve),
		facts)
	if err != nil || step.Marking.Tokens[0].Node != "archive" {
		t.Fatalf("%+v %v", step, err)
	}
	event := decided("review_l1", 1, 1, domain.Approve)
	if !EvaluatesRoute(run.def, run.step.Marking, event) ||
		EvaluatesRoute(run.def, domain.Marking{}, Event{Kind: Started}) ||
		EvaluatesRoute(run.def, domain.Marking{}, ended("extract", 1)) ||
		EvaluatesRoute(run.def, step.Marking, ended("archive", 1)) {
		t.Error("EvaluatesRoute")
	}
}

// TestRouteEvaluatedAgain covers the kinds of nodes on a route. Each run starts with risk 0, which
// is raised to 50 before the last but one of the steps.
func TestRouteEvaluatedAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		nodes         string
		before, after []string // work that ends before and after the change
		revoke        bool
		opened        string // after the change
	}{
		"a stage on the added part": {`
  - {id: a, kind: exclusive, branches: [{when: risk > 9, to: look}], default: b}
  - {id: look, kind: stage, next: extra}
  - {id: extra, kind: review, queue: AML, on: {approve: b, reject: seal_no}}
  - {id: b, kind: review, queue: L1, on: {approve: c, reject: seal_no}}
  - {id: c, kind: review, queue: L1, on: {approve: seal, reject: seal_no}}`,
			nil, []string{"b", "look", "extra", "c"}, false, "look extra c seal"},
		"completed work is not repeated": {`
  - {id: a, kind: exclusive, branches: [{when: risk > 9, to: extra}], default: s}
  - {id: extra, kind: review, queue: AML, on: {approve: s, reject: seal_no}}
  - {id: s, kind: saga, steps: [{id: x, call: y}], on: {done: t, undone: seal_no}}
  - {id: t, kind: timer, after: 1h, next: o}
  - {id: o, kind: external, topic: x, on: {done: b, odd: seal}}
  - {id: b, kind: review, queue: L1, on: {approve: seal, reject: seal_no}}`,
			[]string{"s", "t", "o"}, []string{"b", "extra"}, false, "extra seal"},
		"revoked votes in the order of the route": {`
  - {id: a, kind: review, queue: L1, on: {approve: b, reject: seal_no}}
  - {id: b, kind: stage, next: c}
  - {id: c, kind: review, queue: L1, on: {approve: d, reject: seal_no}}
  - {id: d, kind: review, queue: L1, on: {approve: seal, reject: seal_no}}`,
			[]string{"a", "b", "c"}, []string{"d", "a", "c"}, true, "a c seal"},
		"a stage after the last review": {`
  - {id: a, kind: exclusive, branches: [{when: risk > 9, to: extra}], default: b}
  - {id: extra, kind: review, queue: AML, on: {approve: b, reject: seal_no}}
  - {id: b, kind: review, queue: L1, on: {approve: o, reject: seal_no}}
  - {id: o, kind: external, topic: x, next: seal}`,
			[]string{"b"}, []string{"o", "extra"}, false, "extra seal"},
		"branches that exclude each other": {`
  - {id: a, kind: exclusive, branches: [{when: risk > 9, to: extra}], default: b}
  - {id: extra, kind: review, queue: AML, on: {approve: seal, reject: seal_no}}
  - {id: b, kind: review, queue: L1, on: {approve: c, reject: seal_no}}
  - {id: c, kind: review, queue: L1, on: {approve: seal, reject: seal_no}}`,
			nil, []string{"b", "extra", "c"}, false, "extra c seal"},
		"one branch of a fork": {`
  - {id: a, kind: fork, to: [g, w]}
  - {id: g, kind: exclusive, branches: [{when: risk > 9, to: extra}], default: b}
  - {id: extra, kind: review, queue: AML, on: {approve: b, reject: {to: seal_no, cancel: all}}}
  - {id: b, kind: review, queue: L1, on: {approve: m, reject: {to: seal_no, cancel: all}}}
  - {id: m, kind: exclusive, default: j}
  - {id: w, kind: review, queue: L1, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: j, kind: join, next: seal}`,
			nil, []string{"b", "w", "extra"}, false, "extra seal"},
		"a branch that has arrived": {`
  - {id: a, kind: fork, to: [v, w]}
  - {id: v, kind: review, queue: L1, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: w, kind: review, queue: L1, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: j, kind: join, next: seal}`,
			[]string{"v"}, []string{"w", "v"}, true, "v seal"},
		"a gateway before the fork": {`
  - {id: a, kind: exclusive, branches: [{when: risk > 9, to: extra}], default: f}
  - {id: extra, kind: review, queue: AML, on: {approve: f, reject: seal_no}}
  - {id: f, kind: fork, to: [v, w]}
  - {id: v, kind: review, queue: L1, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: w, kind: review, queue: L1, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: j, kind: join, next: seal}`,
			[]string{"v"}, []string{"w", "extra"}, false, "extra seal"},
		"a gateway before the fork, and work after its join": {`
  - {id: a, kind: exclusive, branches: [{when: risk > 9, to: extra}], default: f}
  - {id: extra, kind: review, queue: AML, on: {approve: f, reject: seal_no}}
  - {id: f, kind: fork, to: [v, w]}
  - {id: v, kind: review, queue: L1, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: w, kind: review, queue: L1, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: j, kind: join, next: x}
  - {id: x, kind: review, queue: L1, on: {approve: seal, reject: seal_no}}`,
			[]string{"v"}, []string{"w", "extra", "x"}, false, "extra x seal"},
		"a gateway before the fork, whose join is skipped": {`
  - {id: a, kind: exclusive, branches: [{when: risk > 9, to: extra}], default: f}
  - {id: extra, kind: review, queue: AML, on: {approve: f, reject: seal_no}}
  - {id: f, kind: fork, to: [v, w]}
  - {id: v, kind: review, queue: L1, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: w, kind: stage, on: {alone: {to: x, cancel: [v, j]}, with_others: j}}
  - {id: j, kind: join, next: x}
  - {id: x, kind: review, queue: L1, on: {approve: seal, reject: seal_no}}`,
			nil, []string{"w", "extra", "x"}, false, "extra x seal"},
		"a fork whose votes were revoked after its join": {`
  - {id: a, kind: fork, to: [v, w]}
  - {id: v, kind: review, queue: L1, on: {approve: v2, reject: {to: seal_no, cancel: all}}}
  - {id: v2, kind: stage, next: j}
  - {id: w, kind: stage, next: j}
  - {id: j, kind: join, next: s}
  - {id: s, kind: saga, steps: [{id: x, call: y}], on: {done: b, undone: seal_no}}
  - {id: b, kind: review, queue: L1, on: {approve: seal, reject: seal_no}}`,
			[]string{"v", "v2", "w", "s"}, []string{"b", "v"}, true, "v seal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := newRouteRun(t, definitionOf(test.nodes), domain.ProcessFacts{})
			run.ends(test.before...)
			run.facts.Risk = 50
			if test.revoke {
				run.revoke()
			}
			already := len(run.opened)
			run.ends(test.after...)
			if opened := strings.Join(run.opened[already:], " "); opened != test.opened {
				t.Errorf("opened %q, want %q", opened, test.opened)
			}
			run.at("seal")
			if result := Verify(run.def); !result.Sound() {
				t.Errorf("%v", result.Problems)
			}
		})
	}
}

// entryInBranch has an entry point inside a branch. While facts do not change, the review there
// leaves both branches together, or is alone.
const entryInBranch = `
key: net
on_abandon: seal_gone
on_enter: b
nodes:
  - {id: start, kind: start, next: a}
  - {id: a, kind: fork, to: [g, w]}
  - {id: g, kind: exclusive, branches: [{when: risk > 9, to: x}], default: b}
  - {id: x, kind: timer, after: 1h, next: j}
  - {id: b, kind: review, queue: L1, on: {approve: {to: seal, cancel: all}, reject: {to: seal_no, cancel: all}}}
  - {id: w, kind: stage, next: j}
  - {id: j, kind: join, next: seal}
`

// TestUnsoundOnlyWhenTheRouteIsEvaluatedAgain covers a definition that is sound while facts do not
// change: the review at the entry point is in the scope of the fork, so that an evaluation may enter
// the fork while its other branch is open.
func TestUnsoundOnlyWhenTheRouteIsEvaluatedAgain(t *testing.T) {
	t.Parallel()
	def := mustParse(t, entryInBranch+definitionTail)
	e := newExplorer(def, maxMarkings)
	e.explore()
	if problems := e.problems(true); len(problems) > 0 {
		t.Fatalf("unsound with constant facts: %v", problems)
	}
	problems := Verify(def).Problems
	if len(problems) != 1 || problems[0].Rule != "unsound" || problems[0].Node != "w" ||
		!slices.Contains(problems[0].Path, "b rerouted to a") {
		t.Fatalf("%v", problems)
	}
}
