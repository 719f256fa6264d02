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
	if len(ids) == 0 || len(ids) > maxPreview {
		return nil, nil, domain.Invalid("reviewIds", "between 1 and %d reviews can be previewed at once", maxPreview)
	}
	see, err := v.look(ctx, actor)
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
	before, err := v.reader.OpenLoads(ctx, everyone)
	if err != nil {
		return nil, nil, err
	}
	p := preview{views: v, see: see, users: users, to: to, after: map[domain.ID]int{}}
	for id, n := range before {
		p.after[id] = n
	}
	for _, id := range ids {
		if err := p.give(ctx, id); err != nil {
			return nil, nil, err
		}
	}
	changes := []LoadChange{}
	for _, id := range everyone { // by name
		if p.after[id] != before[id] {
			changes = append(changes, LoadChange{Person: id, Before: before[id], After: p.after[id]})
		}
	}
	return changes, p.refused, nil
}

// preview gives reviews away on paper.
type preview struct {
	views   *Views
	see     eyes
	users   []domain.User
	to      domain.ID
	after   map[domain.ID]int
	refused []domain.ID
}

func (p *preview) give(ctx context.Context, id domain.ID) error {
	review, facts, _, err := p.views.reviewFacts(ctx, p.see, id)
	if domain.HasCode(err, domain.NotFound) {
		p.refused = append(p.refused, id)
		return nil
	}
	if err != nil {
		return err
	}
	undecided := review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed
	if _, err := p.see.judge.Authorize(p.see.user, domain.ActReassign, facts); err != nil || !undecided {
		p.refused = append(p.refused, id)
		return nil
	}
	facts.Status, facts.Assignee, facts.ClaimLive = domain.ReviewOpen, domain.NoID, false
	to := p.to
	eligible := p.see.judge.Eligible(p.users, domain.ActClaim, facts)
	if to == domain.NoID {
		to = p.least(eligible, review.Assignee)
	} else if !slices.ContainsFunc(eligible, func(u domain.User) bool { return u.ID == to }) {
		to = domain.NoID
	}
	switch {
	case to == domain.NoID:
		p.refused = append(p.refused, id)
	case to != review.Assignee:
		if review.Assignee != domain.NoID {
			p.after[review.Assignee]--
		}
		p.after[to]++
	}
	return nil
}

// least is who of the people but the holder has the fewest on paper.
func (p *preview) least(people []domain.User, holder domain.ID) domain.ID {
	best := domain.NoID
	for _, person := range people {
		if person.ID != holder && (best == domain.NoID || p.after[person.ID] < p.after[best]) {
			best = person.ID
		}
	}
	return best
}
