package workflow

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"countersign/domain"
)

// decide closes a seat with its verdict.
func (p *stepBuilder) decide(event Event) error {
	node, at, err := p.locateToken(event, KindReview)
	if err != nil {
		return err
	}
	seats := p.state.seats(node)
	closed, ok := seats.close(event.Seat)
	if !ok {
		return stateMismatch("Seat %d of %s is no longer open.", event.Seat, node.ID).
			WithDetail("node", node.ID)
	}
	if event.Verdict == domain.Escalate {
		return p.escalate(node, event, seats, closed)
	}
	if node.Committee() && event.Verdict != domain.Return {
		return p.vote(node, at, seats, castVote{Seat: event.Seat, Verdict: event.Verdict,
			Escalated: closed.Escalated, Role: closed.Role})
	}
	edge := node.outcomeEdge(string(event.Verdict))
	if edge == nil {
		return domain.Invalid("verdict", "%s does not accept the verdict %q.", node.ID,
			event.Verdict)
	}
	if event.Verdict == domain.Approve {
		if seats.Approvals++; seats.Approvals < node.Quorum {
			p.state.setSeats(node.ID, seats)
			return nil
		}
	}
	if open := seats.openSeats(); len(open) > 0 {
		p.addEffect(CancelReview{Node: node.ID, Visit: event.Visit, Seats: open})
	}
	p.leaveNode(node, at)
	if event.Verdict == domain.Return {
		return p.returnToSubmitter(node, edge)
	}
	return p.leaveAlong(node, edge)
}

// escalate opens one seat at a higher level in place of the closed one.
func (p *stepBuilder) escalate(node *Node, event Event, seats seatState, closed openSeat) error {
	if node.EscalateTo == "" {
		return domain.Invalid("verdict", "A review at %s cannot be escalated.", node.ID)
	}
	if closed.Escalated {
		return domain.Invalid("verdict", "This review was already escalated to %s.",
			node.EscalateTo)
	}
	p.replaceSeat(node, event.Visit, seats, openSeat{Escalated: true, Role: closed.Role})
	return nil
}

// replaceSeat opens a seat in the place of a closed one.
func (p *stepBuilder) replaceSeat(node *Node, visit int, seats seatState, seat openSeat) {
	seats.Last++
	seat.Seat = seats.Last
	seats.Open = append(seats.Open, seat)
	p.state.setSeats(node.ID, seats)
	p.deferEffect(openReviewEffect(node, visit, seat))
}

// returnToSubmitter withdraws all open work and makes the case wait for its submitter.
func (p *stepBuilder) returnToSubmitter(from *Node, edge *Edge) error {
	if p.onEdge != nil {
		p.onEdge(edge)
	}
	if err := p.withdrawTokens(nil); err != nil {
		return err
	}
	p.addEffect(VotesRevoked{Duties: p.def.dutiesToRepeat(from, edge.target)})
	p.visits[Returned]++
	p.tokens = append(p.tokens, domain.Token{Node: Returned, Visit: p.visits[Returned]})
	p.state.setReturnTo(edge.To)
	return nil
}

// dutiesToRepeat lists the duties whose votes are revoked when a review returns the case: its own,
// and those of every review that can be reached from the node where the case continues, except
// repairs, without votes. They are in order of declaration.
func (d *Definition) dutiesToRepeat(from, target *Node) []string {
	ahead, open := map[*Node]bool{}, []*Node{target}
	for len(open) > 0 {
		node := open[len(open)-1]
		if open = open[:len(open)-1]; ahead[node] {
			continue
		}
		ahead[node] = true
		for _, edge := range node.Edges {
			if !edge.returns(node) { // a further return revokes votes itself
				open = append(open, edge.target)
			}
		}
	}
	ahead[from] = true
	var duties []string
	for _, node := range d.Nodes {
		if node.Kind == KindReview && ahead[node] && !node.Repairs() &&
			!slices.Contains(duties, node.Duty) {
			duties = append(duties, node.Duty)
		}
	}
	return duties
}

// ReEntryNode returns the node where a returned case continues when it is resubmitted without a new
// document, "" for a case that is not returned.
func ReEntryNode(marking domain.Marking) string {
	states := nodeStates{byNode: marking.Notes}
	return states.returnTo()
}

// seatState is a review's state between verdicts. A node without stored state has all its seats
// open and no approvals.
type seatState struct {
	Open      []openSeat `json:"open"`
	Approvals int        `json:"approvals,omitempty"`
	Last      int        `json:"last"` // highest seat number so far
	// Cast are the votes of a committee that count, instead of Approvals.
	Cast []castVote `json:"cast,omitempty"`
}

type openSeat struct {
	Seat      int      `json:"seat"`
	Escalated bool     `json:"escalated,omitempty"`
	Role      seatRole `json:"role,omitempty"`
}

// close removes a seat from the open ones and reports whether it was open.
func (s *seatState) close(seat int) (closed openSeat, ok bool) {
	for i, open := range s.Open {
		if open.Seat == seat {
			s.Open = slices.Delete(s.Open, i, i+1)
			return open, true
		}
	}
	return openSeat{}, false
}

func (s seatState) openSeats() []int {
	var seats []int
	for _, open := range s.Open {
		seats = append(seats, open.Seat)
	}
	return seats
}

// nodeStates holds the state of each node of a marking. It is copied before the first change, so
// that the old marking stays unchanged.
type nodeStates struct {
	byNode map[string]json.RawMessage
	copied bool
}

// writable returns the map for writing and copies it if it still belongs to the old marking.
func (n *nodeStates) writable() map[string]json.RawMessage {
	if !n.copied {
		if n.byNode = maps.Clone(n.byNode); n.byNode == nil {
			n.byNode = map[string]json.RawMessage{}
		}
		n.copied = true
	}
	return n.byNode
}

func (n *nodeStates) drop(node string) {
	if _, ok := n.byNode[node]; !ok {
		return
	}
	if delete(n.writable(), node); len(n.byNode) == 0 {
		n.byNode, n.copied = nil, false
	}
}

// set stores a node's state. States are structs and slices of plain values, so they always marshal.
func (n *nodeStates) set(node string, value any) {
	if text, err := json.Marshal(value); err == nil {
		n.writable()[node] = text
	}
}

// read decodes a node's state into value and reports whether there was any. State that does not
// decode counts as absent.
func (n *nodeStates) read(node string, value any) bool {
	text, ok := n.byNode[node]
	return ok && json.Unmarshal(text, value) == nil
}

func (n *nodeStates) seats(node *Node) seatState {
	var seats seatState
	if n.read(node.ID, &seats) {
		return seats
	}
	return seatState{Last: node.Seats, Open: node.firstSeats()}
}

func (n *nodeStates) setSeats(node string, seats seatState) { n.set(node, seats) }

func (n *nodeStates) arrivals(node string) []string {
	var arrived []string
	n.read(node, &arrived)
	return arrived
}

func (n *nodeStates) setArrivals(node string, arrived []string) { n.set(node, arrived) }

// returnState is where a returned case continues.
type returnState struct {
	To string `json:"to"`
}

func (n *nodeStates) returnTo() string {
	var state returnState
	n.read(Returned, &state)
	return state.To
}

func (n *nodeStates) setReturnTo(node string) { n.set(Returned, returnState{To: node}) }

func asDomainError(err error) *domain.Error {
	var failure *domain.Error
	if errors.As(err, &failure) {
		return failure
	}
	return nil
}
