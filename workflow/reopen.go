package workflow

import (
	"slices"

	"countersign/domain"
)

// reopen places a token in an ended case if the definition allows it: at OnReplace if its document
// was replaced, else at OnEnter. Visits continue to count from the previous ones.
func (p *stepBuilder) reopen(event Event) error {
	if len(p.tokens) > 0 {
		return stateMismatch("The case is still in progress.")
	}
	ended := StatusOf(p.def, domain.Marking{Visits: p.visits})
	if !event.From.Final() || !slices.Contains(p.def.Reopen, event.From) ||
		ended == domain.Received {
		return stateMismatch("A case that is %s cannot be reopened in this process.", event.From)
	}
	target := p.def.OnEnter
	if event.ReplacedDocument {
		target = p.def.OnReplace
	}
	return p.enterNode(p.def.index[target], nil)
}

// reopenSeat opens a new seat for one whose decision was undone before it took effect, or whose
// approval was revoked while other seats of the quorum are still open.
func (p *stepBuilder) reopenSeat(event Event) error {
	node, _, err := p.locateToken(event, KindReview)
	if err != nil {
		return err
	}
	seats := p.state.seats(node)
	escalated, open := seats.close(event.Seat)
	if !open {
		if seats.Approvals == 0 || event.Seat < 1 || event.Seat > seats.Last {
			return stateMismatch("Seat %d of %s has given no approval.", event.Seat, node.ID).
				WithDetail("node", node.ID)
		}
		seats.Approvals--
	}
	seats.Last++
	seats.Open = append(seats.Open, openSeat{Seat: seats.Last, Escalated: escalated})
	p.state.setSeats(node.ID, seats)
	p.deferEffect(openReviewEffect(node, event.Visit, seats.Last, escalated))
	return nil
}
