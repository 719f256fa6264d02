package views

import (
	"context"
	"strings"

	"countersign/domain"
	"countersign/store"
)

func matches(u domain.User, text string) bool {
	return text == "" || strings.Contains(strings.ToLower(u.Name+" "+u.Email), strings.ToLower(text))
}

// QueueQuery narrows the queue beyond what the policy admits.
type QueueQuery struct {
	Mine      bool // only those the person holds or that are assigned to them
	Available bool // only those nobody holds
	Queue     string
	After     *store.QueueCursor
	First     int
}

// QueuePage is one page of reviews, soonest due first.
type QueuePage struct {
	Reviews []domain.Review
	HasMore bool
	Total   int64
}

// Queue reads the reviews the person may decide, and only those: the policy's own filter, in SQL.
func (v *Views) Queue(ctx context.Context, actor domain.Actor, query QueueQuery) (QueuePage, error) {
	see, err := v.look(ctx, actor)
	if err != nil {
		return QueuePage{}, err
	}
	filter, err := v.queueFilter(see, query)
	if err != nil {
		return QueuePage{}, err
	}
	size := pageSize(query.First)
	reviews, err := v.reader.QueuePage(ctx, filter, query.After, size+1)
	if err != nil {
		return QueuePage{}, err
	}
	page := QueuePage{Reviews: reviews[:min(len(reviews), size)], HasMore: len(reviews) > size, Total: int64(len(reviews))}
	if query.After == nil && !page.HasMore {
		return page, nil // the page is the whole list: counted by itself, it agrees with what it shows
	}
	page.Total, err = v.reader.QueueCount(ctx, filter)
	return page, err
}

func (v *Views) queueFilter(see eyes, query QueueQuery) (domain.Filter, error) {
	filter, err := see.judge.QueueFilter(see.user)
	if err != nil {
		return filter, err
	}
	parts := []domain.Filter{filter}
	if query.Mine {
		parts = append(parts, domain.Where(domain.ColAssignee, "==", see.user.ID))
	}
	if query.Available {
		parts = append(parts, domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen)), domain.Where(domain.ColAssignee, "==", domain.NoID))
	}
	if query.Queue != "" {
		parts = append(parts, domain.Where(domain.ColQueue, "==", query.Queue))
	}
	return domain.All(parts...), nil
}

// Tally is how much waits for a person.
type Tally struct {
	Available, Mine, Incidents int64
}

// Tally counts what waits for the person.
func (v *Views) Tally(ctx context.Context, actor domain.Actor) (Tally, error) {
	see, err := v.look(ctx, actor)
	if err != nil {
		return Tally{}, err
	}
	var tally Tally
	for _, count := range []struct {
		query QueueQuery
		into  *int64
	}{{QueueQuery{Available: true}, &tally.Available}, {QueueQuery{Mine: true}, &tally.Mine}} {
		filter, err := v.queueFilter(see, count.query)
		if err != nil {
			return tally, err
		}
		if *count.into, err = v.reader.QueueCount(ctx, filter); err != nil {
			return tally, err
		}
	}
	incidents, err := v.Incidents(ctx, actor, MaxPage)
	tally.Incidents = int64(len(incidents))
	return tally, err
}

// Review reads one review whose case the person may read and whose work they may see.
func (v *Views) Review(ctx context.Context, actor domain.Actor, id domain.ID) (domain.Review, error) {
	see, err := v.look(ctx, actor)
	if err != nil {
		return domain.Review{}, err
	}
	review, err := v.reader.Review(ctx, id)
	if err != nil {
		return review, err
	}
	c, err := v.reader.Case(ctx, review.CaseID)
	if err != nil {
		return review, err
	}
	if err := v.mayRead(ctx, see, c); err != nil {
		return domain.Review{}, err
	}
	if AudienceOn(see.user, c) != domain.AudienceStaff {
		return domain.Review{}, domain.Fail(domain.NotFound, "There is no such review, or you may not see it.")
	}
	return review, nil
}

// Explanation says why the person may or may not act on a review, and who could.
type Explanation struct {
	Allowed       bool
	Rule          string
	Sentence      string
	Code          domain.Code
	PolicyVersion int64
	Who           []domain.User
}

// Explain answers "why not me, and who then?" for a review of a case the person may read. A submitter is told no more
// than that the case is in review.
func (v *Views) Explain(ctx context.Context, actor domain.Actor, reviewID domain.ID, action domain.Action) (Explanation, error) {
	see, err := v.look(ctx, actor)
	if err != nil {
		return Explanation{}, err
	}
	_, facts, c, err := v.reviewFacts(ctx, see, reviewID)
	if err != nil {
		return Explanation{}, err
	}
	said := see.judge.Explain(see.user, action, facts)
	answer := Explanation{Allowed: said.Allowed, Rule: said.Rule, Sentence: said.Message, Code: said.Code, PolicyVersion: said.PolicyVersion}
	if said.WayOut != "" {
		answer.Sentence += " " + said.WayOut
	}
	if AudienceOn(see.user, c) != domain.AudienceStaff {
		return Explanation{Rule: "in review", Sentence: "Your document is being reviewed.", PolicyVersion: said.PolicyVersion}, nil
	}
	users, err := v.reader.Users(ctx, nil)
	if err != nil {
		return answer, err
	}
	answer.Who = see.judge.Eligible(users, action, facts)
	return answer, nil
}

// reviewFacts reads a review, its case, and what the policy is asked about it; NotFound where the case may not be read.
func (v *Views) reviewFacts(ctx context.Context, see eyes, id domain.ID) (domain.Review, domain.ReviewFacts, domain.Case, error) {
	review, err := v.reader.Review(ctx, id)
	if err != nil {
		return review, domain.ReviewFacts{}, domain.Case{}, err
	}
	c, err := v.reader.Case(ctx, review.CaseID)
	if err != nil {
		return review, domain.ReviewFacts{}, c, err
	}
	if err := v.mayRead(ctx, see, c); err != nil {
		return review, domain.ReviewFacts{}, c, err
	}
	bars, err := v.reader.BarsOf(ctx, c.ID, c.PartyID)
	if err != nil {
		return review, domain.ReviewFacts{}, c, err
	}
	hasAmount, err := v.hasAmount(ctx, c)
	if err != nil {
		return review, domain.ReviewFacts{}, c, err
	}
	now, err := v.reader.Clock(ctx)
	return review, store.ReviewFactsOf(c, review, bars, hasAmount, now), c, err
}

// Eligible lists who could be given the review, for managers.
func (v *Views) Eligible(ctx context.Context, actor domain.Actor, reviewID domain.ID) ([]domain.User, error) {
	see, err := v.look(ctx, actor)
	if err != nil {
		return nil, err
	}
	_, facts, _, err := v.reviewFacts(ctx, see, reviewID)
	if err != nil {
		return nil, err
	}
	if _, err := see.judge.Authorize(see.user, domain.ActReassign, facts); err != nil {
		return nil, err
	}
	users, err := v.reader.Users(ctx, nil)
	if err != nil {
		return nil, err
	}
	return see.judge.Eligible(users, domain.ActClaim, facts), nil
}
