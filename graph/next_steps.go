package graph

import (
	"context"
	"sync"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/graph/transport"
	"countersign/views"
)

// addNextSteps adds to a batch what is computed from its rows: the next step of each case and the
// users who can perform it.
func (l *loaders) addNextSteps(f *caseBatch, ids []domain.ID) {
	cases := sync.OnceValues(func() ([]*shape.Case, error) { return l.cases.LoadAll(l.ctx, ids) })
	f.next = sync.OnceValues(func() (map[domain.ID]views.NextStep, error) {
		all, err := cases()
		if err != nil {
			return nil, err
		}
		reviews, err := f.reviews()
		if err == nil {
			reviews, err = l.seenReviewsOf(all, reviews)
		}
		if err != nil {
			return nil, err
		}
		runs, err := f.runs()
		if err != nil {
			return nil, err
		}
		now, err := l.now()
		if err != nil {
			return nil, err
		}
		steps := make(map[domain.ID]views.NextStep, len(all))
		for _, c := range all {
			if c == nil {
				continue
			}
			if steps[c.ID], err = l.views.Next(l.ctx, c.CaseView, reviews[c.ID], runs[c.ID],
				now); err != nil {
				return nil, err
			}
		}
		return steps, nil
	})
	f.eligible = sync.OnceValues(func() (map[domain.ID][]domain.User, error) {
		all, err := cases()
		if err != nil {
			return nil, err
		}
		steps, err := f.next()
		if err != nil {
			return nil, err
		}
		reviews, err := f.reviews()
		if err != nil {
			return nil, err
		}
		if reviews, err = l.seenReviewsOf(all, reviews); err != nil {
			return nil, err
		}
		return l.views.EligiblePeople(l.ctx, transport.Caller(l.ctx), staffCases(all), steps,
			reviews)
	})
	l.addIncidentActions(f, cases)
}

// addIncidentActions adds the recovery actions that the viewer may take.
func (l *loaders) addIncidentActions(f *caseBatch, cases func() ([]*shape.Case, error)) {
	f.incidentActions = sync.OnceValues(func() (map[domain.ID][]domain.Action, error) {
		all, err := cases()
		if err != nil {
			return nil, err
		}
		reviews, err := f.reviews()
		if err != nil {
			return nil, err
		}
		return l.views.IncidentActions(l.ctx, transport.Caller(l.ctx), plainCases(all), reviews)
	})
}

func plainCases(all []*shape.Case) []domain.Case {
	cases := make([]domain.Case, 0, len(all))
	for _, c := range all {
		if c != nil {
			cases = append(cases, c.Case)
		}
	}
	return cases
}

// staffCases returns the cases whose review work the viewer may see.
func staffCases(all []*shape.Case) []domain.Case {
	cases := make([]domain.Case, 0, len(all))
	for _, c := range all {
		if c != nil && isStaff(c) {
			cases = append(cases, c.Case)
		}
	}
	return cases
}

func (caseResolver) Next(ctx context.Context, c *shape.Case) (*shape.NextStep, error) {
	loadersFrom(ctx).cases.Prime(c.ID, c)
	steps, err := loadersFrom(ctx).batchOf(c.ID).next()
	return &shape.NextStep{NextStep: steps[c.ID], Case: c}, err
}

func (nextStepResolver) ReviewID(_ context.Context, n *shape.NextStep) (*string, error) {
	if n.Review.ID == domain.NoID {
		return nil, nil
	}
	return optional(scalar.GlobalID(scalar.KindReview, n.Review.ID)), nil
}

func (nextStepResolver) Who(ctx context.Context, n *shape.NextStep) ([]domain.User, error) {
	if !isStaff(n.Case) {
		return []domain.User{}, nil
	}
	able, err := loadersFrom(ctx).batchOf(n.Case.ID).eligible()
	return namesOf(able[n.Case.ID]), err
}

func (r caseResolver) Explain(ctx context.Context, c *shape.Case, action domain.Action) (
	*views.Explanation, error) {
	return accessExplanation(ctx, c.ID, action, r.views.CaseAccessQuestion)
}

func (r reviewResolver) Explain(ctx context.Context, review *domain.Review, action domain.Action) (
	*views.Explanation, error) {
	return accessExplanation(ctx, review.ID, action, r.views.ReviewAccessQuestion)
}

// AfterApproval resolves what follows an approval of the review.
func (r reviewResolver) AfterApproval(ctx context.Context, review *domain.Review) (
	*views.AfterApproval, error) {
	question, err := loadersFrom(ctx).accessQuestion(review.ID, r.views.ReviewAccessQuestion)
	if err != nil {
		return nil, err
	}
	return question.AfterApproval()
}

type afterApprovalResolver struct{}

// Queue resolves the queue of the review that opens.
func (afterApprovalResolver) Queue(_ context.Context, next *views.AfterApproval) (*string, error) {
	return optional(next.Queue), nil
}

// Level resolves the level of the review that opens.
func (afterApprovalResolver) Level(_ context.Context, next *views.AfterApproval) (*int, error) {
	if next.Step != views.AfterReview {
		return nil, nil
	}
	return &next.Level, nil
}

func accessExplanation(ctx context.Context, id domain.ID, action domain.Action,
	read func(context.Context, domain.Actor, domain.ID) (*views.AccessQuestion, error)) (
	*views.Explanation, error) {
	question, err := loadersFrom(ctx).accessQuestion(id, read)
	if err != nil {
		return nil, err
	}
	answer, err := question.Explain(action)
	return &answer, err
}

func (explanationResolver) Code(_ context.Context, e *views.Explanation) (*string, error) {
	return optional(string(e.Code)), nil
}

func (explanationResolver) Remedy(_ context.Context, e *views.Explanation) (*string, error) {
	return optional(e.Remedy), nil
}

// WayOut resolves the deprecated name of Remedy.
func (r explanationResolver) WayOut(ctx context.Context, e *views.Explanation) (*string, error) {
	return r.Remedy(ctx, e)
}

func (explanationResolver) Values(_ context.Context, e *views.Explanation) (
	[]donotuse.NameValue, error) {
	return namedValues(e.Values), nil
}

func (explanationResolver) Who(_ context.Context, e *views.Explanation) ([]domain.User, error) {
	return namesOf(e.EligiblePeople), nil
}
