package casework

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// ReviewTarget asks for a command on one review. ExpectedVersion is what the person saw (ReviewVersion); "" asks for nothing.
type ReviewTarget struct {
	Once            Once
	ReviewID        domain.ID
	ExpectedVersion string
}

// ReviewResult names the review that was changed, its case, and the version after.
type ReviewResult struct {
	ReviewID domain.ID
	CaseID   domain.ID
	Version  string
}

// ReviewVersion is the opaque version of a review: its own and that of the facts it judges.
func ReviewVersion(review domain.Review, factsRevision int64) string {
	return strconv.FormatInt(review.Version, 10) + "." + strconv.FormatInt(factsRevision, 10)
}

// checkExpectedVersion refuses a command that was made on another state than the present one.
func checkExpectedVersion(expected, present string) error {
	if expected == "" || expected == present {
		return nil
	}
	return domain.Errorf(domain.StaleVersion, "This was changed by somebody else while you had it open.").
		WithRemedy("Look at the present state, then do it again.").WithDetail("currentVersion", present)
}

// runReviewCommand runs a command on the review's case.
func runReviewCommand[T any](ctx context.Context, svc *Service, actor domain.Actor, operation string, in ReviewTarget, request any,
	fn func(*command, domain.Review) (T, error),
) (T, error) {
	found, err := svc.db.Reader().Review(ctx, in.ReviewID)
	on := target{found.CaseID, found.CaseID}
	if domain.HasCode(err, domain.NotFound) && !actor.System {
		on, err = target{caseID: in.ReviewID}, nil // of which there is no case
	}
	if err != nil {
		var none T
		return none, err
	}
	return runTargetCommand(ctx, svc, actor, operation, on, in.Once, request, func(c *command) (T, error) {
		review, err := c.lockedReview(in.ReviewID)
		if err != nil {
			var none T
			return none, err
		}
		return fn(c, review)
	})
}

// ClaimReview takes an open review. The loser of a race is told who has it.
func (svc *Service) ClaimReview(ctx context.Context, actor domain.Actor, in ReviewTarget) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "claim", domain.ActClaim); err != nil {
		return ReviewResult{}, err
	}
	return runReviewCommand(ctx, svc, actor, "claim", in, in, func(c *command, review domain.Review) (ReviewResult, error) {
		if err := c.authorizeReview(domain.ActClaim, review); err != nil {
			return ReviewResult{}, c.withHolderName(review, err)
		}
		if review.Status == domain.ReviewClaimed && review.Assignee == c.actor.UserID && review.ClaimUntil.After(c.now) {
			return c.reviewResult(review), nil // a second click on one's own claim
		}
		if err := checkExpectedVersion(in.ExpectedVersion, ReviewVersion(review, c.before.FactsRevision)); err != nil {
			return ReviewResult{}, err
		}
		return c.claimReview(review), nil
	})
}

// claimReview gives the review to the actor under a lease.
func (c *command) claimReview(review domain.Review) ReviewResult {
	review.Status, review.Assignee = domain.ReviewClaimed, c.actor.UserID
	review.ClaimedAt, review.ClaimUntil = c.now, c.now.Add(c.svc.settings.ClaimLease)
	review.PreviousAssignee, review.UnassignCause = domain.NoID, ""
	review = c.editReview(review)
	c.emit(generated.ReviewClaimedV1{Assignee: c.actor.UserID, ClaimUntil: review.ClaimUntil, ReviewID: review.ID})
	return c.reviewResult(review)
}

func (c *command) reviewResult(review domain.Review) ReviewResult {
	return ReviewResult{ReviewID: review.ID, CaseID: review.CaseID, Version: ReviewVersion(review, c.change.Case.FactsRevision)}
}

// withHolderName adds to AlreadyClaimed and NotClaimedByYou who has it, to AlreadyDecided who decided.
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
		return domain.Errorf(domain.AlreadyDecided, "%s has already decided this review.", holder.Name).
			WithDetail("by", holder.Name).WithRemedy("Take the next one.")
	}
	if known.Code == domain.NotClaimedByYou {
		return domain.Errorf(domain.NotClaimedByYou, "%s has claimed this review.", holder.Name).
			WithDetail("holder", holder.Name).WithRemedy("Take the next one.")
	}
	return domain.Errorf(domain.AlreadyClaimed, "%s is already working on this review.", holder.Name).
		WithDetail("holder", holder.Name).WithRemedy("Take another one from your queue.")
}

// ClaimNextReview takes the best review of the actor's queues that nobody holds, in one statement, then asks the policy
// on the locked rows.
func (svc *Service) ClaimNextReview(ctx context.Context, actor domain.Actor, once Once) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "claimNext", domain.ActClaim); err != nil {
		return ReviewResult{}, err
	}
	var result ReviewResult
	var after *transition
	err := svc.db.InTx(ctx, func(tx *store.Tx) error {
		replayed, err := svc.replayOrReserve(ctx, tx, actor, "claimNext", once, nil, &result)
		if err != nil || replayed {
			return err
		}
		cmd, err := svc.beginCommand(ctx, tx, actor)
		if err != nil {
			return err
		}
		filter, err := cmd.claimFilter()
		if err != nil {
			return err
		}
		next, err := tx.NextForClaim(ctx, filter)
		if err != nil {
			return err
		}
		if err := cmd.lock(next.CaseID); err != nil {
			return err
		}
		if err := cmd.authorizeReview(domain.ActClaim, next); err != nil {
			return fmt.Errorf("casework: the queue offered what the policy refuses: %w", err)
		}
		result = cmd.claimReview(next)
		if err := cmd.write(); err != nil {
			return err
		}
		after = cmd.transition
		return svc.storeOutcome(ctx, tx, actor, "claimNext", once, result)
	})
	if err != nil {
		svc.logRefusal(ctx, actor, "claimNext", domain.NoID, err)
		return ReviewResult{}, err
	}
	if after != nil {
		svc.notifyCommitted(ctx, after)
	}
	return result, nil
}

// ReleaseReview gives a claimed review back to its queue; the draft stays.
func (svc *Service) ReleaseReview(ctx context.Context, actor domain.Actor, in ReviewTarget) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "release", domain.ActRelease); err != nil {
		return ReviewResult{}, err
	}
	return runReviewCommand(ctx, svc, actor, "release", in, in, func(c *command, review domain.Review) (ReviewResult, error) {
		if err := c.authorizeReview(domain.ActRelease, review); err != nil {
			return ReviewResult{}, c.withHolderName(review, err)
		}
		if err := checkExpectedVersion(in.ExpectedVersion, ReviewVersion(review, c.before.FactsRevision)); err != nil {
			return ReviewResult{}, err
		}
		return c.reviewResult(c.releaseReview(review, "released")), nil
	})
}

// releaseReview opens the review to its queue again, whose time to claim it restarts.
func (c *command) releaseReview(review domain.Review, reason string) domain.Review {
	c.emit(generated.ReviewReleasedV1{FormerAssignee: review.Assignee, Reason: reason, ReviewID: review.ID})
	review.PreviousAssignee, review.UnassignCause = review.Assignee, releaseCause(reason)
	review.Status, review.Assignee, review.ClaimUntil = domain.ReviewOpen, domain.NoID, time.Time{}
	return c.restartClaimDeadline(review)
}

// releaseCause tells a claim that ran out from one that ended otherwise.
func releaseCause(reason string) domain.UnassignCause {
	if reason == string(domain.UnassignedByExpiry) {
		return domain.UnassignedByExpiry
	}
	return domain.UnassignedByRelease
}

// Heartbeat keeps a live claim alive and returns until when. It changes no version and emits no event.
func (svc *Service) Heartbeat(ctx context.Context, actor domain.Actor, reviewID domain.ID) (time.Time, error) {
	if err := svc.inScope(ctx, actor, "heartbeat", domain.ActClaim); err != nil {
		return time.Time{}, err
	}
	until, ours, err := svc.db.Autocommit().Heartbeat(ctx, reviewID, actor.UserID, svc.settings.ClaimLease)
	if err == nil && !ours {
		err = notClaimedByYou()
	}
	return until, err
}

// SaveDraft keeps the reviewer's unfinished work (JSON, at most 65 536 characters) with the review and the claim alive.
func (svc *Service) SaveDraft(ctx context.Context, actor domain.Actor, reviewID domain.ID, draft []byte) error {
	if err := svc.inScope(ctx, actor, "saveDraft", domain.ActClaim); err != nil {
		return err
	}
	if domain.Longer(string(draft), 64<<10) {
		return domain.Invalid("draft", "the draft is longer than 65 536 characters")
	}
	ours, err := svc.db.Autocommit().SaveDraft(ctx, reviewID, actor.UserID, draft, svc.settings.ClaimLease)
	if err == nil && !ours {
		err = notClaimedByYou()
	}
	return err
}

func notClaimedByYou() *domain.Error {
	return domain.Errorf(domain.NotClaimedByYou, "You do not hold this review.").WithRemedy("Claim it, then go on; your draft is kept.")
}

// requireReason refuses a decision without a reason where one is owed.
func requireReason(reason string, verdict domain.Verdict) (string, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" && verdict != domain.Approve {
		missing := domain.Errorf(domain.ValidationFailed, "A reason is needed to %s.", verdict).WithDetail("reason", "missing").WithDetail("verdict", string(verdict))
		missing.Field = "reason"
		return "", missing
	}
	if domain.Longer(reason, maxCaseReason) {
		return "", tooLong("reason", maxCaseReason)
	}
	return reason, nil
}

// maxCaseReason bounds what a person writes beside a decision or a command on a case, in characters.
const maxCaseReason = 4000

func tooLong(field string, most int) error {
	return domain.Invalid(field, "The %s is longer than %d characters.", field, most).WithDetail("reason", "too_long").WithDetail("most", strconv.Itoa(most))
}
