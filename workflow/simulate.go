package workflow

import (
	"slices"

	"countersign/domain"
)

// maxSimulatedEvents limits the events of one simulation; a sound definition stays far below.
const maxSimulatedEvents = 1000

// Past is what people did on a case, as a simulation repeats it. Without it every review is approved.
type Past struct {
	// Decisions are in the order in which they were made.
	Decisions []PastDecision
	// Resubmitted is how many returns the submitter answered.
	Resubmitted int
}

// PastDecision is the verdict of a seat of a review.
type PastDecision struct {
	Node, Duty, Queue string
	Verdict           domain.Verdict
}

// Route is the way of a case through its process.
type Route struct {
	Nodes []string // visited, in the order of the definition
	// Seats are the decided seats of reviews, in the order of their decisions.
	Seats  []SimulatedSeat
	Status domain.Status // of the case at the end of the route
}

// SimulatedSeat is a decided seat of a review.
type SimulatedSeat struct {
	OpenReview
	Verdict domain.Verdict
	// Decision is the index of the past decision with this verdict, -1 if there is none.
	Decision int
}

// Simulate advances a case with these facts from its start to an end: every stage is done or, without
// that outcome, ends in the first by name, every timer fires, every call succeeds. A review gets
// the verdict that it had in the past; one that did not exist is approved. An error is that of Advance
// with the detail "node"; the route so far is returned with it. A repair names the missing facts.
func Simulate(def *Definition, facts domain.ProcessFacts, past Past) (Route, error) {
	s := simulation{def: def, facts: facts, documents: facts.Unseen, past: past, used: make([]bool, len(past.Decisions)),
		visited: map[string]bool{}, open: []simulatedWork{{event: Event{Kind: Started}}}}
	for n := 0; len(s.open) > 0; n++ {
		if n == maxSimulatedEvents {
			return s.finish(), domain.Errorf(domain.UnsoundDefinition,
				"The case does not end within %d steps.", maxSimulatedEvents).
				WithDetail("node", s.open[0].event.Node)
		}
		if err := s.step(); err != nil {
			return s.finish(), err
		}
	}
	return s.finish(), nil
}

// simulation is the state of Simulate.
type simulation struct {
	def   *Definition
	facts domain.ProcessFacts
	// documents says that the case has supporting documents, which count as unseen again after a return.
	documents bool
	past      Past
	used      []bool // of the past decisions
	marking   domain.Marking
	visited   map[string]bool
	seats     []SimulatedSeat
	open      []simulatedWork
}

// simulatedWork is work that ends with an event; review is the seat that a verdict ends.
type simulatedWork struct {
	event  Event
	review OpenReview
}

// step completes the oldest open work.
func (s *simulation) step() error {
	work := s.open[0]
	s.open = s.open[1:]
	decision := -1
	if work.event.Kind == ReviewDecided {
		if decision = s.findDecision(work.review); decision >= 0 {
			work.event.Verdict = s.past.Decisions[decision].Verdict
		}
	}
	if work.event.Verdict == domain.Repaired {
		s.facts.Missing = nil
	}
	facts := s.facts
	if s.votes(work.event) {
		facts.Unseen = false
	}
	step, err := Advance(s.def, s.marking, work.event, facts)
	if domain.HasCode(err, domain.StateMismatch) {
		return nil // withdrawn by an earlier event, or not needed for the quorum
	}
	if err != nil {
		if failure := asDomainError(err); failure != nil && failure.Detail["node"] == "" {
			return failure.WithDetail("node", work.event.Node)
		}
		return err
	}
	if work.event.Kind == ReviewDecided {
		s.seats = append(s.seats, SimulatedSeat{work.review, work.event.Verdict, decision})
		if decision >= 0 {
			s.used[decision] = true
		}
	}
	s.marking, s.facts = step.Marking, facts
	for node := range step.Marking.Visits {
		s.visited[node] = true
	}
	for _, effect := range step.Effects {
		if event, ok := successEvent(s.def, effect); ok {
			review, _ := effect.(OpenReview)
			s.open = append(s.open, simulatedWork{event, review})
		}
	}
	if work.event.Verdict == domain.Return && s.past.Resubmitted > 0 {
		s.past.Resubmitted--
		s.facts.Unseen = s.documents
		s.open = append(s.open, simulatedWork{event: Event{Kind: Resubmitted}})
	}
	return nil
}

// votes reports whether an event is a vote of a person, who has seen the supporting documents.
func (s *simulation) votes(event Event) bool {
	node, known := s.def.Node(event.Node)
	return event.Kind == ReviewDecided && (event.Verdict == domain.Approve || event.Verdict == domain.Reject) &&
		known && !node.Repairs()
}

// findDecision returns the index of the next past decision of the review, -1 if there is none. A review
// without decisions takes one of the same duty and queue if its own review does not exist any more.
func (s *simulation) findDecision(review OpenReview) int {
	renamed, known := -1, false
	for i, decision := range s.past.Decisions {
		if known = known || decision.Node == review.Node; s.used[i] {
			continue
		}
		if decision.Node == review.Node {
			return i
		}
		node, exists := s.def.Node(decision.Node)
		if renamed < 0 && decision.Duty == review.Duty && decision.Queue == review.Queue &&
			(!exists || node.Kind != KindReview) {
			renamed = i
		}
	}
	if known {
		return -1
	}
	return renamed
}

func (s *simulation) finish() Route {
	route := Route{Seats: s.seats, Status: StatusOf(s.def, s.marking)}
	for _, node := range s.def.Nodes {
		if s.visited[node.ID] {
			route.Nodes = append(route.Nodes, node.ID)
		}
	}
	return route
}

// successEvent returns the event that completes the work of an effect successfully; ok is false if
// there is none.
func successEvent(def *Definition, effect Effect) (event Event, ok bool) {
	switch effect := effect.(type) {
	case StartStage:
		event := Event{Kind: StageEnded, Node: effect.Node, Visit: effect.Visit,
			Outcome: OutcomeDone}
		if node, ok := def.Node(effect.Node); ok {
			outcomes := node.Outcomes()
			if len(outcomes) > 0 && !slices.Contains(outcomes, OutcomeDone) {
				event.Outcome = outcomes[0]
			}
		}
		return event, true
	case StartTimer:
		return Event{Kind: TimerFired, Node: effect.Node, Visit: effect.Visit}, !effect.Boundary
	case StartStep:
		return Event{Kind: StepEnded, Node: effect.Node, Visit: effect.Visit, Step: effect.Step,
			Undo: effect.Undo}, true
	case OpenReview:
		verdict := domain.Approve
		if effect.Duty == domain.DutyRepair {
			verdict = domain.Repaired
		}
		return Event{Kind: ReviewDecided, Node: effect.Node, Visit: effect.Visit, Seat: effect.Seat,
			Verdict: verdict}, true
	}
	return Event{}, false
}

// Reviews returns how many seats each review node had.
func (r Route) Reviews() map[string]int {
	seats := map[string]int{}
	for _, seat := range r.Seats {
		seats[seat.Node]++
	}
	return seats
}

// Staffing returns how many different people the approvals of a route need, and how many of them there
// are. able lists, for each seat of the route, the people who could take it: a seat of a committee with a
// role has people of its own. A person counts once for each duty.
func (r Route) Staffing(def *Definition, able [][]domain.ID) (needed, have int) {
	var reviews []string
	persons := map[string][]domain.ID{}
	for i, seat := range r.Seats {
		if !slices.Contains(reviews, seat.Node) {
			reviews = append(reviews, seat.Node)
		}
		if node, known := def.Node(seat.Node); known {
			persons[seat.Node+string(node.firstRole(seat.Seat))] = able[i]
		}
	}
	for _, duty := range dutiesOf(def, reviews) {
		forDuty, assigned := matchApprovals(nodesOfDuty(def, reviews, duty), persons, nil)
		needed, have = needed+forDuty, have+assigned
	}
	return needed, have
}
