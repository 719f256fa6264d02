package casework

import (
	"slices"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// committeeOf returns the node of a review that a committee decides.
func (c *command) committeeOf(node string) (*workflow.Node, bool) {
	found, ok := c.def.Node(node)
	return found, ok && found.Committee()
}

// attributeVote attributes what follows from a vote in a committee. A return or an escalation is the act of one
// member, whose reason it keeps.
func (c *command) attributeVote(review domain.Review, verdict domain.Verdict) error {
	_, committee := c.committeeOf(review.Node)
	if !committee || verdict == domain.Return || verdict == domain.Escalate {
		return nil
	}
	return c.attributeToCommittee(review.Node, review.Visit)
}

// attributeToCommittee makes the last approval of a committee the one that the case is approved by, and
// the reason of its last rejection the one that it is rejected for, whatever the last vote was.
func (c *command) attributeToCommittee(node string, visit int) error {
	exclusions, err := c.loadExclusions()
	if err != nil {
		return err
	}
	if err := c.lockReviews(); err != nil {
		return err
	}
	decisions, err := c.tx.DecisionsAndHiddenVotes(c.ctx, c.before.ID)
	if err != nil {
		return err
	}
	if c.change.Decision != nil {
		decisions = append(decisions, *c.change.Decision)
	}
	c.automatic, c.reason = false, ""
	for _, decision := range decisions {
		switch {
		case !c.isVoteOf(decision, node, visit, exclusions):
		case decision.Verdict == domain.Approve:
			c.decidedBy = decision.Actor
		case decision.Verdict == domain.Reject:
			c.reason = decision.Reason
		}
	}
	return nil
}

// isVoteOf reports whether the decision is a vote at the node in the visit that was not revoked.
func (c *command) isVoteOf(
	decision domain.Decision, node string, visit int, exclusions *store.Exclusions,
) bool {
	given := len(exclusions.VotesIn(decision.ReviewID)) > 0 ||
		c.change.Decision != nil && c.change.Decision.ID == decision.ID
	return given && slices.ContainsFunc(c.reviews, func(review domain.Review) bool {
		return review.ID == decision.ReviewID && review.Node == node && review.Visit == visit
	})
}

// approvals returns the votes that approve, in contrast to rejections and abstentions of a committee.
// Hidden votes are not among them: a refusal that depends on them would show whether others approved.
func (c *command) approvals() ([]domain.Vote, error) {
	exclusions, err := c.loadExclusions()
	if err != nil {
		return nil, err
	}
	decisions, err := c.tx.Decisions(c.ctx, c.before.ID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(exclusions.Votes), func(vote domain.Vote) bool {
		return !slices.ContainsFunc(decisions, func(decision domain.Decision) bool {
			return decision.ReviewID == vote.ReviewID && decision.Verdict == domain.Approve
		})
	}), nil
}
