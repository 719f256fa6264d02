package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
)

// SetAbsence asks to be out of office for a time; Substitute, or nobody, is given what would be the person's.
type SetAbsence struct {
	Once       Once
	Person     domain.ID
	Substitute domain.ID
	From       time.Time
	Until      time.Time // the first moment after
	Reason     string
}

// SetAbsence puts an absence on record: one's own needs nobody's leave, another's that one gives work to people or manages
// them. Nothing is given to the absent; what would be goes to the first substitute who is there. It gives nobody a right.
func (svc *Service) SetAbsence(ctx context.Context, actor domain.Actor, in SetAbsence) (DelegationResult, error) {
	if err := svc.inScope(ctx, actor, "setOutOfOffice", scopeFor(actor, in.Person, domain.ActReassign)); err != nil {
		return DelegationResult{}, err
	}
	reason, err := checkReason(in.Reason)
	if err == nil && in.Person == in.Substitute {
		err = domain.Invalid("substituteId", "Nobody is their own substitute.").WithRemedy("Choose somebody else, or nobody.")
	}
	if err != nil {
		return DelegationResult{}, err
	}
	spec := permissionCommand{"setOutOfOffice", domain.PeopleStream, "", in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (DelegationResult, error) {
		if in.Person != actor.UserID {
			if err := authorizeDispatch(p.ctx, p.tx.Reader, actor); err != nil {
				return DelegationResult{}, err
			}
		}
		a := domain.Absence{ID: domain.NewID(), Person: in.Person, Substitute: in.Substitute, Reason: reason, CreatedBy: actor.UserID}
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
		if err := p.tx.PutAbsence(p.ctx, a); err != nil {
			return DelegationResult{}, err
		}
		p.emit(generated.AbsenceSetV1{AbsenceID: a.ID, Person: a.Person, Substitute: a.Substitute, ValidFrom: a.From, ValidUntil: a.Until, Reason: reason})
		uncovered, err := p.countUncoveredReviews(person, person.ID, nil)
		return DelegationResult{a.ID, uncovered}, err
	})
}

// checkAbsence refuses a second absence in the same time, and substitutes that lead in a cycle or too far.
func (p *permissionChange) checkAbsence(a domain.Absence, person domain.User) error {
	existing, err := p.tx.Absences(p.ctx, nil)
	if err != nil {
		return err
	}
	edges := map[domain.ID][]domain.ID{}
	for _, other := range existing {
		if !other.From.Before(a.Until) || !a.From.Before(other.Until) {
			continue
		}
		if other.Person == a.Person {
			return domain.Errorf(domain.StateMismatch, "%s is on record as away in that time already.", person.Name).
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
		return domain.Errorf(domain.StateMismatch, "The substitutes would lead in a circle.").
			WithRemedy("Choose somebody who is there, or nobody.")
	}
	edges[a.Person] = append(edges[a.Person], a.Substitute)
	if chain := longestPath(edges, len(existing)+1); chain > maxDelegationChain {
		return domain.Errorf(domain.StateMismatch, "The substitutes would lead %d steps far; %d is the most.", chain, maxDelegationChain).
			WithRemedy("Choose somebody who is there, or nobody.")
	}
	return nil
}

// EndAbsence asks to be back before the announced time.
type EndAbsence struct {
	Once Once
	ID   domain.ID
}

// EndAbsence ends an absence immediately; the person may, and who gives work to people or manages them.
func (svc *Service) EndAbsence(ctx context.Context, actor domain.Actor, in EndAbsence) error {
	if err := svc.inScope(ctx, actor, "endOutOfOffice", domain.ScopeAccount, domain.ActReassign); err != nil {
		return err
	}
	spec := permissionCommand{"endOutOfOffice", domain.PeopleStream, "", in.Once, in}
	_, err := runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (domain.ID, error) {
		existing, err := p.tx.Absences(p.ctx, nil)
		if err != nil {
			return in.ID, err
		}
		at := slices.IndexFunc(existing, func(a domain.Absence) bool { return a.ID == in.ID })
		if at >= 0 && existing[at].Person == actor.UserID {
			if err := checkScope(actor, domain.ScopeAccount); err != nil {
				return in.ID, err
			}
			// A missing one is asked about like another's, so that both take the same time.
		} else if authorizeDispatch(p.ctx, p.tx.Reader, actor) != nil || at < 0 {
			return in.ID, notFoundOrNotYours(domain.Errorf(domain.NotFound, ""), "absence")
		}
		if _, err := p.tx.EndAbsence(p.ctx, in.ID); err != nil {
			return in.ID, err
		}
		p.emit(generated.AbsenceEndedV1{AbsenceID: in.ID, Person: existing[at].Person})
		return in.ID, nil
	})
	return err
}

// withoutAbsent leaves out who is away now, as the clock of this transaction says.
func (c *command) withoutAbsent(users []domain.User) ([]domain.User, error) {
	absences, err := c.tx.Absences(c.ctx, nil)
	if err != nil || len(absences) == 0 {
		return users, err
	}
	return slices.DeleteFunc(users, func(u domain.User) bool { return domain.SubstituteOf(u.ID, absences, c.now) != u.ID }), nil
}

// resolveSubstitute is who is given what is meant for the person: themselves, or while they are away the first substitute who is
// there. Nobody is NotEligible.
func (c *command) resolveSubstitute(person domain.ID) (domain.ID, error) {
	absences, err := c.tx.Absences(c.ctx, nil)
	if err != nil {
		return person, err
	}
	to := domain.SubstituteOf(person, absences, c.now)
	if to == domain.NoID {
		return to, domain.Errorf(domain.NotEligible, "This person is out of office, and nobody stands in.").
			WithRemedy("Choose one of the eligible people.")
	}
	return to, nil
}
