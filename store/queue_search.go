package store

import (
	"context"
	"fmt"
	"strconv"

	"countersign/domain"
)

// ReviewSort is the order of a list of reviews.
type ReviewSort string

// The orders. Ties are ordered by the review's id.
const (
	ReviewsDeadline      ReviewSort = "deadline"
	ReviewsAmountHighest ReviewSort = "amount_highest" // the amount at risk in the base currency
	ReviewsAmountLowest  ReviewSort = "amount_lowest"
	ReviewsRiskHighest   ReviewSort = "risk_highest"
	ReviewsOldest        ReviewSort = "oldest" // by the submission of the case
	ReviewsNewest        ReviewSort = "newest"
	ReviewsVendor        ReviewSort = "vendor"
)

// queueOrders are the sort keys, as SQL over a review r and its case c, and the directions.
var queueOrders = map[ReviewSort]struct {
	key        string
	descending bool
}{
	ReviewsDeadline:      {"r.decide_by", false},
	ReviewsAmountHighest: {"c.base_minor", true},
	ReviewsAmountLowest:  {"c.base_minor", false},
	ReviewsRiskHighest:   {"c.risk", true},
	ReviewsOldest:        {"c.created_at", false},
	ReviewsNewest:        {"c.created_at", true},
	ReviewsVendor:        {`lower(c.counterparty) COLLATE "C"`, false},
}

// QueueSearch narrows and orders a list of reviews by values of their cases.
type QueueSearch struct {
	Text  string // part of the vendor, reference or name of a file; "" means any
	Sort  ReviewSort
	After domain.ID // cursor: the last review of the page before; NoID means the first page
	// Readable admits the reviews that After can be. The place of another one would tell about its case.
	Readable domain.Filter
	Limit    int
}

// condition returns the SQL of the text.
func (s QueueSearch) condition(rendered *filterRenderer) string {
	if s.Text == "" {
		return ""
	}
	text := rendered.arg(s.Text)
	return ` AND (strpos(lower(c.reference || ' ' || c.counterparty), lower(` + text + `)) > 0
		OR EXISTS (SELECT FROM documents d WHERE d.case_id = c.id
		AND strpos(lower(d.file_name), lower(` + text + `)) > 0))`
}

// searched returns the FROM and WHERE of the undecided reviews that the filter and the text admit.
func (s QueueSearch) searched(filter domain.Filter, due Due, rendered *filterRenderer) (string, error) {
	where, err := rendered.render(filter)
	if err != nil {
		return "", err
	}
	from := newFilterFacts(filter).fewRows(rendered.arg)
	if from == "" {
		from = "reviews r"
	}
	return from + ` JOIN cases c ON c.id = r.case_id WHERE ` + where + ` AND ` + undecidedReview +
		due.condition() + s.condition(rendered), nil
}

// SearchQueue reads the undecided reviews that the filter and the search admit, in the order of the search. It
// sorts all of them, unlike QueuePage.
func (r Reader) SearchQueue(ctx context.Context, filter domain.Filter, due Due, search QueueSearch) (
	[]domain.Review, error) {
	order, known := queueOrders[search.Sort]
	if !known {
		return nil, fmt.Errorf("store: unknown order of reviews %q", search.Sort)
	}
	rendered := newReviewRenderer(nil)
	from, err := search.searched(filter, due, rendered)
	if err != nil {
		return nil, err
	}
	than, direction := ">", ""
	if order.descending {
		than, direction = "<", " DESC"
	}
	if search.After != domain.NoID {
		readable, err := rendered.render(search.Readable)
		if err != nil {
			return nil, err
		}
		from += ` AND (` + order.key + `, r.id) ` + than + ` (SELECT ` + order.key + `, r.id FROM reviews r
			JOIN cases c ON c.id = r.case_id WHERE r.id = ` + rendered.arg(search.After) + ` AND ` + readable + `)`
	}
	return queryAll(ctx, r.q, "search queue", `SELECT `+reviewRowColumns+` FROM `+from+` ORDER BY `+
		order.key+direction+`, r.id`+direction+` LIMIT `+strconv.Itoa(search.Limit), scanReview,
		rendered.args...)
}

// SearchQueueCount counts the reviews that SearchQueue reads.
func (r Reader) SearchQueueCount(ctx context.Context, filter domain.Filter, due Due, search QueueSearch) (
	QueueTotal, error) {
	rendered := newReviewRenderer(nil)
	from, err := search.searched(filter, due, rendered)
	if err != nil {
		return QueueTotal{}, err
	}
	return r.queueTotal(ctx, "SELECT r.case_id, r.duty FROM "+from, rendered.args)
}
