package casework

import (
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// openReview opens a review. ends is when the time limit of its step ends it, zero without one.
func (t *transition) openReview(e workflow.OpenReview, ends time.Time) {
	c := &t.change.Case
	for _, kept := range c.Part.Reviews {
		if kept.Node == e.Node && kept.Level > e.Level {
			e.Queue, e.Level = kept.Queue, kept.Level
		}
	}
	review := domain.Review{ID: domain.NewID(), CaseID: c.ID, Node: e.Node, Visit: e.Visit,
		Seat: e.Seat, Queue: e.Queue, Level: e.Level,
		Duty: e.Duty, Status: domain.ReviewOpen, ClaimBy: t.deadline(e.Queue, t.now, e.ClaimWithin),
		Version: 1, Submitter: c.Submitter, CreatedAt: t.now}
	t.setDecisionDeadline(&review, e.DecideWithin, ends)
	copyCaseFacts(&review, c, t.def)
	if t.reachesMark(review) {
		review.Draws = 1
		review.ClaimBy = t.deadline(e.Queue, t.now, claimWithin(review, e.ClaimWithin))
	}
	t.change.NewReviews = append(t.change.NewReviews, review)
	t.scheduleClaimDeadline(review)
	t.scheduleDecisionDeadlines(review)
	t.scheduleReminders(review)
	t.scheduleAssignment(review)
	body := generated.ReviewOpenedV1{ClaimBy: review.ClaimBy, DecideBy: review.DecideBy,
		Duty: e.Duty, Level: int64(e.Level),
		Node: e.Node, Queue: e.Queue, ReviewID: review.ID, Seat: int64(e.Seat),
		Visit: int64(e.Visit)}
	if e.Escalated {
		body.Reason = "escalated"
	}
	t.emit(body)
}

// copyCaseFacts refreshes the case facts that the review row copies for its queue. A process
// without an amount, and a repair, count as zero.
func copyCaseFacts(review *domain.Review, c *domain.Case, def *workflow.Definition) {
	review.PartyID = c.PartyID
	review.BaseMinor, review.AmountKnown = copiedAmount(c, def, review.Duty)
	review.Band, review.DocumentType, review.Country = domain.BandOf(review.BaseMinor),
		c.DocumentType, c.Country
	review.OtherCountries, review.OtherPartyIDs = c.OtherCountries, c.OtherPartyIDs
}

func (t *transition) cancelReview(review domain.Review) {
	if i := slices.IndexFunc(t.change.ReviewUpdates,
		func(r domain.Review) bool { return r.ID == review.ID }); i >= 0 {
		if t.change.ReviewUpdates[i].Status == domain.ReviewDecided {
			return
		}
		t.change.ReviewUpdates = slices.Delete(t.change.ReviewUpdates, i, i+1)
	}
	review.Status, review.Assignee, review.ClaimUntil = domain.ReviewCancelled, domain.NoID,
		time.Time{}
	review.Version++
	t.change.ReviewUpdates = append(t.change.ReviewUpdates, review)
	t.change.CancelSubjects = append(t.change.CancelSubjects, review.ID)
	t.emit(generated.ReviewCancelledV1{Reason: "superseded", ReviewID: review.ID})
}

// editReview updates the review's row and increments its version.
func (t *transition) editReview(review domain.Review) domain.Review {
	review.Version++
	t.change.ReviewUpdates = append(t.change.ReviewUpdates, review)
	return review
}
