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
func (h *Hall) SetAbsence(ctx context.Context, actor domain.Actor, in SetAbsence) (Delegated, error) {
	reason, err := boundedReason(in.Reason)
	if err == nil && in.Person == in.Substitute {
		err = domain.Invalid("substituteId", "Nobody is their own substitute.").WithWayOut("Choose somebody else, or nobody.")
	}
	if err != nil {
		return Delegated{}, err
	}
	command := powerCommand{"setOutOfOffice", domain.PeopleStream, "", in.Once, in}
	return onPower(ctx, h, actor, command, func(p *powers) (Delegated, error) {
		if in.Person != actor.UserID {
			if err := mayDirect(p.ctx, p.tx.Reader, actor); err != nil {
				return Delegated{}, err
			}
		}
		a := domain.Absence{ID: domain.NewID(), Person: in.Person, Substitute: in.Substitute, Reason: reason, CreatedBy: actor.UserID}
		var err error
		if a.From, a.Until, err = p.span(in.From, in.Until); err != nil {
			return Delegated{}, err
		}
		var person domain.User
		if in.Substitute == domain.NoID {
			person, err = p.tx.User(p.ctx, in.Person)
		} else {
			person, _, err = p.colleagues(in.Person, in.Substitute)
		}
		if err != nil {
			return Delegated{}, err
		}
		if err := p.mayLeave(a, person); err != nil {
			return Delegated{}, err
		}
		if err := p.tx.PutAbsence(p.ctx, a); err != nil {
			return Delegated{}, err
		}
		p.tell(generated.AbsenceSetV1{AbsenceID: a.ID, Person: a.Person, Substitute: a.Substitute, ValidFrom: a.From, ValidUntil: a.Until, Reason: reason})
		nobody, err := p.findNobody(person, person.ID, nil)
		return Delegated{a.ID, nobody}, err
	})
}

// mayLeave refuses a second absence in the same time, and substitutes that lead in a circle or too far.
func (p *powers) mayLeave(a domain.Absence, person domain.User) error {
	standing, err := p.tx.Absences(p.ctx, nil)
	if err != nil {
		return err
	}
	onward := map[domain.ID][]domain.ID{}
	for _, other := range standing {
		if !other.From.Before(a.Until) || !a.From.Before(other.Until) {
			continue
		}
		if other.Person == a.Person {
			return domain.Fail(domain.StateMismatch, "%s is on record as away in that time already.", person.Name).
				WithWayOut("End that absence first.")
		}
		if other.Substitute != domain.NoID {
			onward[other.Person] = append(onward[other.Person], other.Substitute)
		}
	}
	if a.Substitute == domain.NoID {
		return nil
	}
	if reaches(onward, a.Substitute, a.Person, map[domain.ID]bool{}) {
		return domain.Fail(domain.StateMismatch, "The substitutes would lead in a circle.").
			WithWayOut("Choose somebody who is there, or nobody.")
	}
	onward[a.Person] = append(onward[a.Person], a.Substitute)
	if chain := longestFrom(onward, len(standing)+1); chain > longestChain {
		return domain.Fail(domain.StateMismatch, "The substitutes would lead %d steps far; %d is the most.", chain, longestChain).
			WithWayOut("Choose somebody who is there, or nobody.")
	}
	return nil
}

// EndAbsence asks to be back before the announced time.
type EndAbsence struct {
	Once Once
	ID   domain.ID
}

// EndAbsence ends an absence at once; the person may, and who gives work to people or manages them.
func (h *Hall) EndAbsence(ctx context.Context, actor domain.Actor, in EndAbsence) error {
	command := powerCommand{"endOutOfOffice", domain.PeopleStream, "", in.Once, in}
	_, err := onPower(ctx, h, actor, command, func(p *powers) (domain.ID, error) {
		standing, err := p.tx.Absences(p.ctx, nil)
		if err != nil {
			return in.ID, err
		}
		at := slices.IndexFunc(standing, func(a domain.Absence) bool { return a.ID == in.ID })
		if at < 0 {
			return in.ID, noSuch(domain.Fail(domain.NotFound, ""), "absence")
		}
		if standing[at].Person != actor.UserID && mayDirect(p.ctx, p.tx.Reader, actor) != nil {
			return in.ID, noSuch(domain.Fail(domain.NotFound, ""), "absence")
		}
		if _, err := p.tx.EndAbsence(p.ctx, in.ID); err != nil {
			return in.ID, err
		}
		p.tell(generated.AbsenceEndedV1{AbsenceID: in.ID, Person: standing[at].Person})
		return in.ID, nil
	})
	return err
}

// present leaves out who is away now, as the clock of this transaction says.
func (c *command) present(users []domain.User) ([]domain.User, error) {
	absences, err := c.tx.Absences(c.ctx, nil)
	if err != nil || len(absences) == 0 {
		return users, err
	}
	return slices.DeleteFunc(users, func(u domain.User) bool { return domain.SubstituteOf(u.ID, absences, c.now) != u.ID }), nil
}

// instead is who is given what is meant for the person: themselves, or while they are away the first substitute who is
// there. Nobody is NotEligible.
func (c *command) instead(person domain.ID) (domain.ID, error) {
	absences, err := c.tx.Absences(c.ctx, nil)
	if err != nil {
		return person, err
	}
	to := domain.SubstituteOf(person, absences, c.now)
	if to == domain.NoID {
		return to, domain.Fail(domain.NotEligible, "This person is out of office, and nobody stands in.").
			WithWayOut("Choose one of the eligible people.")
	}
	return to, nil
}
