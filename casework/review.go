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

// OnReview asks for a command on one review. ExpectedVersion is what the person saw (ReviewVersion); "" asks for nothing.
type OnReview struct {
	Once            Once
	ReviewID        domain.ID
	ExpectedVersion string
}

// Reviewed names the review that was changed, its case, and the version after.
type Reviewed struct {
	ReviewID domain.ID
	CaseID   domain.ID
	Version  string
}

// ReviewVersion is the opaque version of a review: its own and that of the facts it judges.
func ReviewVersion(review domain.Review, factsRevision int64) string {
	return strconv.FormatInt(review.Version, 10) + "." + strconv.FormatInt(factsRevision, 10)
}

// expect refuses a command that was made on another state than the present one.
func expect(expected, present string) error {
	if expected == "" || expected == present {
		return nil
	}
	return domain.Fail(domain.StaleVersion, "This was changed by somebody else while you had it open.").
		WithWayOut("Look at the present state, then do it again.").WithDetail("currentVersion", present)
}

// onReview runs a command on the review's case.
func onReview[T any](ctx context.Context, h *Hall, actor domain.Actor, operation string, in OnReview, request any,
	fn func(*command, domain.Review) (T, error),
) (T, error) {
	found, err := h.db.Reader().Review(ctx, in.ReviewID)
	if err != nil {
		var none T
		return none, err
	}
	return onCase(ctx, h, actor, operation, found.CaseID, in.Once, request, func(c *command) (T, error) {
		review, err := c.review(in.ReviewID)
		if err != nil {
			var none T
			return none, err
		}
		return fn(c, review)
	})
}

// ClaimReview takes an open review. The loser of a race is told who has it.
func (h *Hall) ClaimReview(ctx context.Context, actor domain.Actor, in OnReview) (Reviewed, error) {
	return onReview(ctx, h, actor, "claim", in, in, func(c *command, review domain.Review) (Reviewed, error) {
		if err := c.mayReview(domain.ActClaim, review); err != nil {
			return Reviewed{}, c.nameHolder(review, err)
		}
		if review.Status == domain.ReviewClaimed && review.Assignee == c.actor.UserID && review.ClaimUntil.After(c.now) {
			return c.reviewed(review), nil // a second click on one's own claim
		}
		if err := expect(in.ExpectedVersion, ReviewVersion(review, c.before.FactsRevision)); err != nil {
			return Reviewed{}, err
		}
		return c.claim(review), nil
	})
}

// claim gives the review to the actor under a lease.
func (c *command) claim(review domain.Review) Reviewed {
	review.Status, review.Assignee = domain.ReviewClaimed, c.actor.UserID
	review.ClaimedAt, review.ClaimUntil = c.now, c.now.Add(c.hall.settings.ClaimLease)
	review.LeftBy, review.LeftHow = domain.NoID, ""
	review = c.editReview(review)
	c.tell(generated.ReviewClaimedV1{Assignee: c.actor.UserID, ClaimUntil: review.ClaimUntil, ReviewID: review.ID})
	return c.reviewed(review)
}

func (c *command) reviewed(review domain.Review) Reviewed {
	return Reviewed{ReviewID: review.ID, CaseID: review.CaseID, Version: ReviewVersion(review, c.change.Case.FactsRevision)}
}

// nameHolder adds to AlreadyClaimed and NotClaimedByYou who has it, to AlreadyDecided who decided.
func (c *command) nameHolder(review domain.Review, err error) error {
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
		return domain.Fail(domain.AlreadyDecided, "%s has already decided this review.", holder.Name).
			WithDetail("by", holder.Name).WithWayOut("Take the next one.")
	}
	if known.Code == domain.NotClaimedByYou {
		return domain.Fail(domain.NotClaimedByYou, "%s has claimed this review.", holder.Name).
			WithDetail("holder", holder.Name).WithWayOut("Take the next one.")
	}
	return domain.Fail(domain.AlreadyClaimed, "%s is already working on this review.", holder.Name).
		WithDetail("holder", holder.Name).WithWayOut("Take another one from your queue.")
}

// ClaimNextReview takes the best review of the actor's queues that nobody holds, in one statement, then asks the policy
// on the locked rows.
func (h *Hall) ClaimNextReview(ctx context.Context, actor domain.Actor, once Once) (Reviewed, error) {
	var result Reviewed
	var after *transition
	err := h.db.InTx(ctx, func(tx *store.Tx) error {
		replayed, err := h.replay(ctx, tx, actor, "claimNext", once, nil, &result)
		if err != nil || replayed {
			return err
		}
		cmd, err := h.begin(ctx, tx, actor)
		if err != nil {
			return err
		}
		filter, err := cmd.queueFilter()
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
		if err := cmd.mayReview(domain.ActClaim, next); err != nil {
			return fmt.Errorf("casework: the queue offered what the policy refuses: %w", err)
		}
		result = cmd.claim(next)
		if err := cmd.write(); err != nil {
			return err
		}
		after = cmd.transition
		return h.keep(ctx, tx, actor, "claimNext", once, result)
	})
	if err != nil {
		h.refused(ctx, actor, "claimNext", domain.NoID, err)
		return Reviewed{}, err
	}
	if after != nil {
		h.announce(ctx, after)
	}
	return result, nil
}

// ReleaseReview gives a claimed review back to its queue; the draft stays.
func (h *Hall) ReleaseReview(ctx context.Context, actor domain.Actor, in OnReview) (Reviewed, error) {
	return onReview(ctx, h, actor, "release", in, in, func(c *command, review domain.Review) (Reviewed, error) {
		if err := c.mayReview(domain.ActRelease, review); err != nil {
			return Reviewed{}, c.nameHolder(review, err)
		}
		if err := expect(in.ExpectedVersion, ReviewVersion(review, c.before.FactsRevision)); err != nil {
			return Reviewed{}, err
		}
		return c.reviewed(c.release(review, "released")), nil
	})
}

// release opens the review to its queue again, whose time to claim it starts anew.
func (c *command) release(review domain.Review, reason string) domain.Review {
	c.tell(generated.ReviewReleasedV1{FormerAssignee: review.Assignee, Reason: reason, ReviewID: review.ID})
	review.LeftBy, review.LeftHow = review.Assignee, leftHow(reason)
	review.Status, review.Assignee, review.ClaimUntil = domain.ReviewOpen, domain.NoID, time.Time{}
	return c.waitAnew(review)
}

// leftHow tells a claim that ran out from one that ended otherwise.
func leftHow(reason string) domain.LeftHow {
	if reason == string(domain.LeftExpired) {
		return domain.LeftExpired
	}
	return domain.LeftReleased
}

// Heartbeat keeps a live claim alive and returns until when. It changes no version and tells nobody.
func (h *Hall) Heartbeat(ctx context.Context, actor domain.Actor, reviewID domain.ID) (time.Time, error) {
	until, ours, err := h.db.Alone().Heartbeat(ctx, reviewID, actor.UserID, h.settings.ClaimLease)
	if err == nil && !ours {
		err = notYours()
	}
	return until, err
}

// SaveDraft keeps the reviewer's unfinished work (JSON, at most 64 KiB) with the review and the claim alive.
func (h *Hall) SaveDraft(ctx context.Context, actor domain.Actor, reviewID domain.ID, draft []byte) error {
	if len(draft) > 64<<10 {
		return domain.Invalid("draft", "the draft is larger than 64 KiB")
	}
	ours, err := h.db.Alone().SaveDraft(ctx, reviewID, actor.UserID, draft, h.settings.ClaimLease)
	if err == nil && !ours {
		err = notYours()
	}
	return err
}

func notYours() *domain.Error {
	return domain.Fail(domain.NotClaimedByYou, "You do not hold this review.").WithWayOut("Claim it, then go on; your draft is kept.")
}

// needReason refuses a decision without a reason where one is owed.
func needReason(reason string, verdict domain.Verdict) (string, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" && verdict != domain.Approve {
		missing := domain.Fail(domain.ValidationFailed, "A reason is needed to %s.", verdict).WithDetail("reason", "missing").WithDetail("verdict", string(verdict))
		missing.Field = "reason"
		return "", missing
	}
	if len(reason) > 4000 {
		return "", domain.Invalid("reason", "the reason is longer than 4 000 characters").WithDetail("reason", "too_long").WithDetail("most", "4000")
	}
	return reason, nil
}
