package workflow

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"countersign/domain"
)

// decide closes a seat with its verdict.
func (p *pass) decide(event Event) error {
	node, at, err := p.locate(event, KindReview)
	if err != nil {
		return err
	}
	seats := p.notes.seats(node)
	escalated, ok := seats.close(event.Seat)
	if !ok {
		return mismatch("Seat %d of %s is not open any more.", event.Seat, node.ID).WithDetail("node", node.ID)
	}
	if event.Verdict == domain.Escalate {
		return p.escalate(node, event, seats, escalated)
	}
	edge := node.edge(string(event.Verdict))
	if edge == nil {
		return domain.Invalid("verdict", "%q cannot be decided at %s", event.Verdict, node.ID)
	}
	if event.Verdict == domain.Approve {
		if seats.Approvals++; seats.Approvals < node.Quorum {
			p.notes.setSeats(node.ID, seats)
			return nil
		}
	}
	if open := seats.openSeats(); len(open) > 0 {
		p.note(CancelReview{Node: node.ID, Visit: event.Visit, Seats: open})
	}
	p.leave(node, at)
	if event.Verdict == domain.Return {
		return p.giveBack(node, edge)
	}
	return p.follow(node, edge)
}

// escalate opens one seat higher up in place of the closed one.
func (p *pass) escalate(node *Node, event Event, seats seatNote, already bool) error {
	if node.EscalateTo == "" {
		return domain.Invalid("verdict", "a review at %s cannot be escalated", node.ID)
	}
	if already {
		return domain.Invalid("verdict", "this review was already escalated to %s", node.EscalateTo)
	}
	seats.Last++
	seats.Open = append(seats.Open, openSeat{Seat: seats.Last, Escalated: true})
	p.notes.setSeats(node.ID, seats)
	p.begin(seatOf(node, event.Visit, seats.Last, true))
	return nil
}

// giveBack ends all open work and lets the case wait for its submitter.
func (p *pass) giveBack(from *Node, edge *Edge) error {
	if p.seen != nil {
		p.seen(edge)
	}
	if err := p.withdraw(nil); err != nil {
		return err
	}
	p.note(FellVotes{Duties: p.def.dutiesAgain(from, edge.target)})
	p.visits[Returned]++
	p.tokens = append(p.tokens, domain.Token{Node: Returned, Visit: p.visits[Returned]})
	p.notes.setReturnTo(edge.To)
	return nil
}

// dutiesAgain lists the duties whose votes fall when a review returns the case: its own, and those of every review that
// is asked anew on the way from where the case goes on; in order of declaration.
func (d *Definition) dutiesAgain(from, target *Node) []string {
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

// ReEntry returns the node at which a returned case goes on when it is resubmitted without a new document, "" for a case
// that is not returned.
func ReEntry(marking domain.Marking) string {
	book := notes{kept: marking.Notes}
	return book.returnTo()
}

// seatNote is what a review node keeps between verdicts; without a note all its seats are open and none approved.
type seatNote struct {
	Open      []openSeat `json:"open"`
	Approvals int        `json:"approvals,omitempty"`
	Last      int        `json:"last"` // highest seat number given
}

type openSeat struct {
	Seat      int  `json:"seat"`
	Escalated bool `json:"escalated,omitempty"`
}

// close takes a seat out of the open ones and tells whether it was an escalated one.
func (s *seatNote) close(seat int) (escalated, ok bool) {
	for i, open := range s.Open {
		if open.Seat == seat {
			s.Open = slices.Delete(s.Open, i, i+1)
			return open.Escalated, true
		}
	}
	return false, false
}

func (s seatNote) openSeats() []int {
	var seats []int
	for _, open := range s.Open {
		seats = append(seats, open.Seat)
	}
	return seats
}

// notes is the marking's note book; it is copied before the first change, so that the old marking stays as it was.
type notes struct {
	kept  map[string]json.RawMessage
	owned bool
}

// own returns the book, copied if it is still the old marking's.
func (n *notes) own() map[string]json.RawMessage {
	if !n.owned {
		if n.kept = maps.Clone(n.kept); n.kept == nil {
			n.kept = map[string]json.RawMessage{}
		}
		n.owned = true
	}
	return n.kept
}

func (n *notes) drop(node string) {
	if _, ok := n.kept[node]; !ok {
		return
	}
	if delete(n.own(), node); len(n.kept) == 0 {
		n.kept, n.owned = nil, false
	}
}

// set writes a note. Our notes are structs and slices of plain values, which always marshal.
func (n *notes) set(node string, value any) {
	if text, err := json.Marshal(value); err == nil {
		n.own()[node] = text
	}
}

// read fills value from a note; a note that is not ours to read counts as absent.
func (n *notes) read(node string, value any) bool {
	text, ok := n.kept[node]
	return ok && json.Unmarshal(text, value) == nil
}

func (n *notes) seats(node *Node) seatNote {
	var note seatNote
	if n.read(node.ID, &note) {
		return note
	}
	note = seatNote{Last: node.Seats, Open: make([]openSeat, node.Seats)}
	for i := range note.Open {
		note.Open[i].Seat = i + 1
	}
	return note
}

func (n *notes) setSeats(node string, note seatNote) { n.set(node, note) }

func (n *notes) arrivals(node string) []string {
	var arrived []string
	n.read(node, &arrived)
	return arrived
}

func (n *notes) setArrivals(node string, arrived []string) { n.set(node, arrived) }

// returnNote says where a returned case goes on.
type returnNote struct {
	To string `json:"to"`
}

func (n *notes) returnTo() string {
	var note returnNote
	n.read(Returned, &note)
	return note.To
}

func (n *notes) setReturnTo(node string) { n.set(Returned, returnNote{To: node}) }

func asFailure(err error) *domain.Error {
	var failure *domain.Error
	if errors.As(err, &failure) {
		return failure
	}
	return nil
}
