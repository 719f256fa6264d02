package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// castVotes are the reviews of a case with their votes and decisions.
type castVotes struct {
	reviews   []domain.Review
	votes     []domain.Vote
	decisions []domain.Decision
}

// castVotes returns the votes of the locked case.
func (c *command) castVotes() (castVotes, error) {
	exclusions, err := c.loadExclusions()
	if err != nil {
		return castVotes{}, err
	}
	if err := c.lockReviews(); err != nil {
		return castVotes{}, err
	}
	decisions, err := c.tx.Decisions(c.ctx, c.before.ID)
	return castVotes{c.reviews, exclusions.Votes, decisions}, err
}

// castVotes returns the votes of a case that is not locked. The version of the case guards the step
// that is computed from them.
func (svc *Service) castVotes(ctx context.Context, record domain.Case) (castVotes, error) {
	r := svc.db.Reader()
	reviews, err := r.ReviewsOf(ctx, record.ID)
	if err != nil {
		return castVotes{}, err
	}
	exclusions, err := r.Exclusions(ctx, record.ID, record.Parties())
	if err != nil {
		return castVotes{}, err
	}
	decisions, err := r.Decisions(ctx, record.ID)
	return castVotes{reviews, exclusions.Votes, decisions}, err
}

// countVerdicts adds the verdicts that count to the facts, if the event makes the process evaluate
// its route again.
func (t *transition) countVerdicts(event workflow.Event, facts *domain.ProcessFacts) error {
	marking := t.change.Case.Marking
	if t.loadVotes == nil || !workflow.EvaluatesRoute(t.def, marking, event) {
		return nil
	}
	facts.Verdicts = map[string]int{}
	if !slices.ContainsFunc(t.def.Reviews(),
		func(node *workflow.Node) bool { return marking.Visits[node.ID] > 0 }) {
		return nil
	}
	cast, err := t.loadVotes()
	if err != nil {
		return err
	}
	for _, review := range cast.reviews {
		if review.Visit == marking.Visits[review.Node] && cast.decided(review) &&
			voteCovers(&t.change, cast.votes, review) {
			facts.Verdicts[review.Node]++
		}
	}
	return nil
}

// decided reports whether the review was approved or rejected, in contrast to escalated or returned.
func (v castVotes) decided(review domain.Review) bool {
	return slices.ContainsFunc(v.decisions, func(decision domain.Decision) bool {
		return decision.ReviewID == review.ID &&
			(decision.Verdict == domain.Approve || decision.Verdict == domain.Reject)
	})
}

// voteCovers reports whether the vote of a review covers the present facts of the case. A change of
// key facts revokes every vote, so that every vote that is left does.
func voteCovers(change *store.Change, votes []domain.Vote, review domain.Review) bool {
	return slices.ContainsFunc(votes, func(vote domain.Vote) bool {
		return vote.ReviewID == review.ID && !slices.Contains(change.RevokedDuties, vote.Duty) &&
			!slices.Contains(change.RevokedVotes, vote)
	})
}
