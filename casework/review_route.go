package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/facts"
	"countersign/store"
	"countersign/workflow"
)

// castVotes are the reviews of a case with their votes and decisions.
type castVotes struct {
	reviews    []domain.Review
	exclusions store.Exclusions
	decisions  []domain.Decision        // and hidden votes
	overrides  []domain.FindingOverride // of hidden votes
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
	return readVotes(c.ctx, c.tx.Reader, c.before.ID, c.reviews, *exclusions)
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
	return readVotes(ctx, r, record.ID, reviews, exclusions)
}

func readVotes(
	ctx context.Context, r store.Reader, caseID domain.ID, reviews []domain.Review,
	exclusions store.Exclusions,
) (castVotes, error) {
	cast := castVotes{reviews: reviews, exclusions: exclusions}
	var err error
	if cast.decisions, err = r.DecisionsAndHiddenVotes(ctx, caseID); err == nil &&
		slices.ContainsFunc(reviews, func(review domain.Review) bool { return review.VoteHidden }) {
		cast.overrides, err = r.OverridesOfHiddenVotes(ctx, caseID)
	}
	return cast, err
}

// countVerdicts adds the verdicts that count to the facts, if the event makes the process evaluate
// its route again.
func (t *transition) countVerdicts(event workflow.Event, found *domain.ProcessFacts) error {
	marking := t.change.Case.Marking
	if t.loadVotes == nil || !workflow.EvaluatesRoute(t.def, marking, event) {
		return nil
	}
	found.Verdicts = map[string]int{}
	if !slices.ContainsFunc(t.def.Reviews(),
		func(node *workflow.Node) bool { return marking.Visits[node.ID] > 0 }) {
		return nil
	}
	cast, err := t.loadVotes()
	if err != nil {
		return err
	}
	present := coverageOf(t.def, t.change.Case,
		func(name string) string { return found.Fields[name] })
	for _, review := range cast.reviews {
		if review.Visit == marking.Visits[review.Node] && cast.decided(review) &&
			cast.counts(&t.change, review, present) {
			found.Verdicts[review.Node]++
		}
	}
	return nil
}

// decided reports whether the review was decided by a vote, in contrast to escalated or returned.
func (v castVotes) decided(review domain.Review) bool {
	return slices.ContainsFunc(v.decisions, func(decision domain.Decision) bool {
		return decision.ReviewID == review.ID &&
			(decision.Verdict == domain.Approve || decision.Verdict == domain.Reject ||
				decision.Verdict == domain.Abstain)
	})
}

// counts reports whether the review has votes that the change does not revoke, and all of them cover
// the facts of the case.
func (v castVotes) counts(
	change *store.Change, review domain.Review, present facts.Coverage,
) bool {
	given := v.exclusions.VotesIn(review.ID)
	return len(given) > 0 && !slices.ContainsFunc(given, func(vote domain.Vote) bool {
		return slices.Contains(change.RevokedDuties, vote.Duty) ||
			slices.Contains(change.RevokedVotes, vote) ||
			!voteCovers(vote, v.exclusions, present)
	})
}
