package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// QueueCursor continues a queue list: the sort key of its last row.
type QueueCursor struct {
	DecideBy time.Time
	ID       domain.ID
}

// undecidedReview is the predicate of the partial indexes over undecided reviews.
const undecidedReview = `r.status IN ('open', 'claimed')`

// queueList is the SQL of a list of reviews that is read queue by queue. Each queue has its rows in
// the list's order in an index, and at most limit of them are read.
type queueList struct {
	columns, where, order string
	limit                 int
}

// queueSQL returns the list of one queue, which is given as SQL.
func (l queueList) queueSQL(queue string) string {
	return `SELECT ` + l.columns + ` FROM reviews r WHERE r.queue = ` + queue + ` AND ` + l.where +
		` ORDER BY ` + l.order + ` LIMIT ` + strconv.Itoa(l.limit)
}

// unionSQL returns the union of the queues' lists, not yet ordered.
func (l queueList) unionSQL(queues []string, arg func(any) string) string {
	parts := make([]string, 0, len(queues))
	for _, queue := range queues {
		parts = append(parts, "("+l.queueSQL(queueLiteral(queue, arg))+")")
	}
	if len(parts) == 0 {
		return l.queueSQL("NULL::text")
	}
	return strings.Join(parts, " UNION ALL ")
}

func queueLiteral(queue string, arg func(any) string) string {
	if text, ok := literal(domain.ColQueue, queue); ok {
		return text
	}
	return arg(queue)
}

// nonEmptyQueues reads the queues that have undecided reviews.
func (r Reader) nonEmptyQueues(ctx context.Context) ([]string, error) {
	return queryAll(ctx, r.q, "waiting queues", `WITH RECURSIVE q AS (
		(SELECT r.queue FROM reviews r WHERE `+undecidedReview+` ORDER BY r.queue LIMIT 1)
		UNION ALL SELECT (SELECT r.queue FROM reviews r WHERE `+undecidedReview+`
		AND r.queue > q.queue ORDER BY r.queue LIMIT 1) FROM q WHERE q.queue IS NOT NULL)
		SELECT queue FROM q WHERE queue IS NOT NULL`, pgx.RowTo[string])
}

// queuesToRead returns the queues of the filter, or all that have undecided reviews.
func (r Reader) queuesToRead(ctx context.Context, s filterFacts) ([]string, error) {
	if s.queues != nil {
		return s.queues, nil
	}
	queues, err := r.nonEmptyQueues(ctx)
	return slices.DeleteFunc(queues, func(queue string) bool {
		return slices.Contains(s.excluded, queue)
	}), err
}

// QueuePage reads reviews that the filter admits, by deadline, after the cursor.
func (r Reader) QueuePage(ctx context.Context, filter domain.Filter, due Due, after *QueueCursor,
	limit int) ([]domain.Review, error) {
	rendered := newReviewRenderer(nil)
	where, err := rendered.render(filter)
	if err != nil {
		return nil, err
	}
	where += due.condition()
	if after != nil {
		where += " AND (r.decide_by, r.id) > (" + rendered.arg(after.DecideBy) + ", " +
			rendered.arg(after.ID) + ")"
	}
	list := queueList{columns: "*", where: where + " AND " + undecidedReview,
		order: "r.decide_by, r.id", limit: limit}
	facts := newFilterFacts(filter)
	from := "reviews r WHERE " + where
	switch few := facts.fewRows(rendered.arg); {
	case few != "":
		from = few + " WHERE " + where
	case due == DueAtRisk && facts.undecided:
		return r.atRiskPage(ctx, facts, list, rendered)
	case facts.undecided && facts.queues != nil:
		from = "(" + list.unionSQL(facts.queues, rendered.arg) + ") r"
	}
	return r.reviewPage(ctx, from, limit, rendered.args)
}

func (r Reader) reviewPage(ctx context.Context, from string, limit int,
	args []any) ([]domain.Review, error) {
	return queryAll(ctx, r.q, "queue", `SELECT `+reviewRowColumns+` FROM `+from+`
		ORDER BY r.decide_by, r.id LIMIT `+strconv.Itoa(limit), scanReview, args...)
}

// atRiskProbeLimit is the largest number of reviews at risk that are read and sorted. If there are
// more, a page of them is found quickly in the order of their deadlines.
const atRiskProbeLimit = 200

// atRiskPage reads reviews at risk: in the order of the deadlines if there are many, otherwise all
// of them.
func (r Reader) atRiskPage(ctx context.Context, s filterFacts, list queueList,
	rendered *filterRenderer) ([]domain.Review, error) {
	queues, err := r.queuesToRead(ctx, s)
	if err != nil {
		return nil, err
	}
	var args []any
	arg := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args))
	}
	probe := queueList{columns: "1 AS one", where: undecidedReview + DueAtRisk.condition(),
		order: atRiskFromExpr + " DESC", limit: atRiskProbeLimit}
	var found int
	if err := r.q.QueryRow(ctx, `SELECT count(*) FROM (`+probe.unionSQL(queues, arg)+`) x`,
		args...).Scan(&found); err != nil {
		return nil, translate(err, "at risk")
	}
	limit := list.limit
	if found < atRiskProbeLimit {
		list.order, list.limit = atRiskFromExpr+" DESC", atRiskProbeLimit
	}
	return r.reviewPage(ctx, "("+list.unionSQL(queues, rendered.arg)+") r", limit, rendered.args)
}

// MaxCount bounds counts of reviews, because no user reads a longer list to its end and counting it
// would cost more than reading a page.
const MaxCount = 1000

// QueueTotal is the number of reviews of a list, up to MaxCount.
type QueueTotal struct {
	Reviews int64
	// Doable is how many of them one person can decide: of the reviews of a case with the same duty, one.
	Doable int64
}

// queueTotal counts the rows of the statement, which selects the case and the duty of reviews.
func (r Reader) queueTotal(ctx context.Context, from string, args []any) (total QueueTotal, err error) {
	err = r.q.QueryRow(ctx, `SELECT count(*), count(DISTINCT (case_id, duty)) FROM (SELECT case_id, duty
		FROM (`+from+`) y LIMIT `+strconv.Itoa(MaxCount)+`) x`, args...).Scan(&total.Reviews, &total.Doable)
	return total, translate(err, "queue count")
}

// QueueCount counts the reviews that the filter admits.
func (r Reader) QueueCount(ctx context.Context, filter domain.Filter, due Due) (QueueTotal, error) {
	rendered := newReviewRenderer(nil)
	where, err := rendered.render(filter)
	if err != nil {
		return QueueTotal{}, err
	}
	where += due.condition()
	const selected = "SELECT r.case_id, r.duty FROM "
	from := selected + `reviews r WHERE ` + where
	facts := newFilterFacts(filter)
	if few := facts.fewRows(rendered.arg); few != "" {
		from = selected + few + ` WHERE ` + where
	} else if facts.undecided {
		queues, err := r.queuesToRead(ctx, facts)
		if err != nil {
			return QueueTotal{}, err
		}
		list := queueList{columns: "r.case_id, r.duty", where: where + " AND " + undecidedReview,
			order: due.orderBy(), limit: MaxCount}
		from = list.unionSQL(queues, rendered.arg)
	}
	return r.queueTotal(ctx, from, rendered.args)
}

// orderBy returns the order of the index that finds the reviews of the kind.
func (d Due) orderBy() string {
	if d == DueAtRisk {
		return atRiskFromExpr + " DESC"
	}
	return "r.decide_by, r.id"
}

// QueueCounts is the number of reviews of one queue that a filter admits, each counted up to
// MaxCount.
type QueueCounts struct {
	Queue                                         string
	Available, Assigned, Claimed, Overdue, AtRisk int64
}

// QueueCounts counts the undecided reviews that the filter admits, by queue; empty queues are left
// out.
func (r Reader) QueueCounts(ctx context.Context, filter domain.Filter) ([]QueueCounts, error) {
	facts := newFilterFacts(filter)
	queues, err := r.queuesToRead(ctx, facts)
	if err != nil || len(queues) == 0 {
		return []QueueCounts{}, err
	}
	facts.undecided = true
	rendered := newReviewRenderer(nil)
	where, err := rendered.render(filter)
	if err != nil {
		return nil, err
	}
	where += " AND " + undecidedReview
	assigned := func(status domain.ReviewStatus) string {
		from := "reviews r"
		// the reviews of a person are found by the index on the assignee
		if facts.assignees != nil {
			own := facts
			own.assignees = withoutID(facts.assignees, domain.NoID)
			from = own.fewRows(rendered.arg)
		}
		return fmt.Sprintf(`(SELECT count(*) FROM (SELECT FROM %s WHERE r.queue = q.queue AND
			r.status = '%s' AND r.assignee <> '%s' AND %s LIMIT %d) x)`,
			from, status, domain.NoID, where, MaxCount)
	}
	count := func(where, order string) string {
		list := queueList{columns: "1 AS one", where: where, order: order, limit: MaxCount}
		return "(SELECT count(*) FROM (" + list.queueSQL("q.queue") + ") x)"
	}
	rows, err := queryAll(ctx, r.q, "queue counts",
		fmt.Sprintf(`SELECT q.queue, %s, %s, %s, %s, %s FROM unnest(%s::text[]) AS q (queue)
		ORDER BY q.queue`, count(where+" AND r.status = 'open' AND r.assignee = '"+
			domain.NoID.String()+"'", "r.decide_by, r.id"), assigned(domain.ReviewOpen),
			assigned(domain.ReviewClaimed),
			count(where+DueOverdue.condition(), DueOverdue.orderBy()),
			count(where+DueAtRisk.condition(), DueAtRisk.orderBy()), rendered.arg(queues)),
		pgx.RowToStructByPos[QueueCounts], rendered.args...)
	return slices.DeleteFunc(rows,
		func(c QueueCounts) bool { return c == QueueCounts{Queue: c.Queue} }), err
}

func withoutID(ids []domain.ID, id domain.ID) []domain.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(other domain.ID) bool { return other == id })
}

// claimBatchSizes is how many reviews of each queue are read before locked ones are skipped: more
// than are claimed concurrently. If all of them are locked, the next size is tried.
var claimBatchSizes = []int{64, 2000}

// NextForClaim locks the first review that the filter admits, with its case, by priority and then
// deadline. It skips locked rows and the reviews to skip. NothingToClaim if there is none.
func (t *Tx) NextForClaim(ctx context.Context, filter domain.Filter, skip ...domain.ID) (
	domain.Review, error) {
	filter = domain.All(domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen)), filter)
	queues := newFilterFacts(filter).queues
	if len(queues) < 2 {
		return t.lockNext(ctx, filter, skip, nil, 0)
	}
	for _, size := range claimBatchSizes {
		review, err := t.lockNext(ctx, filter, skip, queues, size)
		if !domain.HasCode(err, domain.NothingToClaim) {
			return review, err
		}
	}
	return domain.Review{}, nothingToClaim()
}

func nothingToClaim() error {
	return domain.Errorf(domain.NothingToClaim,
		"Your queues contain no review that you can decide.")
}

// lockNext executes one statement: a single queue is read in its order, several are merged from the
// first rows of each.
func (t *Tx) lockNext(ctx context.Context, filter domain.Filter, skip []domain.ID,
	queues []string, size int) (domain.Review, error) {
	rendered := newReviewRenderer(nil)
	where, err := rendered.render(filter)
	if err != nil {
		return domain.Review{}, err
	}
	if len(skip) > 0 {
		where = "(" + where + ") AND r.id <> ALL(" + rendered.arg(skip) + "::uuid[])"
	}
	with, from, by := "", "reviews r", "r.priority DESC, r.decide_by, r.id"
	if len(queues) > 0 {
		list := queueList{columns: "r.id, r.priority, r.decide_by", where: where, order: by,
			limit: size}
		// Materialized, so that a row that changed is checked again without reading the lists
		// again.
		with = `WITH n AS MATERIALIZED (` + list.unionSQL(queues, rendered.arg) + `) `
		from, by = `n JOIN reviews r ON r.id = n.id`, "n.priority DESC, n.decide_by, n.id"
	}
	review, err := queryOne(ctx, t.q, "next", with+`SELECT `+reviewRowColumns+` FROM `+from+`
		JOIN cases c ON c.id = r.case_id
		WHERE `+where+` ORDER BY `+by+` LIMIT 1 FOR UPDATE OF c, r SKIP LOCKED`, scanReview,
		rendered.args...)
	if domain.HasCode(err, domain.NotFound) {
		return review, nothingToClaim()
	}
	return review, err
}
