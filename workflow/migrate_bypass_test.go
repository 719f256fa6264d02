package workflow

import (
	"errors"
	"strings"
	"testing"

	"countersign/domain"
)

// A version with a way around a review eases the cases that move to it, also if the way is unusual: a time
// limit, a failure, or a rejection that approves. A version whose ways around are those of the old one does not.
func TestAMigrationAddsNoWayAroundAReview(t *testing.T) {
	t.Parallel()
	start, a := Event{Kind: Started}, ended("a", 1)
	const stage, review = "{id: a, kind: stage, next: r}", "on: {approve: b, reject: seal_no}"
	replaced := func(old, now string) string {
		t.Helper()
		if !strings.Contains(oneReview, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(oneReview, old, now, 1)
	}
	timed := replaced(review, review+", timeout: {after: 1h, to: b}")
	rejected := replaced(review, review+", timeout: {after: 1h, to: seal_no}")
	manager := replaced(review, review+", timeout: {after: 1h, to: m}") +
		"  - {id: m, kind: review, queue: L9, level: 3, on: {approve: seal, reject: seal_no}}\n"
	const parallel = `
  - {id: a, kind: stage, next: f}
  - {id: f, kind: fork, to: [r, k]}
  - {id: r, kind: review, queue: L1, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: k, kind: review, queue: AML, duty: aml, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: j, kind: join, next: seal}`
	for name, test := range map[string]struct {
		from, to string
		events   []Event
		reason   MoveReason
	}{
		"a time limit that approves, review open":   {oneReview, timed, []Event{start, a}, MoveEased},
		"a time limit that approves, review ahead":  {oneReview, timed, []Event{start}, MoveEased},
		"a time limit that both have":               {timed, timed, []Event{start, a}, ""},
		"a time limit that rejects":                 {oneReview, rejected, []Event{start, a}, ""},
		"a time limit that leads to another review": {oneReview, manager, []Event{start, a}, MoveEased},
		"a manager's review that is left out": {manager, strings.Replace(manager, "to: m}", "to: h}", 1) +
			"  - {id: h, kind: timer, after: 1h, next: g}\n" +
			"  - {id: g, kind: exclusive, branches: [{when: \"risk < 50\", to: seal}], default: m}\n",
			[]Event{start, a}, MoveEased},
		"a rejection that approves": {oneReview,
			strings.Replace(replaced(review, "on: {approve: b, reject: b}"), stage,
				"{id: a, kind: stage, on: {done: r, other: seal_no}}", 1), []Event{start, a}, MoveEased},
		"a failure that approves": {oneReview,
			replaced(stage, "{id: a, kind: stage, next: r, errors: [{to: b}]}"), []Event{start}, MoveEased},
		"an outcome that approves": {oneReview,
			replaced(stage, "{id: a, kind: stage, on: {done: r, other: b}}"), []Event{start}, MoveEased},
		"a time limit in one branch": {parallel,
			strings.Replace(parallel, "reject: {to: seal_no, cancel: all}}}\n  - {id: k",
				"reject: {to: seal_no, cancel: all}}, timeout: {after: 1h, to: j}}\n  - {id: k", 1),
			[]Event{start, a}, MoveEased},
		"parallel reviews": {parallel, parallel, []Event{start, a}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := versions(t, test.from, test.to)
			step := Step{}
			for _, event := range test.events {
				next, err := Advance(from, step.Marking, event, domain.ProcessFacts{})
				if err != nil {
					t.Fatal(err)
				}
				step = next
			}
			if _, why := move(t, from, to, step.Marking, map[string]int{}); (why == nil) != (test.reason == "") ||
				why != nil && why.Reason != test.reason {
				t.Fatalf("want %q, got %+v", test.reason, why)
			}
		})
	}
}

// A vote that does not count in the new version is asked for again with the same duty. With another one, the
// person who gives it could also give the next one, which took two people in the old version.
func TestAVoteIsNotAskedForAgainWithAnotherDuty(t *testing.T) {
	t.Parallel()
	const two = `
  - {id: a, kind: review, queue: L1, on: {approve: b, reject: seal_no}}
  - {id: b, kind: review, queue: L2, on: {approve: seal, reject: seal_no}}`
	for name, test := range map[string]struct {
		to     string
		counts int
		reason MoveReason
	}{
		"the same":     {two, 1, ""},
		"a level":      {strings.Replace(two, "queue: L1,", "queue: L1, level: 2,", 1), 0, ""},
		"another duty": {strings.Replace(two, "queue: L1,", "queue: L1, duty: check,", 1), 0, MoveEased},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := versions(t, two, test.to)
			step := Step{}
			for _, event := range []Event{{Kind: Started}, decided("a", 1, 1, domain.Approve)} {
				next, err := Advance(from, step.Marking, event, domain.ProcessFacts{})
				if err != nil {
					t.Fatal(err)
				}
				step = next
			}
			plan := NewMigrationPlan(from, to, nil)
			moved, err := MigrateMarking(from, to, plan, step.Marking)
			if err != nil {
				t.Fatal(err)
			}
			err = MovingCase{From: from, To: to, Plan: plan, Marking: step.Marking, Moved: moved,
				OldFacts: domain.ProcessFacts{Verdicts: map[string]int{"a": 1}},
				Facts:    domain.ProcessFacts{Verdicts: map[string]int{"a": test.counts}},
				Narrower: func(*Node, *Node) (bool, error) { return true, nil }}.CheckReviews()
			var why *Immovable
			if errors.As(err, &why); (why == nil) != (test.reason == "") || why != nil && why.Reason != test.reason {
				t.Fatalf("want %q, got %v", test.reason, err)
			}
		})
	}
}
