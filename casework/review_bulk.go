package casework

import (
	"context"

	"countersign/domain"
	"countersign/workflow"
)

// BulkReviews is a command on several reviews: each is judged and done in transactions of its own. Expected are the versions the
// person saw, by review; a review without one asks for nothing.
type BulkReviews struct {
	Once     Once
	Reviews  []domain.ID
	Expected map[domain.ID]string
	Reason   string // of approvals; may be empty
}

// BulkResult is the result of one item: Err is nil when it was done. Code and Message repeat it for a replayed outcome.
type BulkResult struct {
	ReviewID domain.ID
	Err      error `json:"-"`
	Code     domain.Code
	Message  string
}

func (in BulkReviews) validate() error {
	if len(in.Reviews) == 0 || len(in.Reviews) > maxBulkReviews {
		return domain.Invalid("reviewIds", "between 1 and %d reviews can be meant at once", maxBulkReviews)
	}
	return nil
}

// target is the command on one of the reviews.
func (in BulkReviews) target(id domain.ID) ReviewTarget {
	once := in.Once.of(id)
	return ReviewTarget{Once: once, ReviewID: id, ExpectedVersion: in.Expected[id]}
}

// forEach does every item, and goes on after one that was refused.
func (in BulkReviews) forEach(ctx context.Context, do func(ReviewTarget) error) ([]BulkResult, error) {
	if err := in.validate(); err != nil {
		return nil, err
	}
	results := make([]BulkResult, 0, len(in.Reviews))
	for _, id := range in.Reviews {
		err := do(in.target(id))
		if err != nil && ctx.Err() != nil {
			return results, err
		}
		item := BulkResult{ReviewID: id, Err: err, Code: domain.CodeOf(err)}
		if err != nil {
			item.Message, _ = failureText(err)
		}
		results = append(results, item)
	}
	return results, nil
}

// ClaimReviews claims reviews, with a result for each.
func (svc *Service) ClaimReviews(ctx context.Context, actor domain.Actor, in BulkReviews) ([]BulkResult, error) {
	if err := svc.inScope(ctx, actor, "claim", domain.ActClaim); err != nil {
		return nil, err
	}
	return in.forEach(ctx, func(on ReviewTarget) error {
		_, err := svc.ClaimReview(ctx, actor, on)
		return err
	})
}

// ApproveReviews approves reviews that lie inside the envelope of their node, each claimed first if it is free, with a
// result for each. An approval can be taken back as long as the definition says. One that is refused after its claim is
// given back.
func (svc *Service) ApproveReviews(ctx context.Context, actor domain.Actor, in BulkReviews) ([]BulkResult, error) {
	if err := svc.inScope(ctx, actor, "decide", domain.ActDecide); err != nil {
		return nil, err
	}
	return in.forEach(ctx, func(on ReviewTarget) error { return svc.approveOneReview(ctx, actor, on, in.Reason) })
}

func (svc *Service) approveOneReview(ctx context.Context, actor domain.Actor, on ReviewTarget, reason string) error {
	claim := on
	if claim.Once.Key != "" {
		claim.Once.Key += "/claim"
	}
	claimed := false
	_, err := runReviewCommand(ctx, svc, actor, "bulkClaim", claim, on, func(c *command, review domain.Review) (ReviewResult, error) {
		if err := c.authorizeReview(domain.ActDecide, review); err == nil {
			return c.reviewResult(review), c.checkEnvelope(review) // held before
		}
		if err := c.authorizeReview(domain.ActClaim, review); err != nil {
			return ReviewResult{}, c.withHolderName(review, err)
		}
		if err := checkExpectedVersion(on.ExpectedVersion, ReviewVersion(review, c.before.FactsRevision)); err != nil {
			return ReviewResult{}, err
		}
		if err := c.checkEnvelope(review); err != nil {
			return ReviewResult{}, err
		}
		claimed = true
		return c.claimReview(review), nil
	})
	if err != nil {
		return err
	}
	on.ExpectedVersion = "" // judged at the claim; what has changed since is judged again
	_, err = runReviewCommand(ctx, svc, actor, "bulkApprove", on, on, func(c *command, review domain.Review) (ReviewResult, error) {
		if err := c.authorizeReview(domain.ActDecide, review); err != nil {
			return ReviewResult{}, c.withHolderName(review, err)
		}
		if err := c.checkEnvelope(review); err != nil {
			return ReviewResult{}, err
		}
		node, _ := c.def.Node(review.Node)
		return c.decideReview(review, domain.Approve, reason, node.Bulk.Undo)
	})
	if err != nil && claimed {
		if _, gone := svc.ReleaseReview(ctx, actor, ReviewTarget{ReviewID: on.ReviewID}); gone != nil {
			svc.log.WarnContext(ctx, "a claim was not given back", "review", on.ReviewID, "error", gone)
		}
	}
	return err
}

// checkEnvelope refuses a review that lies outside the envelope in which its definition lets several be approved in bulk.
func (c *command) checkEnvelope(review domain.Review) error {
	node, ok := c.def.Node(review.Node)
	if !ok || node.Bulk == nil {
		return outsideEnvelope("this step of the process is decided one by one", "not_allowed")
	}
	return checkWithinEnvelope(*node.Bulk, c.before, c.def.HasAmount)
}

func checkWithinEnvelope(e workflow.BulkLimits, c domain.Case, hasAmount bool) error {
	switch {
	case hasAmount && !c.AmountKnown:
		return outsideEnvelope("its amount is not known", "amount")
	case hasAmount && c.BaseMinor > e.MaxBaseMinor:
		return outsideEnvelope("its amount is above what may be approved at once", "amount")
	case c.Risk > e.MaxRisk:
		return outsideEnvelope("its risk is above what may be approved at once", "risk")
	}
	return nil
}

func outsideEnvelope(why, detail string) *domain.Error {
	return domain.Errorf(domain.NotPermitted, "This review cannot be approved together with others: %s.", why).
		WithDetail("reason", detail).WithRemedy("Open it and decide it by itself.")
}
