package workflow

import (
	"fmt"

	"countersign/domain"
)

// reviewKind is work of one or more reviewers.
type reviewKind struct{ workKind }

func (reviewKind) attributes() []string {
	return []string{"behaviour", "queue", "status", "on", "level", "duty", "seats", "quorum", "decide_by",
		"abstain", "votes", "chair_queue", "chair_level", "veto_queue", "veto_level",
		"claim_within", "decide_within", "overdue", "remind", "escalate_to", "escalate_level", "skills",
		"undo", "bulk", "signature_above", "timeout"}
}

func (reviewKind) parse(b *builder, node *Node, text nodeText) {
	node.Queue, node.Duty = text.Queue, text.Duty
	if node.Queue == "" {
		b.addProblem(node, "queue", "A review needs a queue.")
	}
	if node.Duty == "" {
		node.Duty = DutyApproval
	}
	node.Level = b.number(node, "level", text.Level, 1, 1, 9)
	node.Seats = b.number(node, "seats", text.Seats, 1, 1, maxSeats)
	node.Quorum = b.number(node, "quorum", text.Quorum, node.Seats, 1, node.Seats)
	node.ClaimWithin = b.duration(node, "claim_within", text.ClaimWithin, defaultClaim)
	node.DecideWithin = b.duration(node, "decide_within", text.DecideWithin, defaultDecide)
	switch node.Overdue = Overdue(text.Overdue); node.Overdue {
	case "":
		node.Overdue = OverdueAlert
	case OverdueAlert, OverdueReassign:
	default:
		b.addProblem(node, "overdue", "overdue must be alert or reassign, not %q.", text.Overdue)
	}
	b.reminders(node, text.Remind)
	b.committee(node, text)
	b.escalation(node, text)
	b.status(node, text.Status, domain.InReview)
	b.outcomes(node, text.On)
	b.checkVerdicts(node, text)
	b.boundaryTimeout(node, text.Timeout)
	b.reviewTerms(node, text)
}

func (reviewKind) openWork(p *stepBuilder, node *Node, visit int) {
	for _, seat := range p.state.seats(node).Open {
		p.deferEffect(openReviewEffect(node, visit, seat))
	}
}

func (reviewKind) cancelWork(p *stepBuilder, node *Node, visit int) error {
	if open := p.state.seats(node).openSeats(); len(open) > 0 {
		p.addEffect(CancelReview{Node: node.ID, Visit: visit, Seats: open})
	}
	return nil
}

func (reviewKind) possibleEvents(node *Node, states *nodeStates) []Event {
	var events []Event
	for _, seat := range representativeSeats(states.seats(node).Open) {
		for _, verdict := range node.Verdicts() {
			if verdict != domain.Escalate || !seat.Escalated {
				events = append(events,
					Event{Kind: ReviewDecided, Seat: seat.Seat, Verdict: verdict})
			}
		}
	}
	return events
}

func (reviewKind) draw(node *Node) string {
	seats := ""
	if node.Seats > 1 {
		seats = fmt.Sprintf(", %d of %d", node.Quorum, node.Seats)
	}
	if node.Committee() {
		seats += ", " + string(node.DecideBy)
	}
	for _, before := range node.Remind {
		seats += ", reminder " + shortTime(before)
	}
	return stateDeclaration(node, fmt.Sprintf(" (queue %s%s)", node.Queue, seats))
}
