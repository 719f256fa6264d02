package casework

import (
	"context"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/reading/extraction"
	"countersign/rules"
)

// DeclareConflict asks to exclude a person from every case of a party and its group. Party is a
// name as it appears on documents: a company, a person, or a group of companies.
type DeclareConflict struct {
	Once   Once
	Person domain.ID
	Party  string
	Reason string
}

// maxReason bounds the reason of a permission change, in characters.
const maxReason = 2000

func checkReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if domain.Longer(reason, maxReason) {
		return "", domain.Invalid("reason", reasonTooLong, maxReason)
	}
	return reason, nil
}

// requiredAction returns the right that a change concerning a person requires; a change concerning
// oneself requires none.
func requiredAction(actor domain.Actor, person domain.ID) domain.Action {
	if person == actor.UserID {
		return ""
	}
	return domain.ActManagePeople
}

// DeclareConflict declares a conflict of interest. Declaring one's own requires no right; declaring
// another person's requires the right to manage people. It takes effect immediately: the same
// transaction releases the person's claims on such cases. Repeating a declaration returns the id of
// the existing conflict.
func (svc *Service) DeclareConflict(
	ctx context.Context, actor domain.Actor, in DeclareConflict,
) (domain.ID, error) {
	if err := svc.inScope(ctx, actor, "declareConflict",
		scopeFor(actor, in.Person, domain.ActManagePeople)); err != nil {
		return domain.NoID, err
	}
	key := PartyKey(in.Party)
	if key == "" || domain.Longer(in.Party, 300) {
		return domain.NoID, domain.Invalid("party", partyNameRequired)
	}
	reason, err := checkReason(in.Reason)
	if err != nil {
		return domain.NoID, err
	}
	spec := permissionCommand{"declareConflict", domain.PeopleStream,
		requiredAction(actor, in.Person), in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (domain.ID, error) {
		if _, err := p.tx.User(p.ctx, in.Person); err != nil {
			return domain.NoID, err
		}
		return p.declareConflict(domain.Conflict{Person: in.Person, Reason: reason,
			Source: domain.FromDeclaration}, key, strings.TrimSpace(in.Party))
	})
}

// declareConflict inserts a conflict, or returns the id of the existing one.
func (p *permissionChange) declareConflict(
	conflict domain.Conflict, key, name string,
) (domain.ID, error) {
	party, _, err := p.tx.EnsureParty(p.ctx, key, name)
	if err != nil {
		return domain.NoID, err
	}
	conflict.ID, conflict.PartyID, conflict.DeclaredBy = domain.NewID(), party, p.actor.UserID
	inserted, err := p.tx.DeclareConflict(p.ctx, conflict)
	if err != nil {
		return domain.NoID, err
	}
	if !inserted {
		existing, err := p.tx.Conflicts(p.ctx, conflict.Person)
		for _, c := range existing {
			if c.PartyID == party {
				return c.ID, err
			}
		}
		return domain.NoID, err
	}
	p.affectedUsers = append(p.affectedUsers, conflict.Person)
	p.emit(generated.ConflictDeclaredV1{ConflictID: conflict.ID, PartyID: party,
		Person: conflict.Person, Reason: conflict.Reason})
	return conflict.ID, nil
}

// EndConflict asks to end a conflict that is in force. A reason is required.
type EndConflict struct {
	Once   Once
	ID     domain.ID
	Reason string
}

// EndConflict ends a conflict. It requires the right to manage people, and is never permitted for
// one's own conflict.
func (svc *Service) EndConflict(ctx context.Context, actor domain.Actor, in EndConflict) error {
	if err := svc.inScope(ctx, actor, "endConflict", domain.ActManagePeople); err != nil {
		return err
	}
	reason, err := checkReason(in.Reason)
	if err == nil && reason == "" {
		err = domain.Invalid("reason", "Enter a reason for ending the conflict.")
	}
	if err != nil {
		return err
	}
	spec := permissionCommand{"endConflict", domain.PeopleStream, domain.ActManagePeople,
		in.Once, in}
	_, err = runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (domain.ID, error) {
			conflict, err := p.tx.Conflict(p.ctx, in.ID)
			if domain.HasCode(err, domain.NotFound) {
				return in.ID,
					domain.Errorf(domain.NotFound,
						"The conflict was not found or has already ended.")
			}
			if err != nil {
				return in.ID, err
			}
			if conflict.Person == actor.UserID && !actor.System {
				return in.ID,
					domain.Errorf(domain.FourEyes, "You cannot end your own conflict of interest.").
						WithRemedy(askAnotherAdministrator)
			}
			if _, err := p.tx.EndConflict(p.ctx, in.ID, actor.UserID, reason); err != nil {
				return in.ID, err
			}
			p.affectedUsers = append(p.affectedUsers, conflict.Person)
			p.emit(generated.ConflictEndedV1{ConflictID: in.ID, PartyID: conflict.PartyID,
				Person: conflict.Person, Reason: reason})
			return in.ID, nil
		})
	return err
}

// GroupParty asks to add a company or person to the group of another. An empty With removes it from
// its group.
type GroupParty struct {
	Once  Once
	Party string
	With  string
}

// GroupParty changes which companies belong together. A conflict with one member of a group
// excludes from all of its cases; this takes effect immediately.
func (svc *Service) GroupParty(
	ctx context.Context, actor domain.Actor, in GroupParty,
) (domain.ID, error) {
	if err := svc.inScope(ctx, actor, "groupParty", domain.ActManagePeople); err != nil {
		return domain.NoID, err
	}
	key, with := PartyKey(in.Party), PartyKey(in.With)
	switch {
	case key == "" || domain.Longer(in.Party, 300) || domain.Longer(in.With, 300):
		return domain.NoID, domain.Invalid("party", partyNameRequired)
	case key == with:
		return domain.NoID, domain.Invalid("with", "A group needs two different names.")
	}
	spec := permissionCommand{"groupParty", domain.PeopleStream, domain.ActManagePeople,
		in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (domain.ID, error) {
		party, _, err := p.tx.EnsureParty(p.ctx, key, strings.TrimSpace(in.Party))
		if err != nil {
			return party, err
		}
		if with == "" {
			if p.affectedUsers, err = p.tx.PeopleInConflict(p.ctx, party); err != nil {
				return party, err
			}
			left, err := p.tx.LeaveGroup(p.ctx, party)
			if err == nil && left {
				p.emit(generated.PartyGroupedV1{PartyID: party, Left: true})
			}
			return party, err
		}
		other, _, err := p.tx.EnsureParty(p.ctx, with, strings.TrimSpace(in.With))
		if err != nil {
			return party, err
		}
		if err := p.tx.JoinGroup(p.ctx, party, other); err != nil {
			return party, err
		}
		if p.affectedUsers, err = p.tx.PeopleInConflict(p.ctx, party); err != nil {
			return party, err
		}
		p.emit(generated.PartyGroupedV1{PartyID: party, WithPartyID: other})
		return party, nil
	})
}

// SetOwnAccount asks to record a bank account as a person's own, or with Ended to remove it.
type SetOwnAccount struct {
	Once    Once
	Person  domain.ID
	Account string // an IBAN, with or without spaces
	Ended   bool
}

// SetOwnAccount maintains a person's own bank accounts, so that no user reviews a payment to
// themselves. Adding one's own account requires no right. Removing one requires the right to manage
// people, and is never permitted for oneself.
func (svc *Service) SetOwnAccount(ctx context.Context, actor domain.Actor, in SetOwnAccount) error {
	scope := scopeFor(actor, in.Person, domain.ActManagePeople)
	if in.Ended {
		scope = domain.ActManagePeople
	}
	if err := svc.inScope(ctx, actor, "ownAccount", scope); err != nil {
		return err
	}
	account, err := extraction.Normalise(domain.FieldIBAN, in.Account, "")
	if err == nil && rules.IBANProblem(account) != "" {
		err = domain.Invalid("account", "The account is not a valid IBAN: %s.",
			rules.IBANProblem(account))
	}
	if err != nil {
		return withInputDetail(err, "account", "", "")
	}
	action := requiredAction(actor, in.Person)
	if in.Ended {
		action = domain.ActManagePeople
	}
	spec := permissionCommand{"ownAccount", domain.PeopleStream, action, in.Once, in}
	_, err = runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (bool, error) {
		if _, err := p.tx.User(p.ctx, in.Person); err != nil {
			return false, err
		}
		if in.Ended && in.Person == actor.UserID && !actor.System {
			return false, domain.Errorf(domain.FourEyes, "You cannot remove your own account.").
				WithRemedy(askAnotherAdministrator)
		}
		change := p.tx.AddOwnAccount
		if in.Ended {
			change = p.tx.DeleteOwnAccount
		}
		changed, err := change(p.ctx, in.Person, account)
		if err != nil || !changed {
			return changed, err
		}
		if !in.Ended {
			p.affectedUsers = append(p.affectedUsers, in.Person)
		}
		p.emit(generated.AccountDeclaredV1{Person: in.Person, Ended: in.Ended})
		return true, nil
	})
	return err
}
