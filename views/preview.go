package views

import (
	"context"
	"slices"

	"countersign/domain"
)

// LoadChange is the number of undecided reviews that a person has before and after a reassignment.
type LoadChange struct {
	Person        domain.ID
	Before, After int
}

// maxPreview limits the reviews of one preview; the command has the same limit.
const maxPreview = 200

// PreviewReassignment computes how assigning the reviews to a person would change the workloads.
// With NoID, each review goes to the least-loaded eligible reviewer. It also returns the reviews
// that could not be reassigned. It changes nothing, so the command may have another result.
func (v *Views) PreviewReassignment(ctx context.Context, actor domain.Actor, ids []domain.ID,
	to domain.ID) ([]LoadChange, []domain.ID, error) {
	if err := actor.RequireScope(domain.ActReassign); err != nil {
		return nil, nil, err
	}
	if len(ids) == 0 || len(ids) > maxPreview {
		return nil, nil, domain.Invalid("reviewIds", "Preview between 1 and %d reviews.",
			maxPreview)
	}
	viewer, err := v.loadViewer(ctx, actor, domain.ActReassign)
	if err != nil {
		return nil, nil, err
	}
	users, err := v.reader.Users(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	everyone := make([]domain.ID, len(users))
	for i, user := range users {
		everyone[i] = user.ID
	}
	before, err := v.reader.OpenReviewCounts(ctx, everyone, v.caseViewer(viewer).hiddenQueues()...)
	if err != nil {
		return nil, nil, err
	}
	p := reassignmentPreview{views: v, viewer: viewer, users: users, to: to,
		loads: map[domain.ID]int{}}
	for id, n := range before {
		p.loads[id] = n
	}
	for _, id := range ids {
		if err := p.assign(ctx, id); err != nil {
			return nil, nil, err
		}
	}
	changes := []LoadChange{}
	for _, id := range everyone { // ordered by name
		if p.loads[id] != before[id] {
			changes = append(changes, LoadChange{Person: id, Before: before[id],
				After: p.loads[id]})
		}
	}
	return changes, p.refused, nil
}

// reassignmentPreview computes reassignments without writing.
type reassignmentPreview struct {
	views   *Views
	viewer  viewer
	users   []domain.User
	to      domain.ID
	loads   map[domain.ID]int
	refused []domain.ID
}

func (p *reassignmentPreview) assign(ctx context.Context, id domain.ID) error {
	review, facts, _, err := p.views.reviewFacts(ctx, p.viewer, id)
	if domain.HasCode(err, domain.NotFound) {
		p.refused = append(p.refused, id)
		return nil
	}
	if err != nil {
		return err
	}
	undecided := review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed
	if _, err := p.viewer.policy.Authorize(p.viewer.user, domain.ActReassign, facts); err != nil ||
		!undecided {
		p.refused = append(p.refused, id)
		return nil
	}
	if review.Drawn() { // no one knows whom a new draw would choose
		if p.to != domain.NoID {
			p.refused = append(p.refused, id)
		}
		return nil
	}
	facts.Status, facts.Assignee, facts.ClaimActive = domain.ReviewOpen, domain.NoID, false
	to := p.to
	eligible := p.viewer.policy.Eligible(p.users, domain.ActClaim, facts)
	if to == domain.NoID {
		to = p.leastLoaded(eligible, review.Assignee)
	} else if !slices.ContainsFunc(eligible, func(u domain.User) bool { return u.ID == to }) {
		to = domain.NoID
	}
	switch {
	case to == domain.NoID:
		p.refused = append(p.refused, id)
	case to != review.Assignee:
		if review.Assignee != domain.NoID {
			p.loads[review.Assignee]--
		}
		p.loads[to]++
	}
	return nil
}

// leastLoaded returns the person with the smallest computed load, excluding the present assignee.
func (p *reassignmentPreview) leastLoaded(people []domain.User, assignee domain.ID) domain.ID {
	best := domain.NoID
	for _, person := range people {
		if person.ID != assignee && (best == domain.NoID || p.loads[person.ID] < p.loads[best]) {
			best = person.ID
		}
	}
	return best
}
