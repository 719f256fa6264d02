package views

import (
	"context"
	"strings"

	"countersign/domain"
	"countersign/store"
)

// ReviewSort is the order of a list of reviews; "" is ReviewsDeadline.
type ReviewSort string

// The orders.
const (
	ReviewsDeadline      = ReviewSort(store.ReviewsDeadline)
	ReviewsAmountHighest = ReviewSort(store.ReviewsAmountHighest)
	ReviewsAmountLowest  = ReviewSort(store.ReviewsAmountLowest)
	ReviewsRiskHighest   = ReviewSort(store.ReviewsRiskHighest)
	ReviewsOldest        = ReviewSort(store.ReviewsOldest)
	ReviewsNewest        = ReviewSort(store.ReviewsNewest)
	ReviewsVendor        = ReviewSort(store.ReviewsVendor)
)

func reviewSorts() []ReviewSort {
	return []ReviewSort{ReviewsDeadline, ReviewsAmountHighest, ReviewsAmountLowest, ReviewsRiskHighest, ReviewsOldest,
		ReviewsNewest, ReviewsVendor}
}

// maxQueueText bounds the text of a search, in characters.
const maxQueueText = 200

// isSearch reports whether the list depends on values of the cases.
func (q QueueQuery) isSearch() bool {
	return strings.TrimSpace(q.Text) != "" || q.Sort != "" && q.Sort != ReviewsDeadline
}

// searchQueue reads a page of a search. It contains only reviews of cases that the viewer may read, because a
// text or an order would otherwise tell about the others.
func (v *Views) searchQueue(ctx context.Context, viewer viewer, filter domain.Filter, query QueueQuery,
	size int) (QueuePage, error) {
	search, err := query.search(size + 1)
	if err != nil {
		return QueuePage{}, err
	}
	readable, err := viewer.reviewFilter()
	if err != nil {
		return QueuePage{}, err
	}
	search.Readable, filter = readable, domain.All(filter, readable)
	due := store.Due(query.Due)
	reviews, err := v.reader.SearchQueue(ctx, filter, due, search)
	if err != nil {
		return QueuePage{}, err
	}
	page := newQueuePage(viewer, reviews, size)
	if query.After == nil && !page.HasMore {
		return page, nil
	}
	total, err := v.reader.SearchQueueCount(ctx, filter, due, search)
	page.Total, page.Doable = total.Reviews, total.Doable
	return page, err
}

func (q QueueQuery) search(limit int) (store.QueueSearch, error) {
	search := store.QueueSearch{Text: strings.TrimSpace(q.Text), Sort: store.ReviewsDeadline, Limit: limit}
	if domain.Longer(q.Text, maxQueueText) {
		return search, domain.Invalid("text", "The text is longer than %d characters.", maxQueueText)
	}
	if q.After != nil {
		search.After = q.After.ID
	}
	if q.Sort == "" {
		return search, nil
	}
	for _, sort := range reviewSorts() {
		if sort == q.Sort {
			search.Sort = store.ReviewSort(sort)
			return search, nil
		}
	}
	return search, domain.Invalid("sort", "%.40q is not an order of reviews.", q.Sort)
}
