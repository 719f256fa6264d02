package casework

import (
	"context"
	"errors"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// Why a sign-in through a provider is refused, as the detail "reason".
const (
	noEmployeeID      = "no_employee_id"
	unknownEmployee   = "unknown_employee"
	identityMismatch  = "identity_mismatch"
	accountIsDisabled = "account_disabled"
)

const askForSignIn = "Ask an administrator."

// errProviderChange is returned by a sign-in that has to change the account first.
var errProviderChange = errors.New("casework: the sign-in changes the account")

// providerSignIn is what a sign-in through a provider does to the account.
type providerSignIn struct {
	user   domain.User
	linked domain.LinkedIdentity // with the wanted roles
	isNew  bool                  // the identity is not linked yet
	roles  []domain.Role         // that the account keeps
	// changes reports that more is written than the session.
	changes bool
}

// SignInThroughProvider finds the account of a person whom a provider has confirmed, and opens a
// session by open in the same transaction. The employee id alone finds the account. The first sign-in
// fixes the identity to the account. Roles that groups of the provider are mapped to, and that no
// group of the person grants, are taken away; roles that groups grant are only recorded as wanted.
// The user is returned with a refusal too, if the account is known.
func (svc *Service) SignInThroughProvider(ctx context.Context, who domain.ExternalIdentity,
	open func(*store.Tx, domain.User) error) (domain.User, error) {
	planned, err := svc.planProviderSignIn(ctx, svc.db.Reader(), who)
	if err != nil {
		return planned.user, err
	}
	if !planned.changes {
		spec := workSpec{operation: "signIn", lock: lockShared, callerLogsRefusal: true}
		err = svc.runUnitOfWork(ctx, domain.Actor{UserID: planned.user.ID}, spec, func(w *unitOfWork) error {
			if planned, err = svc.planProviderSignIn(ctx, w.tx.Reader, who); err != nil {
				return err
			}
			if planned.changes {
				return errProviderChange
			}
			if err := w.tx.PutIdentity(ctx, planned.linked); err != nil {
				return err
			}
			return open(w.tx, planned.user)
		})
		if !errors.Is(err, errProviderChange) {
			return planned.user, err
		}
	}
	return svc.changeAndSignIn(ctx, who, open)
}

// changeAndSignIn is the part of SignInThroughProvider that changes the account, with the authority
// locked exclusively.
func (svc *Service) changeAndSignIn(ctx context.Context, who domain.ExternalIdentity,
	open func(*store.Tx, domain.User) error) (domain.User, error) {
	spec := permissionCommand{operation: "signInThroughProvider", stream: domain.PeopleStream}
	return runPermissionChange(ctx, svc, domain.SystemActor(), spec,
		func(p *permissionChange) (domain.User, error) {
			planned, err := svc.planProviderSignIn(p.ctx, p.tx.Reader, who)
			if err != nil {
				return planned.user, err
			}
			user := planned.user
			if len(planned.roles) != len(user.Roles) {
				user.Roles = planned.roles
				if err := p.writeUser(planned.user, user, "", false); err != nil {
					return user, err
				}
			}
			if planned.isNew {
				if err := p.linkIdentity(planned.linked); err != nil {
					return user, err
				}
			}
			if err := p.tx.PutIdentity(p.ctx, planned.linked); err != nil {
				return user, err
			}
			if user, err = p.tx.User(p.ctx, user.ID); err != nil {
				return user, err
			}
			return user, open(p.tx, user)
		})
}

// linkIdentity records that an identity is fixed to an account from now on.
func (p *permissionChange) linkIdentity(linked domain.LinkedIdentity) error {
	p.emit(generated.IdentityLinkedV1{UserID: linked.UserID, Provider: linked.Provider,
		Issuer: linked.Issuer, Subject: linked.Subject})
	return p.tx.SignedUpThroughProvider(p.ctx, linked.UserID)
}

// unlinkIdentities ends the identities of an account, so that the next sign-in fixes another one.
func (p *permissionChange) unlinkIdentities(person domain.ID) error {
	removed, err := p.tx.DeleteIdentities(p.ctx, person)
	for _, linked := range removed {
		p.emit(generated.IdentityUnlinkedV1{UserID: person, Provider: linked.Provider,
			Issuer: linked.Issuer, Subject: linked.Subject})
	}
	return err
}

// employeeIDChanged ends the identities of an account whose employee id changes, and emits the event.
func (p *permissionChange) employeeIDChanged(before, after domain.User) error {
	if before.EmployeeID == after.EmployeeID {
		return nil
	}
	p.emit(generated.EmployeeChangedV1{UserID: after.ID, Before: before.EmployeeID,
		After: after.EmployeeID})
	if before.EmployeeID == "" {
		return nil
	}
	return p.unlinkIdentities(after.ID)
}

// planProviderSignIn checks a sign-in and computes what it changes.
func (svc *Service) planProviderSignIn(ctx context.Context, r store.Reader,
	who domain.ExternalIdentity) (providerSignIn, error) {
	var planned providerSignIn
	if who.EmployeeID == "" {
		return planned, refusedSignIn(noEmployeeID, "The provider did not confirm your employee id.")
	}
	var err error
	planned.user, err = r.UserByEmployeeID(ctx, who.EmployeeID)
	switch {
	case domain.HasCode(err, domain.NotFound):
		return planned, refusedSignIn(unknownEmployee, "No account has your employee id.")
	case err != nil:
		return planned, err
	case planned.user.Disabled:
		return planned, refusedSignIn(accountIsDisabled, "This account is disabled.")
	}
	if err := planned.findIdentity(ctx, r, who); err != nil {
		return planned, err
	}
	mapped, err := svc.effectiveGroupRoles(ctx, r, who.Provider)
	if err != nil {
		return planned, err
	}
	wanted := planned.applyGroups(mapped, who.Groups)
	planned.changes = planned.isNew || len(planned.roles) != len(planned.user.Roles) ||
		!slices.Equal(wanted, planned.linked.WantedRoles)
	planned.linked.WantedRoles = wanted
	return planned, nil
}

// findIdentity finds the identity, or prepares a new one. An identity signs in to one account, and an
// account has one identity of an issuer: otherwise the provider could exchange people.
func (s *providerSignIn) findIdentity(ctx context.Context, r store.Reader,
	who domain.ExternalIdentity) error {
	known, err := r.Identities(ctx, s.user.ID, who.Issuer, who.Subject)
	if err != nil {
		return err
	}
	s.isNew = true
	for _, linked := range known {
		same := linked.Issuer == who.Issuer && linked.Subject == who.Subject
		switch {
		case same && linked.UserID == s.user.ID:
			s.isNew, s.linked = false, linked
		case same || linked.Issuer == who.Issuer:
			return refusedSignIn(identityMismatch,
				"The provider confirmed another identity than at your first sign-in.")
		}
	}
	s.linked.Issuer, s.linked.Subject, s.linked.UserID, s.linked.Provider =
		who.Issuer, who.Subject, s.user.ID, who.Provider
	return nil
}

// applyGroups sets the roles that the account keeps, and returns those that groups grant and it lacks.
func (s *providerSignIn) applyGroups(mapped []domain.GroupRole, groups []string) []domain.Role {
	granted, targets := map[domain.Role]bool{}, map[domain.Role]bool{}
	for _, m := range mapped {
		targets[m.Role] = true
		granted[m.Role] = granted[m.Role] || slices.Contains(groups, m.Group)
	}
	s.roles = slices.DeleteFunc(slices.Clone(s.user.Roles),
		func(role domain.Role) bool { return targets[role] && !granted[role] })
	var wanted []domain.Role
	for role, yes := range granted {
		if yes && !s.user.HasRole(role) {
			wanted = append(wanted, role)
		}
	}
	slices.Sort(wanted)
	return wanted
}

func refusedSignIn(reason, message string) *domain.Error {
	return domain.Errorf(domain.Unauthenticated, "%s", message).WithRemedy(askForSignIn).
		WithDetail("reason", reason)
}

func recentlyLinked() *domain.Error {
	return domain.Errorf(domain.FourEyes,
		"An account that was linked to a provider, or got a passkey through it, less than 24 hours ago does not confirm yet.").
		WithRemedy("Ask another administrator, or wait until 24 hours have passed.")
}
