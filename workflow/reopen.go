package workflow

import (
	"slices"

	"countersign/domain"
)

// reopen brings a case back that is over, where the definition allows it: one token where entered values would go on, or
// where a document that nobody has read yet starts. Visits are counted on.
func (p *stepBuilder) reopen(event Event) error {
	if len(p.tokens) > 0 {
		return stateMismatch("The case is still under way.")
	}
	ended := StatusOf(p.def, domain.Marking{Visits: p.visits})
	if !event.From.Final() || !slices.Contains(p.def.Reopen, event.From) || ended == domain.Received {
		return stateMismatch("A case that is %s cannot be reopened in this process.", event.From)
	}
	target := p.def.OnEnter
	if event.ReplacedDocument {
		target = p.def.OnReplace
	}
	return p.enterNode(p.def.index[target], nil)
}

// reopenSeat asks a seat anew: one whose decision was taken back before it had any effect, or whose approval fell while
// others of the quorum are still asked. The new seat has a number of its own.
func (p *stepBuilder) reopenSeat(event Event) error {
	node, _, err := p.locateToken(event, KindReview)
	if err != nil {
		return err
	}
	seats := p.state.seats(node)
	escalated, open := seats.close(event.Seat)
	if !open {
		if seats.Approvals == 0 || event.Seat < 1 || event.Seat > seats.Last {
			return stateMismatch("Seat %d of %s has given no approval.", event.Seat, node.ID).WithDetail("node", node.ID)
		}
		seats.Approvals--
	}
	seats.Last++
	seats.Open = append(seats.Open, openSeat{Seat: seats.Last, Escalated: escalated})
	p.state.setSeats(node.ID, seats)
	p.deferEffect(openReviewEffect(node, event.Visit, seats.Last, escalated))
	return nil
}
