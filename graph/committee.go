package graph

import (
	"context"

	"countersign/domain"
	"countersign/graph/donotuse"
)

// Committee returns what the committee of an undecided review needs and has; null for who only
// submitted the case.
func (r reviewResolver) Committee(ctx context.Context, review *domain.Review) (
	*donotuse.Committee, error) {
	c, err := loadersFrom(ctx).cases.Load(ctx, review.CaseID)
	if err != nil || c == nil || !isStaff(c) {
		return nil, err
	}
	found, err := r.views.Committee(ctx, c.CaseView, *review)
	if err != nil || found == nil {
		return nil, err
	}
	committee := &donotuse.Committee{DecideBy: string(found.DecideBy), Seats: found.Seats,
		Quorum: found.Quorum, Cast: found.Cast, VotesHidden: found.Hidden, CanAbstain: found.CanAbstain}
	if !found.Hidden {
		committee.Approvals, committee.Rejections, committee.Abstentions = &found.Approvals,
			&found.Rejections, &found.Abstentions
	}
	return committee, nil
}

// StepTitles returns the name that the process gives to the step of the review.
func (r reviewResolver) StepTitles(ctx context.Context, review *domain.Review) (
	[]donotuse.NameValue, error) {
	c, err := loadersFrom(ctx).cases.Load(ctx, review.CaseID)
	if err != nil || c == nil {
		return []donotuse.NameValue{}, err
	}
	titles, err := r.views.StepTitles(ctx, c.Case, review.Node)
	return namedValues(titles), err
}
