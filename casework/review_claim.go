package casework

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events/generated"
)

// ReviewTarget identifies the review of a command. ExpectedVersion is the version that the caller
// last read (ReviewVersion); "" skips the check.
type ReviewTarget struct {
	Once            Once
	ReviewID        domain.ID
	ExpectedVersion string
}

// ReviewResult identifies the changed review, its case, and the review's new version.
type ReviewResult struct {
	ReviewID domain.ID
	CaseID   domain.ID
	Version  string
}

// ReviewVersion returns the opaque version of a review: its own version and that of the case's
// facts.
func ReviewVersion(review domain.Review, factsRevision int64) string {
	return strconv.FormatInt(review.Version, 10) + "." + strconv.FormatInt(factsRevision, 10)
}

// checkExpectedVersion refuses a command that was based on another version than the present one.
func checkExpectedVersion(expected, present string) error {
	if expected == "" || expected == present {
		return nil
	}
	return domain.Errorf(domain.StaleVersion, "Another user changed this while you had it open.").
		WithRemedy("Check the current state, then try again.").WithDetail("currentVersion", present)
}

// runReviewCommand runs a command on a review: it finds the review's case, locks both and passes
// the locked review to fn.
func runReviewCommand[T any](ctx context.Context, svc *Service, actor domain.Actor,
	operation string, in ReviewTarget, request any, fn func(*command, domain.Review) (T, error),
) (T, error) {
	review, err := svc.db.Reader().Review(ctx, in.ReviewID)
	on := target{review.CaseID, review.CaseID}
	if domain.HasCode(err, domain.NotFound) && !actor.System {
		// unknown: use an id of no case, so that the refusal runs the same statements
		on, err = target{caseID: in.ReviewID}, nil
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return runTargetCommand(ctx, svc, actor, operation, on, in.Once, request,
		func(c *command) (T, error) {
			review, err := c.lockedReview(in.ReviewID)
			if err != nil {
				var zero T
				return zero, err
			}
			return fn(c, review)
		})
}

// ClaimReview claims an open review. If another user claimed it first, the error names that user.
func (svc *Service) ClaimReview(
	ctx context.Context, actor domain.Actor, in ReviewTarget,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "claim", domain.ActClaim); err != nil {
		return ReviewResult{}, err
	}
	return runReviewCommand(ctx, svc, actor, "claim", in, in,
		func(c *command, review domain.Review) (ReviewResult, error) {
			if err := c.authorizeUndecidable(domain.ActClaim, review); err != nil {
				return ReviewResult{}, c.withHolderName(review, err)
			}
			if c.holds(review) {
				return c.reviewResult(review), nil // repeated claim by the same user
			}
			if err := checkExpectedVersion(in.ExpectedVersion,
				ReviewVersion(review, c.before.FactsRevision)); err != nil {
				return ReviewResult{}, err
			}
			return c.claimWithinLimit(review)
		})
}

// claimReview assigns the review to the actor for the claim lease.
func (c *command) claimReview(review domain.Review) ReviewResult {
	review.Status, review.Assignee = domain.ReviewClaimed, c.actor.UserID
	review.ClaimedAt, review.ClaimUntil = c.now, c.now.Add(c.svc.settings.ClaimLease)
	review.PreviousAssignee, review.UnassignCause = domain.NoID, ""
	review = c.editReview(review)
	c.emit(generated.ReviewClaimedV1{Assignee: c.actor.UserID, ClaimUntil: review.ClaimUntil,
		ReviewID: review.ID})
	return c.reviewResult(review)
}

func (c *command) reviewResult(review domain.Review) ReviewResult {
	return ReviewResult{ReviewID: review.ID, CaseID: review.CaseID,
		Version: ReviewVersion(review, c.change.Case.FactsRevision)}
}

// withHolderName adds the assignee's name to AlreadyClaimed, NotClaimedByYou and AlreadyDecided
// errors.
func (c *command) withHolderName(review domain.Review, err error) error {
	var known *domain.Error
	if !errors.As(err, &known) || review.Assignee == domain.NoID {
		return err
	}
	decided := known.Code == domain.AlreadyDecided && review.Status == domain.ReviewDecided
	if known.Detail["holder"] == "" && !decided {
		return err
	}
	holder, readErr := c.tx.User(c.ctx, review.Assignee)
	if readErr != nil {
		return err
	}
	if decided {
		return domain.Errorf(domain.AlreadyDecided, "%s has already decided this review.",
			holder.Name).
			WithDetail("by", holder.Name).WithRemedy("Claim the next review.")
	}
	if known.Code == domain.NotClaimedByYou {
		return domain.Errorf(domain.NotClaimedByYou, "%s has claimed this review.", holder.Name).
			WithDetail("holder", holder.Name).WithRemedy("Claim the next review.")
	}
	return domain.Errorf(domain.AlreadyClaimed, "%s is already working on this review.",
		holder.Name).
		WithDetail("holder", holder.Name).WithRemedy("Claim another review from your queue.")
}

// authorizeAtVersion authorizes an action on the review and checks the version that the caller last
// read. The right is checked first, so that a refusal does not reveal the version.
func (c *command) authorizeAtVersion(
	action domain.Action, review domain.Review, expected string,
) error {
	if err := c.authorizeReview(action, review); err != nil {
		return c.withHolderName(review, err)
	}
	return checkExpectedVersion(expected, ReviewVersion(review, c.before.FactsRevision))
}

// ReleaseReview returns a claimed review to its queue; the draft is kept.
func (svc *Service) ReleaseReview(
	ctx context.Context, actor domain.Actor, in ReviewTarget,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "release", domain.ActRelease); err != nil {
		return ReviewResult{}, err
	}
	return runReviewCommand(ctx, svc, actor, "release", in, in,
		func(c *command, review domain.Review) (ReviewResult, error) {
			if err := c.authorizeAtVersion(domain.ActRelease, review, in.ExpectedVersion); err != nil {
				return ReviewResult{}, err
			}
			return c.reviewResult(c.releaseReview(review, "released")), nil
		})
}

// releaseReview reopens the review to its queue and continues the time to claim it. Of a drawn review
// the next person is drawn, unless only the claim has expired.
func (c *command) releaseReview(review domain.Review, reason string) domain.Review {
	c.emit(generated.ReviewReleasedV1{FormerAssignee: review.Assignee, Reason: reason,
		ReviewID: review.ID})
	if review.Drawn() {
		return c.releaseDrawn(review, reason == string(domain.UnassignedByExpiry))
	}
	since := c.now
	if review.Status == domain.ReviewClaimed {
		since = review.ClaimedAt
	}
	review.PreviousAssignee, review.UnassignCause = review.Assignee, releaseCause(reason)
	review.Status, review.Assignee, review.ClaimUntil = domain.ReviewOpen, domain.NoID, time.Time{}
	return c.continueClaimDeadline(review, since)
}

// releaseCause distinguishes an expired claim from other releases.
func releaseCause(reason string) domain.UnassignCause {
	if reason == string(domain.UnassignedByExpiry) {
		return domain.UnassignedByExpiry
	}
	return domain.UnassignedByRelease
}

// Heartbeat extends a live claim and returns its new end. It changes no version and emits no event.
func (svc *Service) Heartbeat(
	ctx context.Context, actor domain.Actor, reviewID domain.ID,
) (time.Time, error) {
	if err := svc.inScope(ctx, actor, "heartbeat", domain.ActClaim); err != nil {
		return time.Time{}, err
	}
	until, live, err := svc.db.Autocommit().Heartbeat(ctx, reviewID, actor.UserID,
		svc.settings.ClaimLease)
	if err == nil && !live {
		err = notClaimedByYou()
	}
	return until, err
}

// SaveDraft stores the reviewer's draft (JSON, at most 65,536 characters) with the review and
// extends the claim.
func (svc *Service) SaveDraft(
	ctx context.Context, actor domain.Actor, reviewID domain.ID, draft []byte,
) error {
	if err := svc.inScope(ctx, actor, "saveDraft", domain.ActClaim); err != nil {
		return err
	}
	if domain.Longer(string(draft), 64<<10) {
		return domain.Invalid("draft", "The draft is longer than 65,536 characters.")
	}
	live, err := svc.db.Autocommit().SaveDraft(ctx, reviewID, actor.UserID, draft,
		svc.settings.ClaimLease)
	if err == nil && !live {
		err = notClaimedByYou()
	}
	return err
}

func notClaimedByYou() *domain.Error {
	return domain.Errorf(domain.NotClaimedByYou, "You have not claimed this review.").
		WithRemedy("Claim it, then continue; your draft is kept.")
}

// requireReason refuses a decision without a reason, except an approval.
func requireReason(reason string, verdict domain.Verdict) (string, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" && verdict != domain.Approve && verdict != domain.Repaired {
		missing := domain.Errorf(domain.ValidationFailed, "A reason is required to %s.", verdict).
			WithDetail("reason", "missing").WithDetail("verdict", string(verdict))
		missing.Field = "reason"
		return "", missing
	}
	if domain.Longer(reason, maxCaseReason) {
		return "", tooLong("reason", maxCaseReason)
	}
	return reason, nil
}

// maxCaseReason bounds the reason or comment of a decision or case command, in characters.
const maxCaseReason = 4000

func tooLong(field string, limit int) error {
	return domain.Invalid(field, "The %s is longer than %d characters.", field, limit).
		WithDetail("reason", "too_long").WithDetail("most", strconv.Itoa(limit))
}
