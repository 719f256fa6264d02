package casework

import (
	"context"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/reading/extraction"
	"countersign/rules"
)

// DeclareConflict bars a person from every case of a party and its group. Party is a name as on documents: a company, a
// person, or a group of companies.
type DeclareConflict struct {
	Once   Once
	Person domain.ID
	Party  string
	Reason string
}

// maxReason bounds what is written beside a change of rights, in characters.
const maxReason = 2000

func checkReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if domain.Longer(reason, maxReason) {
		return "", domain.Invalid("reason", "the reason is longer than %d characters", maxReason)
	}
	return reason, nil
}

// requiredAction is the right that a change about a person needs: none about oneself.
func requiredAction(actor domain.Actor, about domain.ID) domain.Action {
	if about == actor.UserID {
		return ""
	}
	return domain.ActManagePeople
}

// DeclareConflict declares a conflict of interest; one's own needs no right, another's the right to manage people. It
// takes effect immediately: a claim of the person on such a case is withdrawn in the same transaction. A second declaration answers
// the one that stands.
func (svc *Service) DeclareConflict(ctx context.Context, actor domain.Actor, in DeclareConflict) (domain.ID, error) {
	if err := svc.inScope(ctx, actor, "declareConflict", scopeFor(actor, in.Person, domain.ActManagePeople)); err != nil {
		return domain.NoID, err
	}
	key := PartyKey(in.Party)
	if key == "" || domain.Longer(in.Party, 300) {
		return domain.NoID, domain.Invalid("party", "name the company or person, in at most 300 characters")
	}
	reason, err := checkReason(in.Reason)
	if err != nil {
		return domain.NoID, err
	}
	spec := permissionCommand{"declareConflict", domain.PeopleStream, requiredAction(actor, in.Person), in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (domain.ID, error) {
		if _, err := p.tx.User(p.ctx, in.Person); err != nil {
			return domain.NoID, err
		}
		return p.declareConflict(domain.Conflict{Person: in.Person, Reason: reason, Source: domain.FromDeclaration}, key, strings.TrimSpace(in.Party))
	})
}

// declareConflict puts a conflict on record, or answers the one that stands.
func (p *permissionChange) declareConflict(conflict domain.Conflict, key, name string) (domain.ID, error) {
	party, _, err := p.tx.EnsureParty(p.ctx, key, name)
	if err != nil {
		return domain.NoID, err
	}
	conflict.ID, conflict.PartyID, conflict.DeclaredBy = domain.NewID(), party, p.actor.UserID
	fresh, err := p.tx.DeclareConflict(p.ctx, conflict)
	if err != nil {
		return domain.NoID, err
	}
	if !fresh {
		existing, err := p.tx.Conflicts(p.ctx, conflict.Person)
		for _, c := range existing {
			if c.PartyID == party {
				return c.ID, err
			}
		}
		return domain.NoID, err
	}
	p.affectedUsers = append(p.affectedUsers, conflict.Person)
	p.emit(generated.ConflictDeclaredV1{ConflictID: conflict.ID, PartyID: party, Person: conflict.Person, Reason: conflict.Reason})
	return conflict.ID, nil
}

// EndConflict asks to end a conflict that is in force. A reason is owed.
type EndConflict struct {
	Once   Once
	ID     domain.ID
	Reason string
}

// EndConflict ends a conflict; it needs the right to manage people, and nobody ends their own.
func (svc *Service) EndConflict(ctx context.Context, actor domain.Actor, in EndConflict) error {
	if err := svc.inScope(ctx, actor, "endConflict", domain.ActManagePeople); err != nil {
		return err
	}
	reason, err := checkReason(in.Reason)
	if err == nil && reason == "" {
		err = domain.Invalid("reason", "say why the conflict no longer holds").WithRemedy("Give a reason.")
	}
	if err != nil {
		return err
	}
	spec := permissionCommand{"endConflict", domain.PeopleStream, domain.ActManagePeople, in.Once, in}
	_, err = runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (domain.ID, error) {
		conflict, err := p.tx.Conflict(p.ctx, in.ID)
		if domain.HasCode(err, domain.NotFound) {
			return in.ID, domain.Errorf(domain.NotFound, "There is no such conflict in force.")
		}
		if err != nil {
			return in.ID, err
		}
		if conflict.Person == actor.UserID && !actor.System {
			return in.ID, domain.Errorf(domain.FourEyes, "Nobody ends a conflict of interest of their own.").
				WithRemedy("Ask another administrator.")
		}
		if _, err := p.tx.EndConflict(p.ctx, in.ID, actor.UserID, reason); err != nil {
			return in.ID, err
		}
		p.affectedUsers = append(p.affectedUsers, conflict.Person)
		p.emit(generated.ConflictEndedV1{ConflictID: in.ID, PartyID: conflict.PartyID, Person: conflict.Person, Reason: reason})
		return in.ID, nil
	})
	return err
}

// GroupParty asks to put a company or person into the group of another; With "" takes it out of its group.
type GroupParty struct {
	Once  Once
	Party string
	With  string
}

// GroupParty changes which companies belong together. A conflict with one of a group bars from all of it, at once.
func (svc *Service) GroupParty(ctx context.Context, actor domain.Actor, in GroupParty) (domain.ID, error) {
	if err := svc.inScope(ctx, actor, "groupParty", domain.ActManagePeople); err != nil {
		return domain.NoID, err
	}
	key, with := PartyKey(in.Party), PartyKey(in.With)
	switch {
	case key == "" || domain.Longer(in.Party, 300) || domain.Longer(in.With, 300):
		return domain.NoID, domain.Invalid("party", "name the company or person, in at most 300 characters")
	case key == with:
		return domain.NoID, domain.Invalid("with", "a group needs two different names")
	}
	spec := permissionCommand{"groupParty", domain.PeopleStream, domain.ActManagePeople, in.Once, in}
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

// SetOwnAccount asks to put a bank account on record as a person's own, or with Ended to take it off.
type SetOwnAccount struct {
	Once    Once
	Person  domain.ID
	Account string // an IBAN as written
	Ended   bool
}

// SetOwnAccount keeps a person's own bank accounts: nobody reviews a payment to themselves. Adding one's own needs no right;
// taking one off needs the right to manage people, and is never done for oneself.
func (svc *Service) SetOwnAccount(ctx context.Context, actor domain.Actor, in SetOwnAccount) error {
	needs := scopeFor(actor, in.Person, domain.ActManagePeople)
	if in.Ended {
		needs = domain.ActManagePeople
	}
	if err := svc.inScope(ctx, actor, "ownAccount", needs); err != nil {
		return err
	}
	account, err := extraction.Normalise(domain.FieldIBAN, in.Account, "")
	if err == nil && rules.IBANProblem(account) != "" {
		err = domain.Invalid("account", "this is no IBAN: %s", rules.IBANProblem(account))
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
			return false, domain.Errorf(domain.FourEyes, "Nobody takes an account of their own off the record.").WithRemedy("Ask another administrator.")
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
