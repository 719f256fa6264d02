package workflow

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/internal/definitiontest"
)

// versions parses two versions of one process.
func versions(t testing.TB, from, to string) (*Definition, *Definition) {
	t.Helper()
	older, newer := mustParse(t, definitionOf(from)), mustParse(t, definitionOf(to))
	older.Version, newer.Version = 1, 2
	return older, newer
}

const oneReview = `
  - {id: a, kind: stage, next: r}
  - {id: r, kind: review, queue: L2, level: 2, on: {approve: b, reject: seal_no}}
  - {id: b, kind: stage, next: seal}
`

const twoBranches = `
  - {id: a, kind: fork, to: [b, c]}
  - {id: b, kind: review, queue: L1, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: c, kind: review, queue: L2, duty: other, on: {approve: j, reject: {to: seal_no, cancel: all}}}
  - {id: j, kind: join, next: seal}
`

func TestPlansThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		from, to   string
		nodes      map[string]string
		rule, node string
	}{
		"no problem":       {oneReview, oneReview, nil, "", ""},
		"parallel reviews": {twoBranches, twoBranches, nil, "", ""},
		"a node that is gone": {oneReview, `
  - {id: a, kind: stage, next: r}
  - {id: r, kind: review, queue: L2, level: 2, on: {approve: seal, reject: seal_no}}`,
			nil, "migration_unmapped", "b"},
		"another kind": {oneReview, oneReview, map[string]string{"a": "r"}, "migration_kind", "a"},
		"two nodes to one": {oneReview, strings.ReplaceAll(oneReview, "id: b,", "id: b2,") +
			"  - {id: b, kind: stage, next: b2}\n",
			map[string]string{"a": "b", "b": "b"}, "migration_name_taken", "a"},
		"a name of another node": {oneReview, oneReview, map[string]string{"a": "b", "b": "a"},
			"migration_name_taken", "a"},
		"a stage that closes the case": {oneReview, oneReview, map[string]string{"b": "seal_gone"},
			"migration_outcome", "b"},
		"a new stage that closes the case": {oneReview, oneReview + `
  - {id: seal2, kind: stage, outcome: archived, next: archived}`,
			map[string]string{"b": "seal2"}, "migration_outcome", "b"},
		"a node that does not exist": {oneReview, oneReview, map[string]string{"b": "x"},
			"migration_target", "b"},
		"a fork to a line": {twoBranches, `
  - {id: a, kind: stage, next: b}
  - {id: b, kind: review, queue: L1, on: {approve: c, reject: seal_no}}
  - {id: c, kind: review, queue: L2, duty: other, on: {approve: seal, reject: seal_no}}`,
			map[string]string{"j": ""}, "migration_branch", "b"},
		"branches in another order": {twoBranches,
			strings.Replace(twoBranches, "[b, c]", "[c, b]", 1), nil, "migration_branch", "b"},
		"one more branch": {twoBranches, strings.Replace(twoBranches, "[b, c]", "[b, c, d]", 1) +
			"  - {id: d, kind: stage, next: j}\n", nil, "migration_branches", "a"},
		"two nodes of one fork to one": {twoBranches, strings.ReplaceAll(twoBranches, "id: b,", "id: d,"),
			map[string]string{"b": "d", "c": "d"}, "migration_twice", "c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(test.to, "id: d, kind: review") {
				test.to = strings.Replace(test.to, "[b, c]", "[d, c]", 1)
			}
			if strings.Contains(test.to, "id: seal2") {
				test.to = strings.Replace(test.to, "next: seal}", "on: {done: seal, bad: seal2}}", 1)
			}
			from, to := versions(t, test.from, test.to)
			problems := CheckPlan(from, to, NewMigrationPlan(from, to, test.nodes))
			if test.rule == "" {
				if len(problems) > 0 {
					t.Fatalf("%v", problems)
				}
				return
			}
			if !slices.ContainsFunc(problems, func(p Problem) bool {
				return p.Rule == test.rule && p.Node == test.node && p.Line > 0 && p.Message != ""
			}) {
				t.Fatalf("want %s at %s, got %+v", test.rule, test.node, problems)
			}
		})
	}
}

// TestCounterexampleOfAPlan covers a plan that no rule about single nodes refuses.
func TestCounterexampleOfAPlan(t *testing.T) {
	t.Parallel()
	from, to := versions(t, `
  - {id: a, kind: stage, next: p}
  - {id: p, kind: stage, next: q}
  - {id: q, kind: review, queue: L1, on: {approve: seal, reject: seal_no, return: p}}`, `
  - {id: a, kind: stage, next: q}
  - {id: p, kind: stage, next: seal}
  - {id: q, kind: review, queue: L1, on: {approve: p, reject: seal_no, return: a}}`)
	problems := CheckPlan(from, to, NewMigrationPlan(from, to, nil))
	if len(problems) != 1 || problems[0].Rule != "migration_unreachable" || len(problems[0].Path) == 0 {
		t.Fatalf("a case that was returned to p cannot exist in the new version: %v", problems)
	}
}

// move migrates a case and checks its reviews; verdicts count in both versions.
func move(
	t *testing.T, from, to *Definition, marking domain.Marking, verdicts map[string]int,
) (domain.Marking, *Immovable) {
	t.Helper()
	plan := NewMigrationPlan(from, to, map[string]string{})
	facts := domain.ProcessFacts{Verdicts: verdicts}
	moved, err := MigrateMarking(from, to, plan, marking)
	if err == nil {
		err = MovingCase{From: from, To: to, Plan: plan, Marking: marking, Moved: moved,
			OldFacts: facts, Facts: facts,
			Narrower: func(_, other *Node) (bool, error) { return other.Queue == "L2", nil }}.CheckReviews()
	}
	var why *Immovable
	if err != nil && !errors.As(err, &why) {
		t.Fatal(err)
	}
	return moved, why
}

// TestMigrationNeverEasesACase covers the ways in which a migration could let a case pass with fewer
// reviews than one of its versions demands.
func TestMigrationNeverEasesACase(t *testing.T) {
	t.Parallel()
	const after = `
  - {id: a, kind: stage, next: r}
  - {id: r, kind: review, queue: L2, level: 2, on: {approve: aml, reject: seal_no}}
  - {id: aml, kind: review, queue: AML, level: 2, duty: aml, on: {approve: b, reject: seal_no}}
  - {id: b, kind: stage, next: seal}
`
	const stageFirst = `
  - {id: a, kind: stage, next: b}
  - {id: b, kind: stage, next: r}
  - {id: r, kind: review, queue: L2, level: 2, on: {approve: seal, reject: seal_no}}
`
	lower := strings.Replace(oneReview, "queue: L2, level: 2", "queue: L1, level: 1", 1)
	quorum := strings.Replace(oneReview, "level: 2,", "level: 2, seats: 2, quorum: 2,", 1)
	majority := strings.Replace(oneReview, "level: 2,", "level: 2, seats: 3, quorum: 2, decide_by: majority,", 1)
	unanimous := strings.Replace(majority, "majority", "unanimous", 1)
	moreSeats := strings.Replace(majority, "seats: 3", "seats: 5", 1)
	veto := strings.Replace(majority, "decide_by: majority,", "decide_by: majority, veto_queue: L3, veto_level: 3,", 1)
	start, a := Event{Kind: Started}, ended("a", 1)
	approve := decided("r", 1, 1, domain.Approve)
	second := decided("r", 1, 2, domain.Approve)
	for name, test := range map[string]struct {
		from, to string
		events   []Event
		reason   MoveReason
	}{
		"the same version":                {oneReview, oneReview, []Event{start, a}, ""},
		"a lower level, review ahead":     {oneReview, lower, []Event{start}, MoveEased},
		"a lower level, review open":      {oneReview, lower, []Event{start, a}, MoveEased},
		"a lower level, approved already": {oneReview, lower, []Event{start, a, approve}, ""},
		"a higher level":                  {lower, oneReview, []Event{start, a}, ""},
		"another queue of more people": {lower,
			strings.Replace(lower, "queue: L1", "queue: L9", 1), []Event{start, a}, MoveEased},
		"another queue of fewer people": {lower,
			strings.Replace(lower, "queue: L1", "queue: L2", 1), []Event{start, a}, ""},
		"a committee keeps its rule":         {majority, majority, []Event{start, a}, ""},
		"a committee keeps its votes":        {majority, majority, []Event{start, a, approve}, ""},
		"one rejection no longer rejects":    {quorum, majority, []Event{start, a}, MoveEased},
		"all become a majority":              {unanimous, majority, []Event{start}, MoveEased},
		"the majority gets more seats":       {majority, moreSeats, []Event{start, a}, MoveEased},
		"the majority loses its veto":        {veto, majority, []Event{start, a}, MoveEased},
		"a majority becomes all, once done":  {majority, unanimous, []Event{start, a, approve, second}, ""},
		"a smaller quorum":                   {quorum, oneReview, []Event{start, a}, MoveEased},
		"a larger quorum":                    {oneReview, quorum, []Event{start, a}, ""},
		"the review is removed, case before": {after, oneReview, []Event{start}, MoveEased},
		"the review is removed, case at it": {after, oneReview,
			[]Event{start, a, approve}, MoveStays},
		"the review is removed, case behind it": {after, oneReview,
			[]Event{start, a, approve, decided("aml", 1, 1, domain.Approve)}, ""},
		"a review is added ahead":  {oneReview, after, []Event{start, a}, ""},
		"a review is added behind": {oneReview, after, []Event{start, a, approve}, ""},
		"the stage is now behind the review": {stageFirst, oneReview,
			[]Event{start, a}, MoveSkips},
		"being closed": {oneReview, after,
			[]Event{start, a, approve, ended("b", 1)}, MoveDeciding},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := versions(t, test.from, test.to)
			step, verdicts := Step{}, map[string]int{}
			for _, event := range test.events {
				next, err := Advance(from, step.Marking, event, domain.ProcessFacts{})
				if err != nil {
					t.Fatal(err)
				}
				if step = next; event.Kind == ReviewDecided {
					verdicts[event.Node]++
				}
			}
			moved, why := move(t, from, to, step.Marking, verdicts)
			if (why == nil) != (test.reason == "") || why != nil && why.Reason != test.reason {
				t.Fatalf("want %q, got %+v, %+v", test.reason, why, moved)
			}
			if why != nil {
				return
			}
			run := approvalRun{def: to, marking: moved, facts: domain.ProcessFacts{Verdicts: verdicts}}
			status, err := run.toEnd()
			for _, node := range to.Reviews() {
				if run.facts.Verdicts[node.ID] < node.Quorum {
					t.Errorf("archived with %d verdicts at %s", run.facts.Verdicts[node.ID], node.ID)
				}
			}
			if err != nil || status != domain.Archived {
				t.Fatalf("%s, %v", status, err)
			}
		})
	}
}

// TestVotesThatCarry covers which approvals count in another version.
// A committee that has decided needs all votes that decided it in the new version too.
func TestVotesOfACommitteeMove(t *testing.T) {
	t.Parallel()
	text := strings.Replace(oneReview, "level: 2,", "level: 2, seats: 3, quorum: 2, decide_by: majority,", 1)
	from, to := versions(t, text, strings.NewReplacer("next: r}", "next: r2}", "id: r,", "id: r2,").Replace(text))
	step := Step{}
	for _, event := range []Event{{Kind: Started}, ended("a", 1),
		decided("r", 1, 1, domain.Reject), decided("r", 1, 2, domain.Approve),
		decided("r", 1, 3, domain.Approve)} {
		next, err := Advance(from, step.Marking, event, domain.ProcessFacts{})
		if err != nil {
			t.Fatal(err)
		}
		step = next
	}
	plan := MigrationPlan{Nodes: map[string]string{"a": "a", "r": "r2", "b": "b", "seal": "seal"}}
	moved, err := MigrateMarking(from, to, plan, step.Marking)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(moved.Notes[routeNote]); got != `{"votes":{"r2":3}}` {
		t.Errorf("the route's state is %s", got)
	}
}

func TestVotesThatCarry(t *testing.T) {
	t.Parallel()
	amount, lower := int64(500), int64(100)
	given := &Node{Queue: "L1", Duty: "approval", Level: 1, SignatureAbove: &amount}
	for name, test := range map[string]struct {
		other Node
		level int
		want  bool
	}{
		"same":             {Node{Queue: "L1", Duty: "approval", Level: 1, SignatureAbove: &amount}, 1, true},
		"another queue":    {Node{Queue: "AML", Duty: "approval", Level: 1}, 1, false},
		"another duty":     {Node{Queue: "L1", Duty: "aml", Level: 1}, 1, false},
		"higher level":     {Node{Queue: "L1", Duty: "approval", Level: 2}, 1, false},
		"given higher":     {Node{Queue: "L1", Duty: "approval", Level: 2}, 2, true},
		"signed from less": {Node{Queue: "L1", Duty: "approval", Level: 1, SignatureAbove: &lower}, 1, false},
		"of a committee": {Node{Queue: "L1", Duty: "approval", Level: 1, SignatureAbove: &amount,
			DecideBy: ByMajority}, 1, false},
	} {
		if got := VoteCarries(given, &test.other, test.level); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

var (
	sealTarget = regexp.MustCompile(`\b(next|done|to|default|approve): seal\b`)
	drawnNode  = regexp.MustCompile(`\b([a-z]+)(\d+)\b`)
	seatsLine  = regexp.MustCompile(`seats: (\d)`)
)

// drawnVersions draws a definition, and a newer version of it with other node names and, if extended,
// one more seat in each review and one more review before the end.
func drawnVersions(t *rapid.T, extended bool) (from, to *Definition, chosen map[string]string) {
	text := definitiontest.Sound(t)
	newer := drawnNode.ReplaceAllString(text, "${1}x$2")
	if extended {
		newer = sealTarget.ReplaceAllString(newer, "$1: extra")
		newer = strings.Replace(newer, "kind: stage, outcome: archived, next: extra", "kind: stage, outcome: archived, next: archived", 1)
		newer = seatsLine.ReplaceAllStringFunc(newer, func(seats string) string {
			return "seats: " + string(seats[len(seats)-1]+1)
		}) + "\n  - {id: extra, kind: review, queue: L2, duty: extra, on: {approve: seal, reject: seal_no}}\n"
	}
	var err error
	if from, err = Parse([]byte(text)); err == nil {
		to, err = Parse([]byte(newer))
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, newer)
	}
	from.Version, to.Version, chosen = 1, 2, map[string]string{}
	for _, node := range from.Nodes {
		chosen[node.ID] = drawnNode.ReplaceAllString(node.ID, "${1}x$2")
		if node.Kind == KindSaga {
			chosen[node.ID] = ""
		}
	}
	return from, to, chosen
}

// TestMigrationOfRandomCases moves random cases of random definitions to a version with other node
// names, more seats and one more review. No token is lost, no case is closed by moving, every moved
// case completes, and none is archived without the added review.
func TestMigrationOfRandomCases(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from, to, chosen := drawnVersions(t, true)
		plan := NewMigrationPlan(from, to, chosen)
		for _, problem := range CheckPlan(from, to, plan) {
			if problem.Rule != "state_space" {
				t.Fatalf("%v\n%s", problem, Mermaid(to))
			}
		}
		c := randomCase(t, from)
		moved, err := MigrateMarking(from, to, plan, c.step.Marking)
		var why *Immovable
		if errors.As(err, &why) {
			if why.Reason == MoveStays || why.Reason == MoveHistory {
				t.Fatalf("every node is mapped, but %+v: %+v\n%s", why, c.step.Marking, Mermaid(from))
			}
			return
		}
		facts := c.facts
		facts.Verdicts = map[string]int{}
		for node, seats := range c.votes {
			facts.Verdicts[plan.Nodes[node]] = len(seats)
		}
		if len(moved.Tokens) != len(c.step.Marking.Tokens) || len(OpenWork(to, moved, facts)) <
			len(OpenWork(from, c.step.Marking, facts)) {
			t.Fatalf("%+v became %+v", c.step.Marking, moved)
		}
		run := approvalRun{def: to, marking: moved, facts: facts}
		status, err := run.toEnd()
		if err != nil || !status.Final() {
			t.Fatalf("%s, %v: %+v\n%s", status, err, moved, Mermaid(to))
		}
		if status == domain.Archived && run.facts.Verdicts["extra"] < 1 {
			t.Fatalf("archived without the added review: %+v\n%s", moved, Mermaid(to))
		}
	})
}

// TestInverseMigrationRestoresTheMarking renames every node and back again.
func TestInverseMigrationRestoresTheMarking(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from, to, chosen := drawnVersions(t, false)
		plan := NewMigrationPlan(from, to, chosen)
		inverse := MigrationPlan{From: 2, To: 1, Nodes: map[string]string{}}
		for node, target := range plan.Nodes {
			inverse.Nodes[target] = node
		}
		c := randomCase(t, from)
		moved, err := MigrateMarking(from, to, plan, c.step.Marking)
		if err != nil {
			return
		}
		back, err := MigrateMarking(to, from, inverse, moved)
		if err != nil {
			t.Fatal(err)
		}
		was, _ := c.step.Marking.Canonical()
		is, _ := back.Canonical()
		for _, node := range from.Nodes { // a saga that was left is not mapped
			if node.Kind == KindSaga && c.step.Marking.Visits[node.ID] > 0 {
				return
			}
		}
		if string(was) != string(is) {
			t.Fatalf("%s became %s", was, is)
		}
	})
}

// randomCase advances a case by a random number of events.
func randomCase(t *rapid.T, def *Definition) *changingCase {
	c := &changingCase{t: t, def: def, open: openWork{}, votes: map[string]map[int]bool{},
		left: map[string]*Edge{}, order: map[*Edge]int{}}
	c.facts.Risk = rapid.IntRange(0, 100).Draw(t, "risk")
	c.send(Event{Kind: Started})
	for range rapid.IntRange(0, 30).Draw(t, "events") {
		if len(c.step.Marking.Tokens) == 0 || executesDecision(def, c.step.Marking) {
			break
		}
		if rapid.IntRange(0, 4).Draw(t, "changes") == 0 {
			c.change()
		}
		key, event := choose(t, def, c.step.Marking, c.open, false)
		delete(c.open, key)
		c.vote(event)
		c.send(event)
	}
	return c
}
