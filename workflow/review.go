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
	escalated, ok := seats.close(event.Seat)
	if !ok {
		return stateMismatch("Seat %d of %s is not open any more.", event.Seat, node.ID).WithDetail("node", node.ID)
	}
	if event.Verdict == domain.Escalate {
		return p.escalate(node, event, seats, escalated)
	}
	edge := node.outcomeEdge(string(event.Verdict))
	if edge == nil {
		return domain.Invalid("verdict", "%q cannot be decided at %s", event.Verdict, node.ID)
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
	return p.takeEdge(node, edge)
}

// escalate opens one seat higher up in place of the closed one.
func (p *stepBuilder) escalate(node *Node, event Event, seats seatState, already bool) error {
	if node.EscalateTo == "" {
		return domain.Invalid("verdict", "a review at %s cannot be escalated", node.ID)
	}
	if already {
		return domain.Invalid("verdict", "this review was already escalated to %s", node.EscalateTo)
	}
	seats.Last++
	seats.Open = append(seats.Open, openSeat{Seat: seats.Last, Escalated: true})
	p.state.setSeats(node.ID, seats)
	p.deferEffect(openReviewEffect(node, event.Visit, seats.Last, true))
	return nil
}

// returnToSubmitter ends all open work and lets the case wait for its submitter.
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

// dutiesToRepeat lists the duties whose votes fall when a review returns the case: its own, and those of every review that
// is asked again on the way from where the case goes on; in order of declaration.
func (d *Definition) dutiesToRepeat(from, target *Node) []string {
	ahead, open := map[*Node]bool{}, []*Node{target}
	for len(open) > 0 {
		node := open[len(open)-1]
		if open = open[:len(open)-1]; ahead[node] {
			continue
		}
		ahead[node] = true
		for _, edge := range node.Edges {
			if !edge.returns(node) { // a further return makes votes fall by itself
				open = append(open, edge.target)
			}
		}
	}
	ahead[from] = true
	var duties []string
	for _, node := range d.Nodes {
		if node.Kind == KindReview && ahead[node] && !slices.Contains(duties, node.Duty) {
			duties = append(duties, node.Duty)
		}
	}
	return duties
}

// ReEntryNode returns the node at which a returned case goes on when it is resubmitted without a new document, "" for a case
// that is not returned.
func ReEntryNode(marking domain.Marking) string {
	states := nodeStates{byNode: marking.Notes}
	return states.returnTo()
}

// seatState is what a review node keeps between verdicts; without a note all its seats are open and none approved.
type seatState struct {
	Open      []openSeat `json:"open"`
	Approvals int        `json:"approvals,omitempty"`
	Last      int        `json:"last"` // highest seat number given
}

type openSeat struct {
	Seat      int  `json:"seat"`
	Escalated bool `json:"escalated,omitempty"`
}

// close takes a seat out of the open ones and tells whether it was an escalated one.
func (s *seatState) close(seat int) (escalated, ok bool) {
	for i, open := range s.Open {
		if open.Seat == seat {
			s.Open = slices.Delete(s.Open, i, i+1)
			return open.Escalated, true
		}
	}
	return false, false
}

func (s seatState) openSeats() []int {
	var seats []int
	for _, open := range s.Open {
		seats = append(seats, open.Seat)
	}
	return seats
}

// nodeStates is the marking's node state; it is copied before the first change, so that the old marking stays as it was.
type nodeStates struct {
	byNode map[string]json.RawMessage
	copied bool
}

// writable returns the book, copied if it is still the old marking's.
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

// set writes a note. Our notes are structs and slices of plain values, which always marshal.
func (n *nodeStates) set(node string, value any) {
	if text, err := json.Marshal(value); err == nil {
		n.writable()[node] = text
	}
}

// read fills value from a note; a note that is not ours to read counts as absent.
func (n *nodeStates) read(node string, value any) bool {
	text, ok := n.byNode[node]
	return ok && json.Unmarshal(text, value) == nil
}

func (n *nodeStates) seats(node *Node) seatState {
	var note seatState
	if n.read(node.ID, &note) {
		return note
	}
	note = seatState{Last: node.Seats, Open: make([]openSeat, node.Seats)}
	for i := range note.Open {
		note.Open[i].Seat = i + 1
	}
	return note
}

func (n *nodeStates) setSeats(node string, note seatState) { n.set(node, note) }

func (n *nodeStates) arrivals(node string) []string {
	var arrived []string
	n.read(node, &arrived)
	return arrived
}

func (n *nodeStates) setArrivals(node string, arrived []string) { n.set(node, arrived) }

// returnState says where a returned case goes on.
type returnState struct {
	To string `json:"to"`
}

func (n *nodeStates) returnTo() string {
	var note returnState
	n.read(Returned, &note)
	return note.To
}

func (n *nodeStates) setReturnTo(node string) { n.set(Returned, returnState{To: node}) }

func asDomainError(err error) *domain.Error {
	var failure *domain.Error
	if errors.As(err, &failure) {
		return failure
	}
	return nil
}
