package views

import (
	"cmp"
	"context"
	"slices"

	"countersign/domain"
)

// LoadChange is the number of undecided reviews that a person has before and after a reassignment.
type LoadChange struct {
	Person        domain.ID
	Before, After int
}

// ReassignmentPreview is how a reassignment would change the workloads.
type ReassignmentPreview struct {
	// Loads are those of everyone who would receive, keep or give away one of the reviews, by name.
	Loads []LoadChange
	// Refused are the reviews that cannot be reassigned.
	Refused []domain.ID
	// Kept is the number of reviews that the person already has, Drawn of those whose next reviewer is drawn.
	Kept, Drawn int
}

// maxPreview limits the reviews of one preview; the command has the same limit.
const maxPreview = 200

// PreviewReassignment computes how assigning the reviews to a person would change the workloads.
// With NoID, each review goes to the least-loaded eligible reviewer, as by the command. It changes
// nothing, so the command may have another result.
func (v *Views) PreviewReassignment(ctx context.Context, actor domain.Actor, ids []domain.ID,
	to domain.ID) (ReassignmentPreview, error) {
	if err := actor.RequireScope(domain.ActReassign); err != nil {
		return ReassignmentPreview{}, err
	}
	if len(ids) == 0 || len(ids) > maxPreview {
		return ReassignmentPreview{}, domain.Invalid("reviewIds", "Preview between 1 and %d reviews.",
			maxPreview)
	}
	viewer, err := v.loadViewer(ctx, actor, domain.ActReassign)
	if err != nil {
		return ReassignmentPreview{}, err
	}
	users, err := v.reader.Users(ctx, nil)
	if err != nil {
		return ReassignmentPreview{}, err
	}
	everyone := make([]domain.ID, len(users))
	for i, user := range users {
		everyone[i] = user.ID
	}
	before, err := v.reader.OpenReviewCounts(ctx, everyone, v.caseViewer(viewer).hiddenQueues()...)
	if err != nil {
		return ReassignmentPreview{}, err
	}
	absences, err := v.reader.Absences(ctx, nil)
	if err != nil {
		return ReassignmentPreview{}, err
	}
	now, err := v.reader.Clock(ctx)
	if err != nil {
		return ReassignmentPreview{}, err
	}
	if to != domain.NoID {
		to = cmp.Or(domain.SubstituteOf(to, absences, now), to)
	}
	present := slices.DeleteFunc(slices.Clone(users), func(u domain.User) bool {
		return domain.SubstituteOf(u.ID, absences, now) != u.ID
	})
	p := reassignmentPreview{views: v, viewer: viewer, users: present, to: to,
		loads: map[domain.ID]int{}, affected: map[domain.ID]bool{}}
	for id, n := range before {
		p.loads[id] = n
	}
	for _, id := range ids {
		if err := p.assign(ctx, id); err != nil {
			return ReassignmentPreview{}, err
		}
	}
	changes := []LoadChange{}
	for _, id := range everyone { // ordered by name
		if p.affected[id] {
			changes = append(changes, LoadChange{Person: id, Before: before[id],
				After: p.loads[id]})
		}
	}
	p.found.Loads = changes
	return p.found, nil
}

// reassignmentPreview computes reassignments without writing.
type reassignmentPreview struct {
	views  *Views
	viewer viewer
	users  []domain.User
	to     domain.ID
	loads  map[domain.ID]int
	// affected are the people who receive, keep or give away a review.
	affected map[domain.ID]bool
	found    ReassignmentPreview
}

func (p *reassignmentPreview) assign(ctx context.Context, id domain.ID) error {
	review, facts, _, err := p.views.reviewFacts(ctx, p.viewer, id)
	if domain.HasCode(err, domain.NotFound) {
		p.found.Refused = append(p.found.Refused, id)
		return nil
	}
	if err != nil {
		return err
	}
	undecided := review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed
	if _, err := p.viewer.policy.Authorize(p.viewer.user, domain.ActReassign, facts); err != nil ||
		!undecided {
		p.found.Refused = append(p.found.Refused, id)
		return nil
	}
	if review.Drawn() { // no one knows whom a new draw would choose
		if p.to != domain.NoID {
			p.found.Refused = append(p.found.Refused, id)
			return nil
		}
		p.found.Drawn++
		return nil
	}
	facts.Status, facts.Assignee, facts.ClaimActive = domain.ReviewOpen, domain.NoID, false
	to := p.to
	eligible := p.viewer.policy.Eligible(p.users, domain.ActClaim, facts)
	if to == domain.NoID {
		to = domain.LeastLoaded(eligible, p.loads, p.viewer.user.ID, review.Assignee)
	} else if !slices.ContainsFunc(eligible, func(u domain.User) bool { return u.ID == to }) {
		to = domain.NoID
	}
	switch {
	case to == domain.NoID:
		p.found.Refused = append(p.found.Refused, id)
	case to == review.Assignee:
		p.affected[to] = true
		p.found.Kept++
	default:
		if review.Assignee != domain.NoID {
			p.affected[review.Assignee] = true
			p.loads[review.Assignee]--
		}
		p.affected[to] = true
		p.loads[to]++
	}
	return nil
}
