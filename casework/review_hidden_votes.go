package casework

import (
	"encoding/hex"
	"fmt"
	"slices"

	"countersign/audit"
	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// hidesVote reports whether the verdict is a vote in a committee that hides its votes. An escalation
// and a return are none: they change what happens next, so everyone sees them.
func (c *command) hidesVote(review domain.Review, verdict domain.Verdict) bool {
	node, ok := c.def.Node(review.Node)
	return ok && node.HidesVotes() && (verdict == domain.Approve ||
		verdict == domain.Reject || verdict == domain.Abstain)
}

// endedDecision returns the log line of a decision. Readers of a log need no right, so it hides what
// events hide.
func (c *command) endedDecision(review domain.Review, verdict domain.Verdict) endedWork {
	outcome := string(verdict)
	if c.hidden {
		outcome = "hidden"
	}
	return endedWork{decisionMade, review.Node, outcome, c.took()}
}

// emitHiddenVote emits that a person voted, with the hash that proves the vote later. The hash is
// salted, so it cannot be compared with guesses.
func (c *command) emitHiddenVote(decision *domain.Decision) error {
	hash, err := audit.DecisionHash(decision)
	c.emit(generated.VoteCastV1{ReviewID: decision.ReviewID, DecisionSHA256: hex.EncodeToString(hash)})
	return err
}

// hiddenVote is a hidden vote that is disclosed.
type hiddenVote struct {
	review domain.Review
	body   generated.VoteDisclosedV1
}

// markingWithVotes returns the marking from which the process steps, with the verdicts of hidden votes,
// and the votes of the case, nil if no committee that hides them is undecided.
func (t *transition) markingWithVotes() (domain.Marking, *castVotes, error) {
	marking := t.change.Case.Marking
	if !t.def.HidesVotesAt(marking) {
		return marking, nil, nil
	}
	if t.loadVotes == nil { // the votes would stay hidden
		return marking, nil, fmt.Errorf("casework: case %s: a step without the votes of its committee",
			t.before.ID)
	}
	cast, err := t.loadVotes()
	if err != nil {
		return marking, nil, err
	}
	marking, err = workflow.WithVotes(t.def, marking, cast.seatVotes(func(node string) string { return node }))
	return marking, &cast, err
}

// seatVotes returns the votes by their seats, at the renamed nodes.
func (v castVotes) seatVotes(rename func(node string) string) []workflow.SeatVote {
	var votes []workflow.SeatVote
	for _, review := range v.reviews {
		for _, decision := range v.decisions {
			if decision.ReviewID == review.ID {
				votes = append(votes, workflow.SeatVote{Node: rename(review.Node), Visit: review.Visit,
					Seat: review.Seat, Verdict: decision.Verdict})
			}
		}
	}
	return votes
}

// disclosedVotes returns the hidden votes of the committees that the marking has left, in the order in
// which they were cast.
func (t *transition) disclosedVotes(cast *castVotes, after domain.Marking) ([]hiddenVote, error) {
	if cast == nil {
		return nil, nil
	}
	decisions := cast.decisions
	if t.change.Decision != nil {
		decisions = append(slices.Clone(decisions), *t.change.Decision)
	}
	var disclosed []hiddenVote
	for i := range decisions {
		review, ok := t.reviewNow(cast.reviews, decisions[i].ReviewID)
		if !ok || !review.VoteHidden || slices.Contains(after.Tokens,
			domain.Token{Node: review.Node, Visit: review.Visit}) {
			continue
		}
		body, err := t.disclosure(cast, &decisions[i])
		if err != nil {
			return nil, err
		}
		disclosed = append(disclosed, hiddenVote{review, body})
	}
	return disclosed, nil
}

// reviewNow returns a review with the change so far.
func (t *transition) reviewNow(reviews []domain.Review, id domain.ID) (domain.Review, bool) {
	is := func(review domain.Review) bool { return review.ID == id }
	if at := slices.IndexFunc(t.change.ReviewUpdates, is); at >= 0 {
		return t.change.ReviewUpdates[at], true
	}
	if at := slices.IndexFunc(reviews, is); at >= 0 {
		return reviews[at], true
	}
	return domain.Review{}, false
}

// disclosure returns the event of a vote. Its actor is who completed the committee, so the body names
// who voted and when.
func (t *transition) disclosure(cast *castVotes, decision *domain.Decision) (
	body generated.VoteDisclosedV1, err error) {
	evidence, err := evidenceEvent(decision.Evidence)
	if err != nil {
		return body, err
	}
	signature, err := signatureEvent(decision.Signature)
	if err != nil {
		return body, err
	}
	body = generated.VoteDisclosedV1{ReviewID: decision.ReviewID, Person: decision.Actor,
		OnBehalfOf: decision.OnBehalfOf, Verdict: string(decision.Verdict), Reason: decision.Reason,
		VotedAt: decision.At, Evidence: generated.VoteDisclosedV1Evidence(evidence),
		Unchecked: decision.ApprovedUnchecked()}
	if signature != nil {
		signed := generated.VoteDisclosedV1Signature(*signature)
		body.Signature = &signed
	}
	current := t.change.Decision != nil && t.change.Decision.ID == decision.ID
	if !current && len(cast.exclusions.VotesIn(decision.ReviewID)) == 0 {
		revoked := true
		body.Revoked = &revoked
	}
	for _, o := range slices.Concat(cast.overrides, t.change.Overrides) {
		if o.ReviewID == decision.ReviewID && o.Person == decision.Actor {
			body.Overrides = append(body.Overrides, generated.VoteDisclosedV1Override{Rule: o.Rule,
				Reason: o.Reason, FindingSHA256: hex.EncodeToString(o.FindingHash[:])})
		}
	}
	return body, nil
}

// discloseVote emits the event of a hidden vote and lets everyone read its decision.
func (t *transition) discloseVote(vote hiddenVote) {
	t.emit(vote.body)
	vote.review.VoteHidden = false
	for i := range t.change.ReviewUpdates {
		if t.change.ReviewUpdates[i].ID == vote.review.ID {
			t.change.ReviewUpdates[i].VoteHidden = false
			return
		}
	}
	t.editReview(vote.review)
}
