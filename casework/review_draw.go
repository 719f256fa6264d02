package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/sampling"
	"countersign/store"
)

// From a mark on, no one chooses who decides a case: neither the reviewers by claiming it, nor a
// manager by assigning it, nor a reviewer by delegating or giving it back. The person of each seat is
// drawn by a keyed hash from everyone who could claim it, and only that person can claim it.

// drawnClaimWithin is the time to claim a drawn review whose node has none, so that a person who
// does not answer never holds it for ever.
const drawnClaimWithin = 2 * time.Hour

// undrawnBatch is the maximum number of reviews for which one sweep draws.
const undrawnBatch = 50

// reachesMark reports whether the reviewer of the review must be drawn: its amount at risk has
// reached the mark of the process, or is not known. Reviews to which no limit applies have none.
func (t *transition) reachesMark(review domain.Review) bool {
	mark, set := t.queueConfig.marks[t.change.Case.ProcessKey]
	return set && domain.ReachesMark(mark, review.BaseMinor, review.AmountKnown)
}

// claimWithin returns the time to claim a review that its node states.
func claimWithin(review domain.Review, stated time.Duration) time.Duration {
	if review.Drawn() && stated <= 0 {
		return drawnClaimWithin
	}
	return stated
}

// drawFromNowOn makes the reviewer of an open review be drawn, if its amount has reached the mark. A
// person who holds or was assigned the review loses it. The caller has incremented the version.
func (c *command) drawFromNowOn(review *domain.Review) {
	if review.Drawn() || !isOpen(*review) || !c.reachesMark(*review) {
		return
	}
	c.emit(generated.ReviewDrawRequiredV1{ReviewID: review.ID, FormerAssignee: review.Assignee})
	review.Draws = 1
	vacate(review)
	if node, ok := c.def.Node(review.Node); ok && !review.Paused() {
		review.ClaimBy = c.deadline(review.Queue, c.now, claimWithin(*review, node.ClaimWithin))
	}
	c.scheduleClaimDeadline(*review)
	c.scheduleReminders(*review)
	c.scheduleAssignment(*review)
}

// vacate takes the review from its assignee.
func vacate(review *domain.Review) {
	review.Status, review.Assignee, review.ClaimUntil = domain.ReviewOpen, domain.NoID, time.Time{}
	review.PreviousAssignee, review.UnassignCause = domain.NoID, ""
}

// releaseDrawn ends the claim of a drawn review. Unless the person keeps the review, so that they can
// claim it again, the next one is drawn.
func (c *command) releaseDrawn(review domain.Review, keeps bool) domain.Review {
	drawn := review.Assignee
	vacate(&review)
	if keeps {
		review.Assignee = drawn
	} else {
		review.Draws++
	}
	return c.restartClaimDeadline(review)
}

// anyReachesMark reports whether the reviewer of an open review must be drawn that anyone may claim.
func (c *command) anyReachesMark() (bool, error) {
	if _, set := c.queueConfig.marks[c.before.ProcessKey]; !set {
		return false, nil
	}
	err := c.lockReviews()
	return slices.ContainsFunc(c.reviews, func(review domain.Review) bool {
		review.BaseMinor, review.AmountKnown = copiedAmount(&c.change.Case, c.def, review.Duty)
		return isOpen(review) && !review.Drawn() && c.reachesMark(review)
	}), err
}

// drawReviewer draws the person of a review that waits for it. If no one is eligible it changes
// nothing, and the next sweep tries again.
func (c *command) drawReviewer(review domain.Review) error {
	_, err := c.drawNext(review, domain.NoID, "")
	return err
}

// drawNext draws the next person of a review, on request of a person if not NoID, and assigns the
// review. It returns NoID if no one is eligible. It must be called before the command changes what
// the eligible people depend on.
func (c *command) drawNext(
	review domain.Review, requestedBy domain.ID, reason string,
) (domain.ID, error) {
	earlier, err := c.tx.ReviewDraws(c.ctx, review.ID)
	if err != nil {
		return domain.NoID, err
	}
	candidates, err := c.drawCandidates(review, earlier, requestedBy)
	if err != nil || len(candidates) == 0 {
		return domain.NoID, err
	}
	key, err := c.tx.InstallationKey(c.ctx, "seats")
	if err != nil {
		return domain.NoID, err
	}
	person := sampling.DrawPerson(key, sampling.Seat{CaseID: review.CaseID, Node: review.Node,
		Number: review.Seat, Attempt: review.Draws}, candidates)
	if err := c.recordDraw(review, person, candidates, requestedBy, reason); err != nil {
		return domain.NoID, err
	}
	vacate(&review)
	review.Assignee = person
	c.restartClaimDeadline(review)
	return person, nil
}

// recordDraw stores a draw with its event. The event has the hash of the candidates instead of their
// ids, because who is missing among them may have a conflict of interest.
func (c *command) recordDraw(
	review domain.Review, person domain.ID, candidates []domain.ID, requestedBy domain.ID,
	reason string,
) error {
	candidates = sampling.SortedCandidates(candidates)
	c.emit(generated.ReviewDrawnV1{ReviewID: review.ID, Attempt: int64(review.Draws),
		Person: person, Candidates: int64(len(candidates)),
		CandidatesSHA256: sampling.HashOfCandidates(candidates), RequestedBy: requestedBy,
		Reason: reason})
	return c.tx.AddReviewDraw(c.ctx, store.ReviewDraw{ReviewID: review.ID,
		Attempt: review.Draws, CaseID: review.CaseID, Node: review.Node, Seat: review.Seat,
		Person: person, Candidates: candidates, RequestedBy: requestedBy})
}

// keepSeat assigns the seat that the person reopened by taking back a decision, for which they had
// been drawn.
func (c *command) keepSeat(review *domain.Review) error {
	review.Assignee = c.actor.UserID
	return c.tx.AddReviewDraw(c.ctx, store.ReviewDraw{ReviewID: review.ID,
		Attempt: review.Draws, CaseID: review.CaseID, Node: review.Node, Seat: review.Seat,
		Person: review.Assignee, Candidates: []domain.ID{review.Assignee}, Kept: true})
}

// drawCandidates returns the people from whom the person of a review is drawn: everyone who could
// claim it, except those who were drawn for it before. If all of them were, the last one alone is
// left out, and no one if there is no other. A person who requests a draw is never drawn by it.
func (c *command) drawCandidates(
	review domain.Review, earlier []store.ReviewDraw, requestedBy domain.ID,
) ([]domain.ID, error) {
	people, err := c.seatCandidates(review)
	if err != nil {
		return nil, err
	}
	people = slices.DeleteFunc(people, func(id domain.ID) bool { return id == requestedBy })
	before := make([]domain.ID, len(earlier))
	for i := range earlier {
		before[i] = earlier[i].Person
	}
	for _, excluded := range [][]domain.ID{before, before[max(0, len(before)-1):], nil} {
		left := slices.DeleteFunc(slices.Clone(people),
			func(id domain.ID) bool { return slices.Contains(excluded, id) })
		if len(left) > 0 {
			return left, nil
		}
	}
	return nil, nil
}

// seatCandidates returns the people who could claim the review and do not hold another seat of its
// duty. If the amount is above every limit, these are the reviewers with the highest limits. Absences
// that another person recorded do not count, because a manager could choose with them.
func (c *command) seatCandidates(review domain.Review) ([]domain.ID, error) {
	users, facts, err := c.usersAndUnclaimed(review)
	if err != nil {
		return nil, err
	}
	authorizer := c.snapshot.authorizer
	eligible := authorizer.Eligible(users, domain.ActClaim, facts)
	if len(eligible) == 0 {
		eligible = authorizer.EligibleAboveLimits(users, facts)
	}
	absences, err := c.tx.Absences(c.ctx, nil)
	if err != nil {
		return nil, err
	}
	if err := c.lockReviews(); err != nil {
		return nil, err
	}
	var candidates []domain.ID
	for _, user := range eligible {
		away := slices.ContainsFunc(absences, func(a domain.Absence) bool {
			return a.Person == user.ID && a.CreatedBy == user.ID && a.At(c.now)
		})
		holds := slices.ContainsFunc(c.reviews, func(other domain.Review) bool {
			return other.ID != review.ID && isOpen(other) && other.Duty == review.Duty &&
				other.Assignee == user.ID
		})
		if !away && !holds {
			candidates = append(candidates, user.ID)
		}
	}
	return candidates, nil
}

// requestDraw draws the next person on request of a manager, who cannot choose the person and can
// request one draw of a review.
func (c *command) requestDraw(review domain.Review, to domain.ID, reason string) (domain.ID, error) {
	if to != domain.NoID {
		return domain.NoID, domain.Errorf(domain.NotPermitted,
			"This review is assigned by draw, so no one can choose the reviewer.").
			WithDetail("reason", "drawn").
			WithRemedy("Request a new draw, without naming a person.")
	}
	earlier, err := c.tx.ReviewDraws(c.ctx, review.ID)
	if err != nil {
		return domain.NoID, err
	}
	if slices.ContainsFunc(earlier, func(draw store.ReviewDraw) bool {
		return c.persons[0].IsSamePerson(draw.RequestedBy)
	}) {
		return domain.NoID, domain.Errorf(domain.NotPermitted,
			"You have already requested a new draw of this review.").
			WithDetail("reason", "drawn_twice").
			WithRemedy("If the reviewer does not claim it in time, another one is drawn.")
	}
	previous := review.Assignee
	if !review.AwaitsDraw() {
		review.Draws++
	}
	person, err := c.drawNext(review, c.actor.UserID, reason)
	if err == nil && (person == domain.NoID || person == previous) {
		err = domain.Errorf(domain.NotEligible, "No other reviewer is eligible for this review.").
			WithRemedy("Ask an administrator to give a reviewer access to the queue or a higher limit.")
	}
	return person, err
}

// DrawReviewers draws the people of reviews for which the run has not drawn anyone, for example
// because no one was eligible then, and returns for how many.
func (svc *Service) DrawReviewers(ctx context.Context) (int, error) {
	reviews, err := svc.db.Reader().UndrawnReviews(ctx, undrawnBatch)
	if err != nil {
		return 0, err
	}
	drawn := 0
	for _, id := range reviews {
		_, err := runReviewCommand(ctx, svc, domain.SystemActor(), "draw",
			ReviewTarget{ReviewID: id}, nil,
			func(c *command, review domain.Review) (ReviewResult, error) {
				if !review.AwaitsDraw() || review.Paused() {
					return ReviewResult{}, nil
				}
				err := c.drawReviewer(review)
				if c.hasChanges() {
					drawn++
				}
				return c.reviewResult(review), err
			})
		if err != nil && !domain.HasCode(err, domain.Busy) {
			return drawn, err
		}
	}
	return drawn, nil
}
