package casework

import (
	"context"

	"countersign/domain"
	"countersign/workflow"
)

// Bulk is a command on several reviews: each is judged and done in transactions of its own. Expected are the versions the
// person saw, by review; a review without one asks for nothing.
type Bulk struct {
	Once     Once
	Reviews  []domain.ID
	Expected map[domain.ID]string
	Reason   string // of approvals; may be empty
}

// BulkItem is the result of one item: Err is nil when it was done. Code and Message repeat it for a replayed outcome.
type BulkItem struct {
	ReviewID domain.ID
	Err      error `json:"-"`
	Code     domain.Code
	Message  string
}

func (in Bulk) check() error {
	if len(in.Reviews) == 0 || len(in.Reviews) > maxBulk {
		return domain.Invalid("reviewIds", "between 1 and %d reviews can be meant at once", maxBulk)
	}
	return nil
}

// on is the command on one of the reviews.
func (in Bulk) on(id domain.ID) OnReview {
	once := in.Once
	if once.Key != "" {
		once.Key += "/" + id.String()[:8] + id.String()[24:]
	}
	return OnReview{Once: once, ReviewID: id, ExpectedVersion: in.Expected[id]}
}

// each does every item, and goes on after one that was refused.
func (in Bulk) each(ctx context.Context, do func(OnReview) error) ([]BulkItem, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	results := make([]BulkItem, 0, len(in.Reviews))
	for _, id := range in.Reviews {
		err := do(in.on(id))
		if err != nil && ctx.Err() != nil {
			return results, err
		}
		item := BulkItem{ReviewID: id, Err: err, Code: domain.CodeOf(err)}
		if err != nil {
			item.Message, _ = sentence(err)
		}
		results = append(results, item)
	}
	return results, nil
}

// ClaimReviews claims reviews, with a result for each.
func (h *Hall) ClaimReviews(ctx context.Context, actor domain.Actor, in Bulk) ([]BulkItem, error) {
	return in.each(ctx, func(on OnReview) error {
		_, err := h.ClaimReview(ctx, actor, on)
		return err
	})
}

// ApproveReviews approves reviews that lie inside the envelope of their node, each claimed first if it is free, with a
// result for each. An approval can be taken back as long as the definition says. One that is refused after its claim is
// given back.
func (h *Hall) ApproveReviews(ctx context.Context, actor domain.Actor, in Bulk) ([]BulkItem, error) {
	return in.each(ctx, func(on OnReview) error { return h.approveOne(ctx, actor, on, in.Reason) })
}

func (h *Hall) approveOne(ctx context.Context, actor domain.Actor, on OnReview, reason string) error {
	claim := on
	if claim.Once.Key != "" {
		claim.Once.Key += "/claim"
	}
	claimed := false
	_, err := onReview(ctx, h, actor, "bulkClaim", claim, on, func(c *command, review domain.Review) (Reviewed, error) {
		if err := c.mayReview(domain.ActDecide, review); err == nil {
			return c.reviewed(review), c.inside(review) // held before
		}
		if err := c.mayReview(domain.ActClaim, review); err != nil {
			return Reviewed{}, c.nameHolder(review, err)
		}
		if err := expect(on.ExpectedVersion, ReviewVersion(review, c.before.FactsRevision)); err != nil {
			return Reviewed{}, err
		}
		if err := c.inside(review); err != nil {
			return Reviewed{}, err
		}
		claimed = true
		return c.claim(review), nil
	})
	if err != nil {
		return err
	}
	on.ExpectedVersion = "" // judged at the claim; what has changed since is judged again
	_, err = onReview(ctx, h, actor, "bulkApprove", on, on, func(c *command, review domain.Review) (Reviewed, error) {
		if err := c.mayReview(domain.ActDecide, review); err != nil {
			return Reviewed{}, c.nameHolder(review, err)
		}
		if err := c.inside(review); err != nil {
			return Reviewed{}, err
		}
		node, _ := c.def.Node(review.Node)
		return c.decide(review, domain.Approve, reason, node.Bulk.Undo)
	})
	if err != nil && claimed {
		if _, gone := h.ReleaseReview(ctx, actor, OnReview{ReviewID: on.ReviewID}); gone != nil {
			h.log.WarnContext(ctx, "a claim was not given back", "review", on.ReviewID, "error", gone)
		}
	}
	return err
}

// inside refuses a review that lies outside the envelope in which its definition lets several be approved at once.
func (c *command) inside(review domain.Review) error {
	node, ok := c.def.Node(review.Node)
	if !ok || node.Bulk == nil {
		return outside("this step of the process is decided one by one", "not_allowed")
	}
	return withinEnvelope(*node.Bulk, c.before, c.def.HasAmount)
}

func withinEnvelope(e workflow.Envelope, kase domain.Case, hasAmount bool) error {
	switch {
	case hasAmount && !kase.AmountKnown:
		return outside("its amount is not known", "amount")
	case hasAmount && kase.BaseMinor > e.MaxBaseMinor:
		return outside("its amount is above what may be approved at once", "amount")
	case kase.Risk > e.MaxRisk:
		return outside("its risk is above what may be approved at once", "risk")
	}
	return nil
}

func outside(why, detail string) *domain.Error {
	return domain.Fail(domain.NotPermitted, "This review cannot be approved together with others: %s.", why).
		WithDetail("reason", detail).WithWayOut("Open it and decide it by itself.")
}
