package views

import (
	"context"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store"
)

func matchesText(u domain.User, text string) bool {
	return text == "" || strings.Contains(strings.ToLower(u.Name+" "+u.Email), strings.ToLower(text))
}

// QueueQuery narrows the queue beyond what the policy admits.
type QueueQuery struct {
	Mine          bool // only those the person holds or that are assigned to them
	Available     bool // only those nobody holds
	All           bool // every undecided review the person may reassign, instead of those they may decide
	Queue         string
	Assignee      domain.ID // NoID = anybody
	ExpiredClaims bool      // only those whose claim ran out while the person held it
	Due           Due
	After         *store.QueueCursor
	First         int
}

// QueuePage is one page of reviews, soonest due first.
type QueuePage struct {
	Reviews []domain.Review
	HasMore bool
	Total   int64
	Until   time.Time // when a delegation by which it was read ends; zero = none does
}

// Queue reads the reviews the person may decide, and only those: the policy's own filter, in SQL.
func (v *Views) Queue(ctx context.Context, actor domain.Actor, query QueueQuery) (QueuePage, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return QueuePage{}, err
	}
	filter, err := v.queueFilter(viewer, query)
	if err != nil {
		return QueuePage{}, err
	}
	size := pageSize(query.First)
	reviews, err := v.reader.QueuePage(ctx, filter, store.Due(query.Due), query.After, size+1)
	if err != nil {
		return QueuePage{}, err
	}
	page := QueuePage{Reviews: reviews[:min(len(reviews), size)], HasMore: len(reviews) > size, Total: int64(len(reviews)),
		Until: viewer.until()}
	if query.After == nil && !page.HasMore {
		return page, nil // the page is the whole list: counted by itself, it agrees with what it shows
	}
	page.Total, err = v.reader.QueueCount(ctx, filter, store.Due(query.Due))
	return page, err
}

func (v *Views) queueFilter(viewer viewer, query QueueQuery) (domain.Filter, error) {
	filter, err := listFilter(viewer, query.All)
	if err != nil {
		return filter, err
	}
	parts := []domain.Filter{filter}
	if query.Assignee != domain.NoID {
		parts = append(parts, domain.Where(domain.ColAssignee, "==", query.Assignee))
	}
	if query.Mine {
		parts = append(parts, domain.Where(domain.ColAssignee, "==", viewer.user.ID))
	}
	if query.Available {
		parts = append(parts, domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen)), domain.Where(domain.ColAssignee, "==", domain.NoID))
	}
	if query.ExpiredClaims {
		parts = append(parts, expiredClaimsOf(viewer.user.ID)...)
	}
	if query.Queue != "" {
		parts = append(parts, domain.Where(domain.ColQueue, "==", query.Queue))
	}
	return domain.All(parts...), nil
}

// expiredClaimsOf are the reviews whose claim ran out while the person held it and that nobody has taken since.
func expiredClaimsOf(person domain.ID) []domain.Filter {
	return []domain.Filter{domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen)), domain.Where(domain.ColPreviousAssignee, "==", person),
		domain.Where(domain.ColUnassignCause, "==", string(domain.UnassignedByExpiry))}
}

// listFilter is the policy's filter of one's own queues, or of all undecided reviews that one may reassign.
func listFilter(viewer viewer, all bool) (domain.Filter, error) {
	if !all {
		return viewer.queueFilter()
	}
	filter, err := viewer.policy.ReassignFilter(viewer.user)
	if err == nil && filter.Const != nil && !*filter.Const {
		err = domain.Errorf(domain.NotPermitted, "Only who may give reviews to other people sees the reviews of all.").
			WithRemedy("Leave the filter out to see your own queues.")
	}
	open, claimed := domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen)), domain.Where(domain.ColStatus, "==", string(domain.ReviewClaimed))
	return domain.All(domain.Any(open, claimed), filter), err
}

// QueueCount is how much there is in one queue.
type QueueCount struct {
	Name                                          string
	Available, Assigned, Claimed, Overdue, AtRisk int
}

// Queues counts what is in each queue: what the person may decide, or all that they may reassign. One's own queues are
// listed also when they are empty.
func (v *Views) Queues(ctx context.Context, actor domain.Actor, all bool) ([]QueueCount, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	filter, err := listFilter(viewer, all)
	if err != nil {
		return nil, err
	}
	rows, err := v.reader.QueueCounts(ctx, filter)
	if err != nil {
		return nil, err
	}
	counts := make([]QueueCount, 0, len(rows)+len(viewer.user.Queues))
	for _, row := range rows {
		counts = append(counts, QueueCount{Name: row.Queue, Available: int(row.Available), Assigned: int(row.Assigned),
			Claimed: int(row.Claimed), Overdue: int(row.Overdue), AtRisk: int(row.AtRisk)})
	}
	for _, name := range viewer.user.Queues {
		if !slices.ContainsFunc(counts, func(c QueueCount) bool { return c.Name == name }) {
			counts = append(counts, QueueCount{Name: name})
		}
	}
	slices.SortFunc(counts, func(a, b QueueCount) int { return strings.Compare(a.Name, b.Name) })
	return counts, nil
}

// RemovedFromQueue reads, of reviews that were in the person's list, those they may still read, as they are now.
func (v *Views) RemovedFromQueue(ctx context.Context, actor domain.Actor, ids []domain.ID) ([]domain.Review, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return []domain.Review{}, nil
	}
	filter, err := viewer.reviewFilter()
	if err != nil {
		return nil, err
	}
	return v.reader.MatchingReviews(ctx, filter, ids)
}

// Counters is how much waits for a person; of reviews each number is counted up to store.MaxCount.
type Counters struct {
	Available, Mine, Incidents int64
	ExpiredClaims              int64     // whose claim ran out under one's hands
	Overdue, AtRisk            int64     // among all for who may give reviews away, else among one's own
	Until                      time.Time // as of QueuePage
}

// Counters counts what waits for the person.
func (v *Views) Counters(ctx context.Context, actor domain.Actor) (Counters, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return Counters{}, err
	}
	tally := Counters{Until: viewer.until()}
	for _, count := range []struct {
		query QueueQuery
		into  *int64
	}{{QueueQuery{Available: true}, &tally.Available}, {QueueQuery{Mine: true}, &tally.Mine},
		{QueueQuery{ExpiredClaims: true}, &tally.ExpiredClaims}} {
		filter, err := v.queueFilter(viewer, count.query)
		if err != nil {
			return tally, err
		}
		if *count.into, err = v.reader.QueueCount(ctx, filter, store.DueAny); err != nil {
			return tally, err
		}
	}
	if err := v.countLate(ctx, viewer, &tally); err != nil {
		return tally, err
	}
	filter, err := viewer.readFilter()
	if err != nil {
		return tally, err
	}
	tally.Incidents, err = v.reader.IncidentCount(ctx, filter)
	return tally, err
}

// countLate counts, each up to store.MaxCount, what is late among all that a manager may give away, or among one's own.
func (v *Views) countLate(ctx context.Context, viewer viewer, tally *Counters) error {
	filter, err := listFilter(viewer, true)
	if domain.HasCode(err, domain.NotPermitted) {
		filter, err = v.queueFilter(viewer, QueueQuery{Mine: true})
	}
	if err != nil {
		return err
	}
	if tally.Overdue, err = v.reader.QueueCount(ctx, filter, store.DueOverdue); err != nil {
		return err
	}
	tally.AtRisk, err = v.reader.QueueCount(ctx, filter, store.DueAtRisk)
	return err
}

// Review reads one review whose case the person may read and whose work they may see.
func (v *Views) Review(ctx context.Context, actor domain.Actor, id domain.ID) (domain.Review, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return domain.Review{}, err
	}
	review, c, err := v.readableReview(ctx, viewer, id)
	if err != nil {
		return domain.Review{}, err
	}
	if AudienceOn(viewer.user, c) != domain.AudienceStaff {
		return domain.Review{}, notFound()
	}
	return review, nil
}

// readableReview reads a review and its case, which the person may read; a missing one is judged like a foreign one.
func (v *Views) readableReview(ctx context.Context, viewer viewer, id domain.ID) (domain.Review, domain.Case, error) {
	review, err := v.reader.Review(ctx, id)
	if domain.HasCode(err, domain.NotFound) {
		review, err = domain.AbsentReview(id), nil
	}
	if err != nil {
		return review, domain.Case{}, err
	}
	c, _, err := v.readable(ctx, viewer, review.CaseID)
	return review, c, err
}

// reviewFacts reads a review, its case, and what the policy is asked about it; NotFound where the case may not be read.
func (v *Views) reviewFacts(ctx context.Context, viewer viewer, id domain.ID) (domain.Review, domain.ReviewFacts, domain.Case, error) {
	review, c, err := v.readableReview(ctx, viewer, id)
	if err != nil {
		return review, domain.ReviewFacts{}, c, err
	}
	exclusions, err := v.reader.Exclusions(ctx, c.ID, c.PartyID)
	if err != nil {
		return review, domain.ReviewFacts{}, c, err
	}
	hasAmount, err := v.hasAmount(ctx, c)
	if err != nil {
		return review, domain.ReviewFacts{}, c, err
	}
	now, err := v.reader.Clock(ctx)
	return review, store.NewReviewFacts(c, review, exclusions, hasAmount, now), c, err
}

// Eligible lists who could be given the review, for managers.
func (v *Views) Eligible(ctx context.Context, actor domain.Actor, reviewID domain.ID) ([]domain.User, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActReassign)
	if err != nil {
		return nil, err
	}
	_, facts, _, err := v.reviewFacts(ctx, viewer, reviewID)
	if err != nil {
		return nil, err
	}
	if _, err := viewer.policy.Authorize(viewer.user, domain.ActReassign, facts); err != nil {
		return nil, err
	}
	users, err := v.reader.Users(ctx, nil)
	if err != nil {
		return nil, err
	}
	return viewer.policy.Eligible(users, domain.ActClaim, facts), nil
}
