package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
)

// SetAbsence asks to record an out-of-office period. Work meant for the person goes to Substitute;
// NoID = no substitute.
type SetAbsence struct {
	Once       Once
	Person     domain.ID
	Substitute domain.ID
	From       time.Time
	Until      time.Time // exclusive
	Reason     string
}

// SetAbsence records an absence. Recording one's own needs no right; recording another person's
// needs the right to reassign reviews or to manage people, and its substitute waits for another
// administrator. Assignments skip an absent person and go
// to the first substitute who is present. An absence grants no rights.
func (svc *Service) SetAbsence(
	ctx context.Context, actor domain.Actor, in SetAbsence,
) (DelegationResult, error) {
	if err := svc.inScope(ctx, actor, "setOutOfOffice",
		scopeFor(actor, in.Person, domain.ActReassign)); err != nil {
		return DelegationResult{}, err
	}
	reason, err := checkReason(in.Reason)
	if err == nil && in.Person == in.Substitute {
		err = domain.Invalid("substituteId",
			"You cannot choose the absent person as the substitute.").
			WithRemedy("Choose another substitute, or none.")
	}
	if err != nil {
		return DelegationResult{}, err
	}
	spec := permissionCommand{"setOutOfOffice", domain.PeopleStream, "", in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (DelegationResult, error) {
			if in.Person != actor.UserID {
				if err := authorizeDispatch(p.ctx, p.tx.Reader, actor); err != nil {
					return DelegationResult{}, err
				}
			}
			a := domain.Absence{ID: domain.NewID(), Person: in.Person, Substitute: in.Substitute,
				Reason: reason, CreatedBy: actor.UserID}
			var err error
			if a.From, a.Until, err = p.checkPeriod(in.From, in.Until); err != nil {
				return DelegationResult{}, err
			}
			var person domain.User
			if in.Substitute == domain.NoID {
				person, err = p.tx.User(p.ctx, in.Person)
			} else {
				person, _, err = p.authorizedPair(in.Person, in.Substitute)
			}
			if err != nil {
				return DelegationResult{}, err
			}
			if err := p.checkAbsence(a, person); err != nil {
				return DelegationResult{}, err
			}
			result := DelegationResult{ID: a.ID}
			if in.Person != actor.UserID && !actor.System {
				a.Substitute = domain.NoID // it is proposed
			}
			if err := p.tx.PutAbsence(p.ctx, a); err != nil {
				return DelegationResult{}, err
			}
			p.emit(generated.AbsenceSetV1{AbsenceID: a.ID, Person: a.Person,
				Substitute: a.Substitute, ValidFrom: a.From, ValidUntil: a.Until, Reason: reason})
			if a.Substitute != in.Substitute {
				if result.ProposalID, err = p.proposeSubstitute(a, person, in.Substitute); err != nil {
					return DelegationResult{}, err
				}
			}
			result.UncoveredReviews, err = p.countUncoveredReviews(person, person.ID, nil)
			return result, err
		})
}

// checkAbsence refuses an absence that overlaps another of the same person, and substitutes that
// form a cycle or too long a chain.
func (p *permissionChange) checkAbsence(a domain.Absence, person domain.User) error {
	existing, err := p.tx.Absences(p.ctx, nil)
	if err != nil {
		return err
	}
	edges := map[domain.ID][]domain.ID{}
	for _, other := range existing {
		if other.ID == a.ID || !other.From.Before(a.Until) || !a.From.Before(other.Until) {
			continue
		}
		if other.Person == a.Person {
			return domain.Errorf(domain.StateMismatch,
				"%s is already out of office in that period.", person.Name).
				WithRemedy("End that absence first.")
		}
		if other.Substitute != domain.NoID {
			edges[other.Person] = append(edges[other.Person], other.Substitute)
		}
	}
	if a.Substitute == domain.NoID {
		return nil
	}
	if isReachable(edges, a.Substitute, a.Person, map[domain.ID]bool{}) {
		return domain.Errorf(domain.StateMismatch, "These substitutes would form a loop.").
			WithRemedy("Choose a substitute who is present, or none.")
	}
	edges[a.Person] = append(edges[a.Person], a.Substitute)
	if chain := longestPath(edges, len(existing)+1); chain > maxDelegationChain {
		return domain.Errorf(domain.StateMismatch,
			"The chain of substitutes would be %d long; the maximum is %d.", chain,
			maxDelegationChain).
			WithRemedy("Choose a substitute who is present, or none.")
	}
	return nil
}

// EndAbsence asks to end an absence early.
type EndAbsence struct {
	Once Once
	ID   domain.ID
}

// EndAbsence ends an absence immediately. It is permitted to the absent person, and to those who
// may reassign reviews or manage people.
func (svc *Service) EndAbsence(ctx context.Context, actor domain.Actor, in EndAbsence) error {
	if err := svc.inScope(ctx, actor, "endOutOfOffice", domain.ScopeAccount,
		domain.ActReassign); err != nil {
		return err
	}
	spec := permissionCommand{"endOutOfOffice", domain.PeopleStream, "", in.Once, in}
	_, err := runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (domain.ID, error) {
			absence, err := p.tx.RecordedAbsence(p.ctx, in.ID)
			known := err == nil
			if err != nil && !domain.HasCode(err, domain.NotFound) {
				return in.ID, err
			}
			if known && absence.Person == actor.UserID {
				if err := checkScope(actor, domain.ScopeAccount); err != nil {
					return in.ID, err
				}
				// A missing absence is checked like another person's, so that response times do not
				// reveal which ids exist.
			} else if authorizeDispatch(p.ctx, p.tx.Reader, actor) != nil || !known {
				return in.ID, notFoundOrNotYours(domain.Errorf(domain.NotFound, ""), "absence")
			}
			if err := p.requireOpen("absence", absence.Until); err != nil {
				return in.ID, err
			}
			if _, err := p.tx.EndAbsence(p.ctx, in.ID); err != nil {
				return in.ID, err
			}
			p.emit(generated.AbsenceEndedV1{AbsenceID: in.ID, Person: absence.Person})
			return in.ID, nil
		})
	return err
}

// withoutAbsent returns the users who are present at the transaction's time.
func (c *command) withoutAbsent(users []domain.User) ([]domain.User, error) {
	absences, err := c.tx.Absences(c.ctx, nil)
	if err != nil || len(absences) == 0 {
		return users, err
	}
	return slices.DeleteFunc(users,
		func(u domain.User) bool { return domain.SubstituteOf(u.ID, absences, c.now) != u.ID }), nil
}

// resolveSubstitute returns the assignee for work meant for the person: the person, or, during an
// absence, the first substitute who is present. It returns NotEligible if there is none.
func (c *command) resolveSubstitute(person domain.ID) (domain.ID, error) {
	absences, err := c.tx.Absences(c.ctx, nil)
	if err != nil {
		return person, err
	}
	to := domain.SubstituteOf(person, absences, c.now)
	if to == domain.NoID {
		return to, domain.Errorf(domain.NotEligible,
			"This person is out of office and has no substitute.").
			WithRemedy(chooseEligible)
	}
	return to, nil
}
