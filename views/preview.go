package views

import (
	"context"
	"slices"

	"countersign/domain"
)

// LoadChange is how many undecided reviews a person has, and would have.
type LoadChange struct {
	Person        domain.ID
	Before, After int
}

// maxPreview bounds the reviews of one preview, as the command bounds them.
const maxPreview = 200

// PreviewReassignment works out what giving the reviews to the person, or with NoID each to the least loaded of its
// eligible people, would do to the loads. Reviews that could not be given are returned apart. Nothing is changed, so the
// command itself may come out otherwise.
func (v *Views) PreviewReassignment(ctx context.Context, actor domain.Actor, ids []domain.ID, to domain.ID) ([]LoadChange, []domain.ID, error) {
	if err := actor.RequireScope(domain.ActReassign); err != nil {
		return nil, nil, err
	}
	if len(ids) == 0 || len(ids) > maxPreview {
		return nil, nil, domain.Invalid("reviewIds", "between 1 and %d reviews can be previewed at once", maxPreview)
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
	before, err := v.reader.OpenReviewCounts(ctx, everyone)
	if err != nil {
		return nil, nil, err
	}
	p := reassignmentPreview{views: v, viewer: viewer, users: users, to: to, loads: map[domain.ID]int{}}
	for id, n := range before {
		p.loads[id] = n
	}
	for _, id := range ids {
		if err := p.assign(ctx, id); err != nil {
			return nil, nil, err
		}
	}
	changes := []LoadChange{}
	for _, id := range everyone { // by name
		if p.loads[id] != before[id] {
			changes = append(changes, LoadChange{Person: id, Before: before[id], After: p.loads[id]})
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
	if _, err := p.viewer.policy.Authorize(p.viewer.user, domain.ActReassign, facts); err != nil || !undecided {
		p.refused = append(p.refused, id)
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

// leastLoaded is who of the people but the holder has the fewest on paper.
func (p *reassignmentPreview) leastLoaded(people []domain.User, holder domain.ID) domain.ID {
	best := domain.NoID
	for _, person := range people {
		if person.ID != holder && (best == domain.NoID || p.loads[person.ID] < p.loads[best]) {
			best = person.ID
		}
	}
	return best
}
