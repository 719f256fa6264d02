package workflow

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

const simulatedDefinition = `
key: simulated
version: 1
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: route}
  - {id: route, kind: exclusive, branches: [{when: base_minor >= 1000, to: review}], default: archive}
  - {id: review, kind: review, queue: L1, on: {approve: archive, reject: seal_rejected, return: route}}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: abandoned, kind: end, status: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
`

func pastOf(node string, verdicts ...domain.Verdict) (past Past) {
	for _, verdict := range verdicts {
		past.Decisions = append(past.Decisions, PastDecision{node, DutyApproval, domain.QueueL1, verdict})
		if verdict == domain.Return {
			past.Resubmitted++
		}
	}
	return past
}

// A simulation repeats the verdicts of the past, and approves where there was no review.
func TestSimulateRepeatsVerdicts(t *testing.T) {
	t.Parallel()
	def := mustParse(t, simulatedDefinition)
	unanswered := pastOf("review", domain.Return)
	unanswered.Resubmitted = 0
	for name, row := range map[string]struct {
		base  int64
		past  Past
		want  domain.Status
		known []int // decisions of the seats
	}{
		"no review":           {999, pastOf("review", domain.Reject), domain.Archived, nil},
		"approved":            {1000, pastOf("review", domain.Approve), domain.Archived, []int{0}},
		"rejected":            {1000, pastOf("review", domain.Reject), domain.Rejected, []int{0}},
		"without a past":      {1000, Past{}, domain.Archived, []int{-1}},
		"returned, rejected":  {1000, pastOf("review", domain.Return, domain.Reject), domain.Rejected, []int{0, 1}},
		"returned only":       {1000, pastOf("review", domain.Return), domain.Archived, []int{0, -1}},
		"returned, no answer": {1000, unanswered, domain.Returned, []int{0}},
		"renamed":             {1000, pastOf("old_review", domain.Reject), domain.Rejected, []int{0}},
		"of another node":     {1000, pastOf("route", domain.Reject), domain.Rejected, []int{0}},
	} {
		route, err := Simulate(def, ofAmount(row.base), row.past)
		var known []int
		for _, seat := range route.Seats {
			known = append(known, seat.Decision)
		}
		if err != nil || route.Status != row.want || !slices.Equal(known, row.known) {
			t.Errorf("%s: %s, decisions %v (%v), want %s, %v", name, route.Status, known, err, row.want,
				row.known)
		}
	}
}

// A verdict that the review does not accept, and a fact that is unknown, are errors with their node.
func TestSimulateNamesTheNode(t *testing.T) {
	t.Parallel()
	def := mustParse(t, simulatedDefinition)
	_, err := Simulate(def, ofAmount(1000), pastOf("review", domain.Repaired))
	if failure := asDomainError(err); failure == nil || failure.Detail["node"] != "review" {
		t.Errorf("not accepted: %v", err)
	}
	unknown := ofAmount(1000)
	unknown.AmountKnown = false
	if _, err = Simulate(def, unknown, Past{}); asDomainError(err) == nil ||
		asDomainError(err).Detail["node"] != "route" {
		t.Errorf("unknown amount: %v", err)
	}
}

// The approvals of one duty need different people; a review that was not visited needs no one.
func TestStaffingOfRoute(t *testing.T) {
	t.Parallel()
	def := mustParse(t, simulatedDefinition)
	straight, _ := Simulate(def, ofAmount(1), Past{})
	reviewed, _ := Simulate(def, ofAmount(1000), Past{})
	person := domain.NewID()
	for _, row := range []struct {
		route        Route
		able         []domain.ID
		needed, have int
	}{{straight, nil, 0, 0}, {reviewed, nil, 1, 0}, {reviewed, []domain.ID{person}, 1, 1}} {
		able := make([][]domain.ID, len(row.route.Seats))
		for i := range able {
			able[i] = row.able
		}
		needed, have := row.route.Staffing(def, able)
		if needed != row.needed || have != row.have {
			t.Errorf("%d of %d people, want %d of %d", have, needed, row.have, row.needed)
		}
	}
}

// A seat of a committee with a queue of its own is taken by the people of that queue, and the other seats
// are not: with enough people in both, they are not too few.
func TestStaffingOfSeatsWithRoles(t *testing.T) {
	t.Parallel()
	def := mustParse(t, strings.Replace(simulatedDefinition, "queue: L1,",
		"queue: L1, seats: 3, quorum: 2, decide_by: majority, chair_queue: L2,", 1))
	route, err := Simulate(def, ofAmount(1000), Past{})
	if err != nil {
		t.Fatal(err)
	}
	one, two, chair := domain.NewID(), domain.NewID(), domain.NewID()
	for _, row := range []struct {
		members, chairs []domain.ID
		have            int
	}{
		{[]domain.ID{one, two}, []domain.ID{chair}, 3},
		{[]domain.ID{one, two, chair}, nil, 2},
		{[]domain.ID{one, chair}, []domain.ID{chair}, 2},
	} {
		able := make([][]domain.ID, len(route.Seats))
		for i, seat := range route.Seats {
			able[i] = row.members
			if seat.Queue == "L2" {
				able[i] = row.chairs
			}
		}
		if needed, have := route.Staffing(def, able); needed != 3 || have != row.have {
			t.Errorf("%d of %d people, want %d of 3", have, needed, row.have)
		}
	}
}

// A process that never ends stops the simulation with an error.
func TestSimulateEnds(t *testing.T) {
	t.Parallel()
	def := mustParse(t, `
key: endless
version: 1
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: again}
  - {id: again, kind: timer, after: 1m, next: leave}
  - {id: leave, kind: exclusive, branches: [{when: base_minor < 0, to: seal_abandoned}], default: again}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: abandoned, kind: end, status: abandoned}
`)
	if _, err := Simulate(def, ofAmount(1), Past{}); !domain.HasCode(err, domain.UnsoundDefinition) {
		t.Errorf("endless: %v", err)
	}
}

// A stage that may ask for another attempt is done in a simulation, although "again" is before "done".
func TestSimulateCompletesStages(t *testing.T) {
	t.Parallel()
	def := mustParse(t, strings.Replace(simulatedDefinition, "kind: start, next: route}", `kind: start, next: check}
  - {id: check, kind: stage, behaviour: validate, on: {again: check, bad: seal_rejected, done: route}}`, 1))
	route, err := Simulate(def, ofAmount(1), Past{})
	if err != nil || route.Status != domain.Archived {
		t.Errorf("ended %s: %v", route.Status, err)
	}
}
