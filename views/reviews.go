package views

import (
	"context"
	"slices"
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
	All       bool // every undecided review the person may reassign, instead of those they may decide
	Queue     string
	Assignee  domain.ID // NoID = anybody
	Lapsed    bool      // only those whose claim ran out under the person's hands
	Due       Due
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
	reviews, err := v.reader.QueuePage(ctx, filter, store.Due(query.Due), query.After, size+1)
	if err != nil {
		return QueuePage{}, err
	}
	page := QueuePage{Reviews: reviews[:min(len(reviews), size)], HasMore: len(reviews) > size, Total: int64(len(reviews))}
	if query.After == nil && !page.HasMore {
		return page, nil // the page is the whole list: counted by itself, it agrees with what it shows
	}
	page.Total, err = v.reader.QueueCount(ctx, filter, store.Due(query.Due))
	return page, err
}

func (v *Views) queueFilter(see eyes, query QueueQuery) (domain.Filter, error) {
	filter, err := listFilter(see, query.All)
	if err != nil {
		return filter, err
	}
	parts := []domain.Filter{filter}
	if query.Assignee != domain.NoID {
		parts = append(parts, domain.Where(domain.ColAssignee, "==", query.Assignee))
	}
	if query.Mine {
		parts = append(parts, domain.Where(domain.ColAssignee, "==", see.user.ID))
	}
	if query.Available {
		parts = append(parts, domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen)), domain.Where(domain.ColAssignee, "==", domain.NoID))
	}
	if query.Lapsed {
		parts = append(parts, lapsedUnder(see.user.ID)...)
	}
	if query.Queue != "" {
		parts = append(parts, domain.Where(domain.ColQueue, "==", query.Queue))
	}
	return domain.All(parts...), nil
}

// lapsedUnder are the reviews whose claim ran out under the person's hands and that nobody has taken since.
func lapsedUnder(person domain.ID) []domain.Filter {
	return []domain.Filter{domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen)), domain.Where(domain.ColLeftBy, "==", person),
		domain.Where(domain.ColLeftHow, "==", string(domain.LeftExpired))}
}

// listFilter is the policy's filter of one's own queues, or of all undecided reviews that one may reassign.
func listFilter(see eyes, all bool) (domain.Filter, error) {
	if !all {
		return see.queue()
	}
	filter, err := see.judge.ReassignFilter(see.user)
	if err == nil && filter.Const != nil && !*filter.Const {
		err = domain.Fail(domain.NotPermitted, "Only who may give reviews to other people sees the reviews of all.").
			WithWayOut("Leave the filter out to see your own queues.")
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
	see, err := v.look(ctx, actor)
	if err != nil {
		return nil, err
	}
	filter, err := listFilter(see, all)
	if err != nil {
		return nil, err
	}
	rows, err := v.reader.QueueCounts(ctx, filter)
	if err != nil {
		return nil, err
	}
	counts := make([]QueueCount, 0, len(rows)+len(see.user.Queues))
	for _, row := range rows {
		counts = append(counts, QueueCount{Name: row.Queue, Available: int(row.Available), Assigned: int(row.Assigned),
			Claimed: int(row.Claimed), Overdue: int(row.Overdue), AtRisk: int(row.AtRisk)})
	}
	for _, name := range see.user.Queues {
		if !slices.ContainsFunc(counts, func(c QueueCount) bool { return c.Name == name }) {
			counts = append(counts, QueueCount{Name: name})
		}
	}
	slices.SortFunc(counts, func(a, b QueueCount) int { return strings.Compare(a.Name, b.Name) })
	return counts, nil
}

// Left reads, of reviews that were in the person's list, those they may still read, as they are now.
func (v *Views) Left(ctx context.Context, actor domain.Actor, ids []domain.ID) ([]domain.Review, error) {
	if len(ids) == 0 {
		return []domain.Review{}, nil
	}
	see, err := v.look(ctx, actor)
	if err != nil {
		return nil, err
	}
	filter, err := see.reviews()
	if err != nil {
		return nil, err
	}
	return v.reader.ReviewsAmong(ctx, filter, ids)
}

// Tally is how much waits for a person; of reviews each number is counted up to store.MaxCount.
type Tally struct {
	Available, Mine, Incidents int64
	Lapsed                     int64 // whose claim ran out under one's hands
	Overdue, AtRisk            int64 // among all for who may give reviews away, else among one's own
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
	}{{QueueQuery{Available: true}, &tally.Available}, {QueueQuery{Mine: true}, &tally.Mine},
		{QueueQuery{Lapsed: true}, &tally.Lapsed}} {
		filter, err := v.queueFilter(see, count.query)
		if err != nil {
			return tally, err
		}
		if *count.into, err = v.reader.QueueCount(ctx, filter, store.DueAny); err != nil {
			return tally, err
		}
	}
	if err := v.tallyLate(ctx, see, &tally); err != nil {
		return tally, err
	}
	filter, err := see.reads()
	if err != nil {
		return tally, err
	}
	tally.Incidents, err = v.reader.IncidentCount(ctx, filter)
	return tally, err
}

// tallyLate counts, each up to store.MaxCount, what is late among all that a manager may give away, or among one's own.
func (v *Views) tallyLate(ctx context.Context, see eyes, tally *Tally) error {
	filter, err := listFilter(see, true)
	if domain.HasCode(err, domain.NotPermitted) {
		filter, err = v.queueFilter(see, QueueQuery{Mine: true})
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
		return domain.Review{}, domain.Fail(domain.NotFound, "There is no such thing, or you may not see it.")
	}
	return review, nil
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
