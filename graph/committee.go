package graph

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/views"
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

// EndsAt returns when the time limit of the step ends the undecided review; nil without one and for who only
// submitted the case. A list reads the runs of its cases together, and only of processes with such a limit.
func (r reviewResolver) EndsAt(ctx context.Context, review *domain.Review) (*time.Time, error) {
	c, err := loadersFrom(ctx).cases.Load(ctx, review.CaseID)
	if err != nil || c == nil || !isStaff(c) {
		return nil, err
	}
	if limited, err := r.views.HasTimeLimit(ctx, c.Case, *review); err != nil || !limited {
		return nil, err
	}
	runs, err := shareOfCase(loadersFrom(ctx).batchOf(review.CaseID).runs())(review.CaseID)
	return views.EndOfStep(*review, runs), err
}
