package workflow

import "slices"

// committee reads how the votes of a review decide, and refuses what no committee could mean.
func (b *builder) committee(node *Node, text nodeText) {
	node.DecideBy = DecideBy(text.DecideBy)
	if node.DecideBy == "" {
		node.DecideBy = ByFirstRejection
	}
	node.Abstain = text.Abstain != nil && *text.Abstain
	if node.Votes = Votes(text.Votes); node.Votes == "" {
		node.Votes = VotesOpen
	}
	node.ChairQueue, node.ChairLevel = b.specialSeat(node, "chair", text.ChairQueue, text.ChairLevel)
	node.VetoQueue, node.VetoLevel = b.specialSeat(node, "veto", text.VetoQueue, text.VetoLevel)
	known := []DecideBy{ByFirstRejection, ByCount, ByMajority, ByUnanimity}
	switch {
	case !slices.Contains(known, node.DecideBy):
		b.addProblem(node, "committee",
			"decide_by must be first_rejection, count, majority or unanimous, not %q.", text.DecideBy)
	case node.Votes != VotesOpen && node.Votes != VotesHidden:
		b.addProblem(node, "committee", "votes must be open or hidden, not %q.", text.Votes)
	case !node.Committee():
		b.checkFirstRejection(node)
	default:
		b.checkCommittee(node)
		b.checkHiddenVotes(node, text)
	}
}

// checkHiddenVotes refuses what would show the votes of a committee that hides them.
func (b *builder) checkHiddenVotes(node *Node, text nodeText) {
	switch {
	case node.Votes != VotesHidden:
	case node.oneVoteEnds():
		b.addProblem(node, "committee", "votes: hidden has no effect here: the first rejection or the first "+
			"approval ends the review, so every earlier vote is known not to be one.")
	case text.Bulk != nil:
		b.addProblem(node, "committee", "votes: hidden cannot be combined with bulk: its undo time would "+
			"show that the vote is an approval.")
	case text.SignatureAbove != nil:
		b.addProblem(node, "committee", "votes: hidden cannot be combined with signature_above: only "+
			"approvals are signed, so the use of the passkey would show the vote.")
	}
}

// firstRejectionEnds reports whether one rejection of any member rejects.
func (n *Node) firstRejectionEnds() bool {
	return n.DecideBy == ByUnanimity || n.DecideBy == ByCount && n.Quorum == n.Seats
}

// oneVoteEnds reports whether the first rejection, or the first approval, always ends the review. Of two
// members with a majority the first rejection does, and with a chair that of the chair.
func (n *Node) oneVoteEnds() bool {
	return n.firstRejectionEnds() || n.DecideBy == ByCount && n.Quorum == 1 ||
		n.DecideBy == ByMajority && n.Seats == 2
}

// specialSeat reads the queue and level of a seat that is not like the others.
func (b *builder) specialSeat(
	node *Node, name, queue string, level *int,
) (seatQueue string, seatLevel int) {
	if queue == "" {
		if level != nil {
			b.addProblem(node, "committee", "%s_level needs %s_queue.", name, name)
		}
		return "", 0
	}
	seatLevel = b.number(node, name+"_level", level, node.Level, 1, 9)
	if queue == node.Queue && seatLevel <= node.Level {
		b.addProblem(node, "committee", "%s_queue or %s_level must differ from the other seats: "+
			"any reviewer of the queue could take this seat.", name, name)
	}
	return queue, seatLevel
}

// checkFirstRejection refuses what only a committee can have.
func (b *builder) checkFirstRejection(node *Node) {
	switch {
	case node.Abstain:
		b.addProblem(node, "committee", "abstain needs decide_by count, majority or unanimous.")
	case node.Votes == VotesHidden:
		b.addProblem(node, "committee", "votes: hidden needs decide_by count or majority.")
	case node.ChairQueue != "":
		b.addProblem(node, "committee", "chair_queue needs decide_by majority.")
	case node.VetoQueue != "":
		b.addProblem(node, "committee",
			"veto_queue has no effect here: every rejection rejects. Use decide_by count or majority.")
	}
}

// checkCommittee refuses a committee in which one vote decides alone without being meant to, or an
// attribute has no effect.
func (b *builder) checkCommittee(node *Node) {
	if node.Seats < 2 {
		b.addProblem(node, "committee", "decide_by %s needs at least 2 seats.", node.DecideBy)
		return
	}
	all := node.Quorum == node.Seats
	switch {
	case node.DecideBy != ByCount && node.Quorum < 2:
		b.addProblem(node, "committee",
			"The quorum must be at least 2: at the deadline one vote would decide for all.")
	case node.DecideBy == ByCount && node.Abstain && all:
		b.addProblem(node, "committee", "With quorum %d of %d seats each abstention would reject. "+
			"Use decide_by unanimous, or a smaller quorum.", node.Quorum, node.Seats)
	}
	if node.ChairQueue != "" && node.DecideBy != ByMajority {
		b.addProblem(node, "committee",
			"chair_queue needs decide_by majority: there is no tie with %s.", node.DecideBy)
	}
	if node.VetoQueue != "" && node.firstRejectionEnds() {
		b.addProblem(node, "committee", "veto_queue has no effect here: every rejection rejects.")
	}
}
