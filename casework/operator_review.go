package casework

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
)

// ReviewBreakGlass asks to record that an administrator reviewed what the operator did.
type ReviewBreakGlass struct {
	Once Once
	ID   domain.ID
	Note string
}

// ReviewBreakGlass records the review of a request that took effect. Two administrators review it, other
// than the person whom it concerns.
func (svc *Service) ReviewBreakGlass(ctx context.Context, actor domain.Actor, in ReviewBreakGlass) (
	domain.BreakGlass, error) {
	const operation = "reviewBreakGlass"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActManagePeople); err != nil {
		return domain.BreakGlass{}, err
	}
	note, err := checkReason(strings.TrimSpace(in.Note))
	if err == nil && note == "" {
		err = domain.Invalid("note", "Enter what you found.")
	}
	if err != nil {
		return domain.BreakGlass{}, err
	}
	return svc.changeBreakGlass(ctx, actor, operation, in.Once, in.ID,
		func(p *permissionChange, b domain.BreakGlass) error {
			if err := p.mayReview(b); err != nil {
				return err
			}
			reviews, err := p.tx.ReviewBreakGlass(p.ctx, b.ID, actor.UserID, note)
			p.emit(generated.BreakGlassReviewedV1{RequestID: b.ID, Subject: b.Subject, By: actor.UserID,
				Reviews: int64(reviews), Note: note})
			return err
		})
}

func (p *permissionChange) mayReview(b domain.BreakGlass) error {
	own, err := p.tx.User(p.ctx, p.actor.UserID)
	if err != nil {
		return err
	}
	switch {
	case b.Status == domain.BreakGlassRequested || b.Status == domain.BreakGlassWithdrawn:
		return domain.Errorf(domain.StateMismatch, "The request did not take effect, so there is nothing to review.")
	case own.IsSamePerson(b.Person):
		return domain.Errorf(domain.FourEyes, "You cannot review a change of your own account.").
			WithRemedy(askAnotherAdministrator)
	case own.AnyAccountIn(b.Reviewers):
		return domain.Errorf(domain.FourEyes, "You have reviewed it already.").
			WithRemedy(askAnotherAdministrator)
	}
	if b.Command == domain.BreakGlassLimit {
		role, _, _ := strings.Cut(b.Subject, "/")
		if err := p.refuseOwnLimit(domain.Role(role)); err != nil {
			return err
		}
	}
	open, err := p.tx.BreakGlasses(p.ctx, true, maxControlChanges)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(open, func(other domain.BreakGlass) bool {
		return own.IsSamePerson(other.Person) && other.Status == domain.BreakGlassInEffect
	}) {
		return domain.Errorf(domain.FourEyes, "Your own account has rights from the operator now.").
			WithRemedy(askAnotherAdministrator)
	}
	for _, reviewer := range b.Reviewers {
		if err := requireIndependent(p.ctx, p.tx.Reader, reviewer, p.actor.UserID); err != nil {
			return err
		}
	}
	return nil
}

// EndBreakGlass asks to withdraw a request of the operator, or to take back what it gave.
type EndBreakGlass struct {
	Once   Once
	ID     domain.ID
	Reason string
}

// EndBreakGlass withdraws a request immediately, or takes back what it gave. One administrator may, and the
// operator.
func (svc *Service) EndBreakGlass(ctx context.Context, actor domain.Actor, in EndBreakGlass) (
	domain.BreakGlass, error) {
	if err := svc.inScope(ctx, actor, "endBreakGlass", domain.ActManagePeople); err != nil {
		return domain.BreakGlass{}, err
	}
	reason, err := checkReason(strings.TrimSpace(in.Reason))
	if err != nil {
		return domain.BreakGlass{}, err
	}
	return svc.changeBreakGlass(ctx, actor, "endBreakGlass", in.Once, in.ID,
		func(p *permissionChange, b domain.BreakGlass) error { return p.endBreakGlass(b, reason) })
}

func (p *permissionChange) endBreakGlass(b domain.BreakGlass, reason string) error {
	switch b.Status {
	case domain.BreakGlassRequested:
		if err := p.tx.EndBreakGlass(p.ctx, b.ID, domain.BreakGlassWithdrawn); err != nil {
			return err
		}
		p.emitBreakGlassEnded(b, "withdrawn", reason)
		return nil
	case domain.BreakGlassInEffect:
		return p.takeBreakGlassBack(b, "taken_back", reason)
	}
	return notRequested(b)
}
