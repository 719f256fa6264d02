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
	p.controlChanged(generated.ConflictDeclaredV1{ConflictID: conflict.ID, PartyID: party,
		Person: conflict.Person, Reason: conflict.Reason})
	return conflict.ID, nil
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
		return withInputDetail(err, domain.DocumentField{
			FieldSpec: domain.FieldSpec{Name: "account", Type: domain.FieldTypeIBAN}}, "", "")
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
		if own, err := p.isActor(in.Person); err != nil || own && in.Ended && !actor.System {
			return false, firstError(err, domain.Errorf(domain.FourEyes,
				"You cannot remove your own account.").WithRemedy(askAnotherAdministrator))
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
			// the account may show that others belong to the same person
			user, err := p.tx.User(p.ctx, in.Person)
			if err != nil {
				return false, err
			}
			p.affectedUsers = append(p.affectedUsers, user.Accounts()...)
		}
		p.emit(generated.AccountDeclaredV1{Person: in.Person, Ended: in.Ended})
		return true, nil
	})
	return err
}
