package workflow

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"countersign/domain"
)

// MoveReason says why a case does not move to another version.
type MoveReason string

// The reasons of the engine.
const (
	MoveEnded    MoveReason = "ended"          // the case has ended or has not begun
	MoveDeciding MoveReason = "deciding"       // its decision is being executed
	MoveStays    MoveReason = "stays"          // the plan has no node for a token
	MoveHistory  MoveReason = "history"        // it left a node in a way that the new version lacks
	MoveSeat     MoveReason = "escalated"      // a seat was escalated, and the new version does not escalate
	MoveDoubted  MoveReason = "doubted"        // it was reopened, and the new version cannot record that
	MoveEased    MoveReason = "fewer_reviews"  // the new version demands less of a review ahead
	MoveSkips    MoveReason = "review_skipped" // it would pass without a review that the new version demands
)

// Immovable is the error of a case that does not move.
type Immovable struct {
	Reason  MoveReason
	Node    string // of the version of the case; of the new version for MoveSkips
	Message string
}

// Error returns the sentence.
func (i *Immovable) Error() string { return i.Message }

func immovable(reason MoveReason, node, format string, args ...any) *Immovable {
	return &Immovable{Reason: reason, Node: node, Message: fmt.Sprintf(format, args...)}
}

// MigrateMarking returns the marking that a case has in the version To. Every token moves, or the
// error is an *Immovable. The plan must have passed CheckPlan. Work stays open where it is: a review
// gets as many new seats as the new version has more.
func MigrateMarking(
	from, to *Definition, plan MigrationPlan, marking domain.Marking,
) (domain.Marking, error) {
	m := markingMove{from: from, to: to, plan: plan, old: nodeStates{byNode: marking.Notes}}
	if len(marking.Tokens) == 0 {
		return domain.Marking{}, immovable(MoveEnded, "", "The case is not in progress.")
	}
	moved := domain.Marking{Tokens: make([]domain.Token, len(marking.Tokens))}
	for i, token := range marking.Tokens {
		target, err := m.moveToken(token.Node)
		if err != nil {
			return domain.Marking{}, err
		}
		moved.Tokens[i] = domain.Token{Node: target, Visit: token.Visit}
	}
	if err := m.moveRoute(); err != nil {
		return domain.Marking{}, err
	}
	moved.Notes = m.new.byNode
	if marking.Visits != nil {
		moved.Visits = make(map[string]int, len(marking.Visits))
	}
	for id, visits := range marking.Visits {
		if target, ok := plan.node(id); ok {
			moved.Visits[target] = visits
		}
	}
	if WasDoubted(from, marking) != WasDoubted(to, moved) {
		return domain.Marking{}, immovable(MoveDoubted, "",
			"The case was opened again after its end, and the new version has no such end.")
	}
	return moved, nil
}

// node returns the node to which a node is mapped, false if there is none. A returned case stays
// returned.
func (p MigrationPlan) node(id string) (string, bool) {
	if id == Returned {
		return id, true
	}
	target, ok := p.Nodes[id]
	return target, ok && !slices.Contains(p.Stays, id)
}

// scope returns the scope with the mapped forks, false if one is not mapped.
func (p MigrationPlan) scope(scope string) (string, bool) {
	if scope == "" {
		return "", true
	}
	parts := scopeParts(scope)
	for i, part := range parts {
		fork, branches, _ := strings.Cut(part, ".")
		target, ok := p.node(fork)
		if !ok {
			return "", false
		}
		parts[i] = target + "." + branches
	}
	return strings.Join(parts, "/"), true
}

// markingMove computes the notes of a migrated marking.
type markingMove struct {
	from, to *Definition
	plan     MigrationPlan
	old, new nodeStates
}

// moveToken returns the node of a token in the new version and moves the state of its node.
func (m *markingMove) moveToken(id string) (string, error) {
	node := m.from.index[id]
	switch {
	case id == Returned:
		target, ok := m.plan.node(m.old.returnTo())
		if !ok {
			return "", immovable(MoveStays, m.old.returnTo(),
				"The case was returned to %s, which the plan does not map.", m.old.returnTo())
		}
		m.new.setReturnTo(target)
		return id, nil
	case node == nil || node.Outcome != "":
		return "", immovable(MoveDeciding, id, "The case is already being closed.")
	case node.Kind == KindSaga:
		return "", immovable(MoveDeciding, id, "The decision is being sent to other systems.")
	}
	target, ok := m.plan.node(id)
	if !ok || m.to.index[target] == nil {
		return "", immovable(MoveStays, id, "By the plan, cases that wait at %s stay.", id)
	}
	other := m.to.index[target]
	switch node.Kind {
	case KindReview:
		return target, m.moveSeats(node, other)
	case KindJoin:
		arrived := m.old.arrivals(id)
		for i, source := range arrived {
			arrived[i] = m.plan.Nodes[source]
		}
		slices.Sort(arrived)
		m.new.setArrivals(target, arrived)
	default:
		if state, ok := m.old.byNode[id]; ok {
			m.new.set(target, state)
		}
	}
	return target, nil
}

// moveSeats keeps the seats of a review and opens as many as the new version has more.
func (m *markingMove) moveSeats(node, other *Node) error {
	seats := m.old.seats(node)
	for _, seat := range seats.Open {
		if seat.Escalated && other.EscalateTo == "" {
			return immovable(MoveSeat, node.ID,
				"The review was escalated, which the new version does not do.")
		}
	}
	for range other.Seats - node.Seats {
		seats.Last++
		seats.Open = append(seats.Open, openSeat{Seat: seats.Last})
	}
	m.new.setSeats(other.ID, seats)
	untouched := nodeStates{}
	untouched.setSeats(other.ID, untouched.seats(other))
	if bytes.Equal(m.new.byNode[other.ID], untouched.byNode[other.ID]) {
		m.new.drop(other.ID) // as the engine stores a review in which no seat has been decided
	}
	return nil
}

// moveRoute moves what an evaluation of the route needs.
func (m *markingMove) moveRoute() error {
	var old routeState
	if !m.old.read(routeNote, &old) {
		return nil
	}
	moved := routeState{}
	for id, at := range old.Left {
		exit, ok := m.moveExit(routeExit{id, at})
		if _, mapped := m.plan.node(id); !mapped {
			continue // the new version does not ask about a node that it lacks
		}
		if !ok {
			return immovable(MoveHistory, id, "The case left %s in a way that the new version lacks.", id)
		}
		if moved.Left == nil {
			moved.Left = map[string]int{}
		}
		moved.Left[exit.Node] = exit.Edge
	}
	var err error
	if moved.Resume, err = m.moveExits(old.Resume, m.plan.scope); err != nil {
		return err
	}
	if moved.Skipped, err = m.moveExits(old.Skipped, m.plan.node); err != nil {
		return err
	}
	for id, votes := range old.Votes {
		target, mapped := m.plan.node(id)
		if !mapped {
			continue
		}
		if moved.Votes == nil {
			moved.Votes = map[string]int{}
		}
		moved.Votes[target] = votes
	}
	if !moved.isEmpty() {
		m.new.set(routeNote, moved)
	}
	return nil
}

// moveExits moves the exits under their renamed keys.
func (m *markingMove) moveExits(
	exits map[string]routeExit, rename func(string) (string, bool),
) (map[string]routeExit, error) {
	var moved map[string]routeExit
	for _, key := range slices.Sorted(maps.Keys(exits)) {
		exit, ok := m.moveExit(exits[key])
		renamed, named := rename(key)
		if !ok || !named {
			return nil, immovable(MoveHistory, exits[key].Node,
				"The case is on a part of its route that the new version lacks.")
		}
		if moved == nil {
			moved = map[string]routeExit{}
		}
		moved[renamed] = exit
	}
	return moved, nil
}

// moveExit returns the edge of the new version with the same label.
func (m *markingMove) moveExit(exit routeExit) (routeExit, bool) {
	target, ok := m.plan.node(exit.Node)
	node, other := m.from.index[exit.Node], m.to.index[target]
	if !ok || node == nil || other == nil {
		return routeExit{}, false
	}
	if exit.Edge < 0 || exit.Edge >= len(node.Edges) {
		return routeExit{target, exit.Edge}, exit.Edge < 0
	}
	edge := node.Edges[exit.Edge]
	at := slices.IndexFunc(other.Edges, func(e Edge) bool {
		return e.On == edge.On && e.Trigger == edge.Trigger && e.When == edge.When &&
			slices.Equal(e.Codes, edge.Codes)
	})
	return routeExit{target, at}, at >= 0
}
