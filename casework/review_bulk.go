package casework

import (
	"context"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/rules"
	"countersign/workflow"
)

// BulkReviews is a command on several reviews. Each is authorised and written in its own
// transactions. Expected contains the versions that the caller last read, by review; a missing
// entry skips the check.
type BulkReviews struct {
	Once     Once
	Reviews  []domain.ID
	Expected map[domain.ID]string
	Reason   string // of approvals; may be empty
}

// BulkResult is the result of one item; Err is nil if it succeeded. Code and Message repeat Err, so
// that a replayed outcome contains them.
type BulkResult struct {
	ReviewID domain.ID
	Err      error `json:"-"`
	Code     domain.Code
	Message  string
}

func (in BulkReviews) validate() error {
	if len(in.Reviews) == 0 || len(in.Reviews) > maxBulkReviews {
		return domain.Invalid("reviewIds", reviewCountOutOfRange, maxBulkReviews)
	}
	return nil
}

// target returns the command for one of the reviews.
func (in BulkReviews) target(id domain.ID) ReviewTarget {
	once := in.Once.of(id)
	return ReviewTarget{Once: once, ReviewID: id, ExpectedVersion: in.Expected[id]}
}

// forEach runs the command for every review and continues after a refusal.
func (in BulkReviews) forEach(
	ctx context.Context, do func(ReviewTarget) error,
) ([]BulkResult, error) {
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

// ClaimReviews claims several reviews, with a result for each.
func (svc *Service) ClaimReviews(
	ctx context.Context, actor domain.Actor, in BulkReviews,
) ([]BulkResult, error) {
	if err := svc.inScope(ctx, actor, "claim", domain.ActClaim); err != nil {
		return nil, err
	}
	return in.forEach(ctx, func(on ReviewTarget) error {
		_, err := svc.ClaimReview(ctx, actor, on)
		return err
	})
}

// ReleaseReviews returns several claimed reviews to their queues, with a result for each.
func (svc *Service) ReleaseReviews(
	ctx context.Context, actor domain.Actor, in BulkReviews,
) ([]BulkResult, error) {
	if err := svc.inScope(ctx, actor, "release", domain.ActRelease); err != nil {
		return nil, err
	}
	return in.forEach(ctx, func(on ReviewTarget) error {
		_, err := svc.ReleaseReview(ctx, actor, on)
		return err
	})
}

// ApproveReviews approves several reviews that are within the bulk limits of their node, with a
// result for each. It first claims a review that is unclaimed, and releases that claim if the
// approval is refused. An approval can be undone within the period that the definition sets.
func (svc *Service) ApproveReviews(
	ctx context.Context, actor domain.Actor, in BulkReviews,
) ([]BulkResult, error) {
	if err := svc.inScope(ctx, actor, "decide", domain.ActDecide); err != nil {
		return nil, err
	}
	return in.forEach(ctx,
		func(on ReviewTarget) error { return svc.approveOneReview(ctx, actor, on, in.Reason) })
}

func (svc *Service) approveOneReview(
	ctx context.Context, actor domain.Actor, on ReviewTarget, reason string,
) error {
	claim := on
	if claim.Once.Key != "" {
		claim.Once.Key += "/claim"
	}
	claimed := false
	seen, err := runReviewCommand(ctx, svc, actor, "bulkClaim", claim, on,
		func(c *command, review domain.Review) (ReviewResult, error) {
			if err := c.authorizeReview(domain.ActDecide, review); err == nil {
				// already claimed by the actor
				if err := checkExpectedVersion(on.ExpectedVersion,
					ReviewVersion(review, c.before.FactsRevision)); err != nil {
					return ReviewResult{}, err
				}
				return c.reviewResult(review), c.checkEnvelope(review)
			}
			if err := c.authorizeAtVersion(domain.ActClaim, review, on.ExpectedVersion); err != nil {
				return ReviewResult{}, err
			}
			if err := c.checkEnvelope(review); err != nil {
				return ReviewResult{}, err
			}
			claimed = true
			// The limit of claims does not apply, because the review is decided or released immediately.
			return c.claimReview(review), nil
		})
	if err != nil {
		return err
	}
	on.ExpectedVersion = seen.Version // an evaluation with the present control data may change it
	err = svc.approveClaimed(ctx, actor, on, seen.CaseID, reason)
	if err != nil && claimed {
		if releaseErr := svc.endBulkClaim(ctx, actor, on.ReviewID); releaseErr != nil {
			svc.log.WarnContext(ctx, "claim not released", "review", on.ReviewID, "error",
				releaseErr)
		}
	}
	return err
}

// approveClaimed approves a review that the actor has claimed, if it is still within the bulk limits of
// its node.
func (svc *Service) approveClaimed(
	ctx context.Context, actor domain.Actor, on ReviewTarget, caseID domain.ID, reason string,
) error {
	approve := func(evaluated bool) (ReviewResult, error) {
		return runReviewCommand(ctx, svc, actor, "bulkApprove", on, on,
			func(c *command, review domain.Review) (ReviewResult, error) {
				c.evaluated = evaluated
				if err := c.authorizeAtVersion(domain.ActDecide, review,
					on.ExpectedVersion); err != nil {
					return ReviewResult{}, err
				}
				if err := c.checkEnvelope(review); err != nil {
					return ReviewResult{}, err
				}
				node, _ := c.def.Node(review.Node)
				return c.decideReview(review, verdictInput{verdict: domain.Approve, reason: reason},
					node.Bulk.Undo)
			})
	}
	_, err := withPresentControls(ctx, svc,
		func() (domain.ID, error) { return caseID, nil }, approve)
	return err
}

// endBulkClaim releases the claim of an approval that was refused. A person who was drawn keeps the
// review, because they have not given it back.
func (svc *Service) endBulkClaim(
	ctx context.Context, actor domain.Actor, id domain.ID,
) error {
	_, err := runReviewCommand(ctx, svc, actor, "release", ReviewTarget{ReviewID: id}, nil,
		func(c *command, review domain.Review) (ReviewResult, error) {
			if err := c.authorizeReview(domain.ActRelease, review); err != nil {
				return ReviewResult{}, err
			}
			if !review.Drawn() {
				return c.reviewResult(c.releaseReview(review, "released")), nil
			}
			c.emit(generated.ReviewReleasedV1{FormerAssignee: review.Assignee, Reason: "released",
				ReviewID: review.ID})
			return c.reviewResult(c.releaseDrawn(review, true)), nil
		})
	return err
}

// checkEnvelope refuses a review that its definition does not allow to be approved in bulk.
func (c *command) checkEnvelope(review domain.Review) error {
	node, ok := c.def.Node(review.Node)
	if !ok || node.Bulk == nil {
		return outsideEnvelope("this step does not allow bulk approval", "not_allowed")
	}
	if c.signs(review, domain.Approve) {
		return signatureRequired()
	}
	if err := checkWithinEnvelope(*node.Bulk, c.before, c.def.HasAmount); err != nil {
		return err
	}
	if len(c.before.Missing) > 0 {
		return outsideEnvelope("values that its process needs are missing", "missing")
	}
	if err := firstError(c.checkNoSupporting(), c.checkNoDoubt()); err != nil {
		return err
	}
	return c.checkNoOpenRequirement(review)
}

// checkNoSupporting refuses a case with supporting documents: no value is read from them, so that a bulk
// approval would be one of documents that no one has opened.
func (c *command) checkNoSupporting() error {
	all, err := c.supporting()
	if err != nil || len(all) == 0 {
		return err
	}
	return outsideEnvelope("a person has to read its supporting documents", "documents")
}

// checkNoOpenRequirement refuses a review whose findings need a reason, another person or another
// queue. Otherwise the one reason of a bulk approval would override the findings of every case in it. A document
// that was possibly submitted again is compared by a person, whatever its risk is.
func (c *command) checkNoOpenRequirement(review domain.Review) error {
	findings, err := c.storedFindings()
	if err != nil {
		return err
	}
	if copies, err := c.svc.findingsOfTopic(c.ctx, c.tx.Reader, findingsOf(findings), rules.Copies); err != nil ||
		len(copies) > 0 {
		return firstError(err, outsideEnvelope("a document that may be the same was submitted again", "finding"))
	}
	requirements, err := c.requirements(review, findingsByStage(findings))
	if err != nil {
		return err
	}
	for _, needs := range requirements {
		if !needs.Satisfied {
			return outsideEnvelope("a finding needs its own reason or another person", "finding")
		}
	}
	return nil
}

func checkWithinEnvelope(e workflow.BulkLimits, c domain.Case, hasAmount bool) error {
	switch outside := e.Outside(&c, c.Risk, hasAmount); {
	case outside == "":
		return nil
	case outside == "amount" && !c.AmountKnown:
		return outsideEnvelope("its amount is unknown", outside)
	default:
		return outsideEnvelope("its "+outside+" is above the limit for bulk approval", outside)
	}
}

func outsideEnvelope(cause, detail string) *domain.Error {
	return domain.Errorf(domain.NotPermitted, "This review cannot be approved in bulk: %s.", cause).
		WithDetail("reason", detail).WithRemedy("Open the review and decide it there.")
}
