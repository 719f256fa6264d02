package workflow

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// fires fires the timer of the node at which a token is.
func (r *routeRun) fires(node string) {
	r.t.Helper()
	at := slices.IndexFunc(r.step.Marking.Tokens,
		func(token domain.Token) bool { return token.Node == node })
	if at < 0 {
		r.t.Fatalf("no token at %s: %+v", node, r.step.Marking)
	}
	delete(r.open, node)
	r.send(Event{Kind: TimerFired, Node: node, Visit: r.step.Marking.Tokens[at].Visit})
}

// do ends the work at nodes, or fires their timers ("timer of r").
func (r *routeRun) do(steps []string) {
	r.t.Helper()
	for _, step := range steps {
		if node, timer := strings.CutPrefix(step, "timer of "); timer {
			r.fires(node)
			continue
		}
		r.ends(step)
	}
}

// TestRouteEvaluatedAfterTimersAndJoins covers facts that change after a boundary timer has moved the
// case, and in one branch while the other is done or joined. The risk rises from 0 to 50 between the
// steps before and after. Nothing that was completed is repeated, no timer runs again, and what is
// added ends before the next seal.
func TestRouteEvaluatedAfterTimersAndJoins(t *testing.T) {
	t.Parallel()
	const gateway = `
  - {id: a, kind: exclusive, branches: [{when: risk > 9, to: extra}], default: r}
  - {id: extra, kind: review, queue: AML, on: {approve: r, reject: seal_no}}
`
	const timed = gateway + `
  - {id: r, kind: review, queue: L1, timeout: {after: 1h, to: m}, on: {approve: seal, reject: seal_no}}
  - {id: m, kind: review, queue: L2, on: {approve: seal, reject: seal_no}}`
	const branches = `
  - {id: a, kind: fork, to: [g, w]}
  - {id: g, kind: exclusive, branches: [{when: risk > 9, to: extra}], default: r}
  - {id: extra, kind: review, queue: AML, on: {approve: r, reject: {to: seal_no, cancel: all}}}
  - {id: r, kind: review, queue: L1, timeout: {after: 1h, to: m}, on: {approve: n, reject: {to: seal_no, cancel: all}}}
  - {id: m, kind: review, queue: L2, on: {approve: n, reject: {to: seal_no, cancel: all}}}
  - {id: n, kind: stage, next: j}
  - {id: w, kind: review, queue: L1, duty: other, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: j, kind: join, next: seal}`
	const united = `
  - {id: a, kind: fork, to: [u, v, w]}
  - {id: u, kind: stage, next: some}
  - {id: v, kind: stage, next: some}
  - {id: some, kind: join, next: g}
  - {id: g, kind: exclusive, branches: [{when: risk > 9, to: extra}], default: r}
  - {id: extra, kind: review, queue: AML, on: {approve: r, reject: {to: seal_no, cancel: all}}}
  - {id: r, kind: review, queue: L1, on: {approve: n, reject: {to: seal_no, cancel: all}}}
  - {id: n, kind: stage, next: j}
  - {id: w, kind: stage, next: j}
  - {id: j, kind: join, next: h}
  - {id: h, kind: exclusive, branches: [{when: risk > 9, to: late}], default: x}
  - {id: late, kind: review, queue: AML, duty: late, on: {approve: x, reject: seal_no}}
  - {id: x, kind: review, queue: L2, on: {approve: seal, reject: seal_no}}`
	for name, test := range map[string]struct {
		nodes         string
		before, after []string
		revoke        bool
		opened        string // after the change
	}{
		"after the timer": {timed, []string{"timer of r"}, []string{"m", "extra"}, false,
			"extra seal"},
		"before the timer": {timed, nil, []string{"timer of r", "extra", "m"}, false,
			"extra m seal"},
		"the timer leads to the seal": {gateway + `
  - {id: r, kind: review, queue: L1, timeout: {after: 1h, to: o}, on: {approve: o, reject: seal_no}}
  - {id: o, kind: external, topic: x, next: seal}`,
			[]string{"timer of r"}, []string{"o", "extra"}, false, "extra seal"},
		"votes before the timer": {`
  - {id: a, kind: review, queue: L1, on: {approve: r, reject: seal_no}}
  - {id: r, kind: review, queue: L1, timeout: {after: 1h, to: m}, on: {approve: seal, reject: seal_no}}
  - {id: m, kind: review, queue: L2, on: {approve: seal, reject: seal_no}}`,
			[]string{"a", "timer of r"}, []string{"m", "a"}, true, "a seal"},
		"another review instead of the timer's": {`
  - {id: a, kind: exclusive, branches: [{when: risk > 9, to: b}], default: r}
  - {id: b, kind: review, queue: L2, on: {approve: seal, reject: seal_no}}
  - {id: r, kind: review, queue: L1, timeout: {after: 1h, to: m}, on: {approve: seal, reject: seal_no}}
  - {id: m, kind: review, queue: L2, on: {approve: seal, reject: seal_no}}`,
			[]string{"timer of r"}, []string{"m", "b"}, false, "b seal"},
		"the added review times out": {`
  - {id: a, kind: exclusive, branches: [{when: risk > 9, to: extra}], default: r}
  - {id: extra, kind: review, queue: AML, timeout: {after: 1h, to: m}, on: {approve: r, reject: seal_no}}
  - {id: m, kind: review, queue: L2, on: {approve: r, reject: seal_no}}
  - {id: r, kind: review, queue: L1, on: {approve: seal, reject: seal_no}}`,
			nil, []string{"r", "timer of extra", "m"}, false, "extra m seal"},
		"a saga after the timer": {gateway + `
  - {id: r, kind: review, queue: L1, timeout: {after: 1h, to: s}, on: {approve: s, reject: seal_no}}
  - {id: s, kind: saga, steps: [{id: y, call: y}], on: {done: x, undone: seal_no}}
  - {id: x, kind: review, queue: L2, on: {approve: seal, reject: seal_no}}`,
			[]string{"timer of r", "s"}, []string{"x", "extra"}, false, "extra seal"},
		"a timer in one branch, the other done": {branches, []string{"w", "timer of r"},
			[]string{"m", "extra", "n"}, false, "extra n seal"},
		"a timer in one branch, the other last": {branches, []string{"timer of r", "m", "n"},
			[]string{"w", "extra"}, false, "extra seal"},
		"one branch done, the vote in it revoked": {branches, []string{"r", "n"},
			[]string{"w", "extra", "r"}, true, "extra r seal"},
		"after a join of some branches": {united, []string{"u", "v", "w"},
			[]string{"r", "extra", "n", "late", "x"}, false, "extra n late x seal"},
		"after the last of several joins": {united, []string{"u", "v", "r", "n", "w"},
			[]string{"x", "late"}, false, "late seal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := newRouteRun(t, definitionOf(test.nodes), domain.ProcessFacts{})
			run.do(test.before)
			run.facts.Risk = 50
			if test.revoke {
				run.revoke()
			}
			already := len(run.opened)
			run.do(test.after)
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
