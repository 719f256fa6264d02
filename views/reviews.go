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
	return text == "" || strings.Contains(strings.ToLower(u.Name+" "+u.Email),
		strings.ToLower(text))
}

// QueueQuery narrows the queue further than the policy does.
type QueueQuery struct {
	Mine      bool // only reviews assigned to or claimed by the viewer
	Available bool // only unassigned reviews
	// all undecided reviews that the viewer may reassign, instead of those they may decide
	All           bool
	Queue         string
	Assignee      domain.ID   // NoID means any
	Cases         []domain.ID // only reviews of these cases; nil means any
	ExpiredClaims bool        // only reviews whose claim by the viewer expired
	Due           Due
	// Text is a part of the vendor, the reference or the name of a file; "" means any.
	Text  string
	Sort  ReviewSort // "" is ReviewsDeadline
	After *QueueCursor
	First int
}

// QueuePage is one page of reviews, earliest deadline first.
type QueuePage struct {
	Reviews []domain.Review
	HasMore bool
	Total   int64
	// Doable is how many of the reviews one person can decide.
	Doable int64
	Until  time.Time // when the first delegation used for this page ends; zero without delegations
}

// Queue reads a page of the reviews that the viewer may decide. The policy's filter runs in SQL.
func (v *Views) Queue(ctx context.Context, actor domain.Actor, query QueueQuery) (
	QueuePage, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return QueuePage{}, err
	}
	filter, err := v.queueFilter(viewer, query)
	if err != nil {
		return QueuePage{}, err
	}
	size := pageSize(query.First)
	if query.isSearch() {
		return v.searchQueue(ctx, viewer, filter, query, size)
	}
	reviews, err := v.reader.QueuePage(ctx, filter, store.Due(query.Due),
		(*store.QueueCursor)(query.After), size+1)
	if err != nil {
		return QueuePage{}, err
	}
	page := newQueuePage(viewer, reviews, size)
	if query.After == nil && !page.HasMore {
		return page, nil // the page is the complete list, so its length is the total
	}
	total, err := v.reader.QueueCount(ctx, filter, store.Due(query.Due))
	page.Total, page.Doable = total.Reviews, total.Doable
	return page, err
}

// newQueuePage returns the page of the first reviews, counted as if there were no others.
func newQueuePage(viewer viewer, reviews []domain.Review, size int) QueuePage {
	type work struct {
		caseID domain.ID
		duty   string
	}
	doable := map[work]bool{}
	for i := range reviews {
		doable[work{reviews[i].CaseID, reviews[i].Duty}] = true
	}
	return QueuePage{Reviews: reviews[:min(len(reviews), size)], HasMore: len(reviews) > size,
		Total: int64(len(reviews)), Doable: int64(len(doable)), Until: viewer.until()}
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
	if query.Cases != nil {
		parts = append(parts, domain.Filter{Compare: &domain.Comparison{Column: domain.ColCase, Op: "in",
			Value: query.Cases}})
	}
	if query.Mine {
		parts = append(parts, domain.Where(domain.ColAssignee, "==", viewer.user.ID))
	}
	if query.Available {
		parts = append(parts, domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen)),
			domain.Where(domain.ColAssignee, "==", domain.NoID))
	}
	if query.ExpiredClaims {
		parts = append(parts, expiredClaimsOf(viewer.user.ID)...)
	}
	if query.Queue != "" {
		parts = append(parts, domain.Where(domain.ColQueue, "==", query.Queue))
	}
	return domain.All(parts...), nil
}

// expiredClaimsOf selects open reviews whose last claim, by the person, expired.
func expiredClaimsOf(person domain.ID) []domain.Filter {
	return []domain.Filter{domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen)),
		domain.Where(domain.ColPreviousAssignee, "==", person),
		domain.Where(domain.ColUnassignCause, "==", string(domain.UnassignedByExpiry))}
}

// listFilter returns the policy's filter of the viewer's own queues or, with all, of all undecided
// reviews that the viewer may reassign.
func listFilter(viewer viewer, all bool) (domain.Filter, error) {
	if !all {
		return viewer.queueFilter()
	}
	filter, err := viewer.policy.ReassignFilter(viewer.user)
	if err == nil && filter.Const != nil && !*filter.Const {
		err = domain.Errorf(domain.NotPermitted,
			"Only managers who can reassign reviews can see everyone's reviews.").
			WithRemedy("Remove the filter to see your own queues.")
	}
	open, claimed := domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen)),
		domain.Where(domain.ColStatus, "==", string(domain.ReviewClaimed))
	return domain.All(domain.Any(open, claimed), filter), err
}

// QueueCount holds the counters of one queue.
type QueueCount struct {
	Name                                          string
	Available, Assigned, Claimed, Overdue, AtRisk int
}

// Queues counts the reviews of each queue: those the viewer may decide or, with all, those they may
// reassign. The viewer's own queues are included even when they are empty.
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
		counts = append(counts, QueueCount{Name: row.Queue, Available: int(row.Available),
			Assigned: int(row.Assigned),
			Claimed:  int(row.Claimed), Overdue: int(row.Overdue), AtRisk: int(row.AtRisk)})
	}
	for _, name := range viewer.user.Queues {
		if !slices.ContainsFunc(counts, func(c QueueCount) bool { return c.Name == name }) {
			counts = append(counts, QueueCount{Name: name})
		}
	}
	slices.SortFunc(counts, func(a, b QueueCount) int { return strings.Compare(a.Name, b.Name) })
	return counts, nil
}

// RemovedFromQueue reads the present state of reviews that left the viewer's list, as far as the
// viewer may still read them.
func (v *Views) RemovedFromQueue(ctx context.Context, actor domain.Actor, ids []domain.ID) (
	[]domain.Review, error) {
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

// Counters holds the counters of the viewer's work. Each count of reviews is capped at
// store.MaxCount.
type Counters struct {
	Available, Mine, Incidents int64
	ExpiredClaims              int64 // open reviews whose claim by the viewer expired
	// among all reviews that the viewer may reassign, or else their own
	Overdue, AtRisk int64
	Returned        int64     // cases of the viewer that were returned to them
	Unread          int64     // notices
	Until           time.Time // as in QueuePage
}

// Counters counts the work that waits for the viewer.
func (v *Views) Counters(ctx context.Context, actor domain.Actor) (Counters, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return Counters{}, err
	}
	counters := Counters{Until: viewer.until()}
	for _, count := range []struct {
		query QueueQuery
		into  *int64
	}{{QueueQuery{Available: true}, &counters.Available}, {QueueQuery{Mine: true}, &counters.Mine},
		{QueueQuery{ExpiredClaims: true}, &counters.ExpiredClaims}} {
		filter, err := v.queueFilter(viewer, count.query)
		if err != nil {
			return counters, err
		}
		total, err := v.reader.QueueCount(ctx, filter, store.DueAny)
		if err != nil {
			return counters, err
		}
		*count.into = total.Doable
	}
	if err := v.countLate(ctx, viewer, &counters); err != nil {
		return counters, err
	}
	filter, err := viewer.readFilter()
	if err != nil {
		return counters, err
	}
	if counters.Incidents, err = v.reader.IncidentCount(ctx, filter); err != nil {
		return counters, err
	}
	if counters.Returned, err = v.reader.ReturnedCount(ctx, viewer.user.ID); err != nil {
		return counters, err
	}
	counters.Unread, err = v.unreadNotices(ctx, viewer)
	return counters, err
}

// countLate counts overdue and at-risk reviews among those that a manager may reassign, or else
// among the viewer's own.
func (v *Views) countLate(ctx context.Context, viewer viewer, counters *Counters) error {
	filter, err := listFilter(viewer, true)
	if domain.HasCode(err, domain.NotPermitted) {
		filter, err = v.queueFilter(viewer, QueueQuery{Mine: true})
	}
	if err != nil {
		return err
	}
	overdue, err := v.reader.QueueCount(ctx, filter, store.DueOverdue)
	if err != nil {
		return err
	}
	atRisk, err := v.reader.QueueCount(ctx, filter, store.DueAtRisk)
	counters.Overdue, counters.AtRisk = overdue.Reviews, atRisk.Reviews
	return err
}

// Review reads one review of a case that the viewer may read as staff.
func (v *Views) Review(ctx context.Context, actor domain.Actor, id domain.ID) (
	domain.Review, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return domain.Review{}, err
	}
	review, c, err := v.readableReview(ctx, viewer, id)
	if err != nil {
		return domain.Review{}, err
	}
	if AudienceOn(viewer.user, c) != domain.AudienceStaff {
		return domain.Review{}, domain.NewNotFound()
	}
	return review, nil
}

// readableReview reads a review and its case if the viewer may read the case. A missing review
// takes the same path as a forbidden one, so that the response time does not distinguish them.
func (v *Views) readableReview(ctx context.Context, viewer viewer, id domain.ID) (
	domain.Review, domain.Case, error) {
	review, err := v.reader.Review(ctx, id)
	if domain.HasCode(err, domain.NotFound) {
		review, err = domain.AbsentReview(id), nil
	}
	if err != nil {
		return review, domain.Case{}, err
	}
	c, _, err := v.readable(ctx, viewer, review.CaseID)
	if err == nil && domain.ConfidentialQueue(review.Queue) &&
		!v.caseViewer(viewer).seesConfidential(c) {
		err = domain.NewNotFound()
	}
	return review, c, err
}

// reviewFacts reads a review, its case and the facts for the policy. It returns NotFound if the
// viewer may not read the case.
func (v *Views) reviewFacts(ctx context.Context, viewer viewer, id domain.ID) (
	domain.Review, domain.ReviewFacts, domain.Case, error) {
	review, c, err := v.readableReview(ctx, viewer, id)
	if err != nil {
		return review, domain.ReviewFacts{}, c, err
	}
	exclusions, err := v.reader.Exclusions(ctx, c.ID, c.Parties())
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

// Eligible returns the users to whom the review could be assigned, for managers.
func (v *Views) Eligible(ctx context.Context, actor domain.Actor, reviewID domain.ID) (
	[]domain.User, error) {
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
