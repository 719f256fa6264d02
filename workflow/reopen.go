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

// reopenSeat opens a new seat for one whose decision was undone before it took effect, or whose vote
// was revoked while the review is still open.
func (p *stepBuilder) reopenSeat(event Event) error {
	node, _, err := p.locateToken(event, KindReview)
	if err != nil {
		return err
	}
	seats := p.state.seats(node)
	closed, open := seats.close(event.Seat)
	if !open {
		if closed, open = seats.revoke(node, event.Seat); !open {
			return stateMismatch("Seat %d of %s has no vote.", event.Seat, node.ID).
				WithDetail("node", node.ID)
		}
	}
	p.replaceSeat(node, event.Visit, seats, closed)
	return nil
}

// revoke removes the vote of a seat and reports whether there was one. The seat of a committee keeps
// its role and level; elsewhere only approvals are counted.
func (s *seatState) revoke(node *Node, seat int) (closed openSeat, ok bool) {
	if !node.Committee() {
		if s.Approvals == 0 || seat < 1 || seat > s.Last {
			return openSeat{}, false
		}
		s.Approvals--
		return openSeat{}, true
	}
	at := slices.IndexFunc(s.Cast, func(vote castVote) bool { return vote.Seat == seat })
	if at < 0 {
		return openSeat{}, false
	}
	vote := s.Cast[at]
	s.Cast = slices.Delete(s.Cast, at, at+1)
	return openSeat{Escalated: vote.Escalated, Role: vote.Role}, true
}
