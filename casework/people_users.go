package casework

import (
	"context"
	"net/mail"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// PutUser asks to create or change a user. An empty PasswordHash keeps the password, an empty
// Locale the language.
type PutUser struct {
	Once         Once
	User         domain.User
	PasswordHash string
	// UpdateOnly refuses to create a user.
	UpdateOnly bool
	// ExpectedVersion is the version that the caller last read (PersonVersion); "" skips the check.
	ExpectedVersion string
}

// PersonVersion returns the opaque version of a user.
func PersonVersion(user domain.User) string { return strconv.FormatInt(user.Version, 10) }

// PutUser creates or changes a user with roles and queues. Setting a password or disabling the
// account ends all sessions of the user. Users cannot change their own roles, queues or access, and
// at least one user must remain who may manage people.
func (svc *Service) PutUser(
	ctx context.Context, actor domain.Actor, in PutUser,
) (domain.ID, error) {
	if err := svc.inScope(ctx, actor, "putUser", domain.ActManagePeople); err != nil {
		return domain.NoID, err
	}
	user := in.User
	user.Email, user.Name = strings.ToLower(strings.TrimSpace(user.Email)),
		strings.TrimSpace(user.Name)
	if _, err := mail.ParseAddress(user.Email); err != nil {
		return domain.NoID, domain.Invalid("email", "%q is not an e-mail address.", user.Email)
	}
	if user.Name == "" || domain.Longer(user.Name, 300) {
		return domain.NoID, domain.Invalid("name", "Enter a name (1 to 300 characters).")
	}
	in.User = user
	// Password hashes are salted, so requests that differ only in the hash are the same request.
	request := []any{in.User, in.PasswordHash != "", in.UpdateOnly, in.ExpectedVersion}
	spec := permissionCommand{"putUser", domain.PeopleStream, domain.ActManagePeople,
		in.Once, request}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (domain.ID, error) { return p.putUser(in) })
}

func (p *permissionChange) putUser(in PutUser) (domain.ID, error) {
	user := in.User
	before, err := p.tx.User(p.ctx, user.ID)
	created := !in.UpdateOnly && (user.ID == domain.NoID || domain.HasCode(err, domain.NotFound))
	if err != nil && !created {
		return user.ID, err
	}
	if user.ID == domain.NoID {
		user.ID = domain.NewID()
	}
	if user.Locale == "" {
		user.Locale = before.Locale
	}
	if !created {
		if err := checkExpectedVersion(in.ExpectedVersion, PersonVersion(before)); err != nil {
			return user.ID, err
		}
	}
	if err := p.checkUserChange(before, user); err != nil {
		return user.ID, err
	}
	if err := p.tx.PutUser(p.ctx, user, in.PasswordHash); err != nil {
		return user.ID, err
	}
	// Sessions opened with the old password, or by an account that is now disabled, end here.
	if in.PasswordHash != "" || user.Disabled {
		if _, err := p.tx.EndSessionsOf(p.ctx, user.ID); err != nil {
			return user.ID, err
		}
	}
	if !created {
		p.affectedUsers = append(p.affectedUsers, user.ID)
	}
	after, err := p.tx.User(p.ctx, user.ID)
	if err != nil {
		return user.ID, err
	}
	if body := userEvent(p.actor, created, in.PasswordHash != "", before, after); body != nil {
		p.emit(body)
	}
	return user.ID, p.checkManagerRemains()
}

// checkUserChange refuses unknown roles and queues, and changes of one's own permissions.
func (p *permissionChange) checkUserChange(before, after domain.User) error {
	roles, err := p.tx.Roles(p.ctx)
	if err != nil {
		return err
	}
	for _, role := range after.Roles {
		if !slices.ContainsFunc(roles, func(known store.Role) bool { return known.Name == role }) {
			return domain.Invalid("roles", unknownRole, role)
		}
	}
	if err := p.checkAddedQueues(before, after); err != nil {
		return err
	}
	if p.actor.System || after.ID != p.actor.UserID {
		return nil
	}
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	if !slices.Equal(sorted(roleNames(before.Roles)), sorted(roleNames(after.Roles))) ||
		!slices.Equal(sorted(before.Queues), sorted(after.Queues)) ||
		before.Disabled != after.Disabled {
		return domain.Errorf(domain.FourEyes,
			"You cannot change your own roles, queues or access.").
			WithRemedy(askAnotherAdministrator)
	}
	return nil
}

// checkManagerRemains refuses a change after which no user could manage people.
func (p *permissionChange) checkManagerRemains() error {
	if p.actor.System {
		return nil // the operator's command line may
	}
	authorizer, err := p.svc.uncommittedAuthorizer(p.ctx, p.tx.Reader)
	if err != nil {
		return err
	}
	people, err := p.tx.Users(p.ctx, nil)
	if err != nil {
		return err
	}
	for _, person := range people {
		if _, err := authorizer.AuthorizeGlobal(person, domain.ActManagePeople); err == nil {
			return nil
		}
	}
	return domain.Errorf(domain.StateMismatch, "No user would remain who may manage people.").
		WithRemedy("Assign such a role to another user first.")
}

// PutLimit asks to set the amount up to which a role may decide. Drop removes the limit and with it
// the right.
type PutLimit struct {
	Once  Once
	Limit domain.Limit
	Drop  bool
}

// SetLimit sets the amount up to which a role may decide.
func (svc *Service) SetLimit(ctx context.Context, actor domain.Actor, limit domain.Limit) error {
	return svc.PutLimit(ctx, actor, PutLimit{Limit: limit})
}

// PutLimit sets or removes a limit. It takes effect immediately: reviews above the new limit are
// released. Users cannot raise a limit that applies to themselves.
func (svc *Service) PutLimit(ctx context.Context, actor domain.Actor, in PutLimit) error {
	if err := svc.inScope(ctx, actor, "setLimit", domain.ActManagePeople); err != nil {
		return err
	}
	if in.Limit.BaseMinor < 0 {
		return domain.Invalid("amount", negativeLimit)
	}
	if in.Limit.Action != domain.ActDecide {
		return domain.Invalid("action", "Only the action decide has a limit.")
	}
	spec := permissionCommand{"setLimit", domain.PolicyStream, domain.ActManagePeople, in.Once, in}
	_, err := runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (bool, error) { return true, p.putLimit(in) })
	return err
}

func (p *permissionChange) putLimit(in PutLimit) error {
	limit := in.Limit
	roles, err := p.tx.Roles(p.ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(roles,
		func(known store.Role) bool { return known.Name == limit.Role }) {
		return domain.Invalid("role", unknownRole, limit.Role)
	}
	before, err := p.tx.Limit(p.ctx, limit.Role, limit.Action, limit.DocumentType)
	known := err == nil
	if err != nil && !domain.HasCode(err, domain.NotFound) {
		return err
	}
	if !known && !in.Drop {
		if err := p.checkDocumentType(limit.DocumentType); err != nil {
			return err
		}
	}
	if err := p.checkLimitRaise(in, before, known); err != nil {
		return err
	}
	body := generated.LimitChangedV1{Action: string(limit.Action), DocumentType: limit.DocumentType,
		Role: string(limit.Role)}
	if known {
		body.Before = &generated.LimitChangedV1Before{Unlimited: before.Unlimited,
			BaseMinor: &before.BaseMinor}
	}
	if in.Drop {
		if dropped, err := p.tx.DeleteLimit(p.ctx, limit.Role, limit.Action,
			limit.DocumentType); err != nil || !dropped {
			return err
		}
	} else {
		body.After = &generated.LimitChangedV1After{Unlimited: limit.Unlimited,
			BaseMinor: &limit.BaseMinor}
		if err := p.tx.PutLimit(p.ctx, limit); err != nil {
			return err
		}
	}
	if body.PolicyVersion, _, err = p.tx.Policy(p.ctx); err != nil &&
		!domain.HasCode(err, domain.NotFound) {
		return err
	}
	if p.affectedUsers, err = p.tx.UserIDsWithRole(p.ctx, limit.Role); err != nil {
		return err
	}
	p.emit(body)
	return nil
}

// checkLimitRaise refuses to raise a limit that applies to the actor.
func (p *permissionChange) checkLimitRaise(in PutLimit, before domain.Limit, known bool) error {
	if p.actor.System {
		return nil
	}
	actor, err := p.tx.User(p.ctx, p.actor.UserID)
	if err != nil || !actor.HasRole(in.Limit.Role) {
		return err
	}
	// Removing the limit of one document type may raise it too, because the limit for all types
	// applies then.
	lower := !in.Drop && known && !in.Limit.Unlimited &&
		(before.Unlimited || in.Limit.BaseMinor <= before.BaseMinor)
	if lower || in.Drop && in.Limit.DocumentType == "" {
		return nil
	}
	return domain.Errorf(domain.FourEyes, "You cannot raise a limit of your own role.").
		WithRemedy(askAnotherAdministrator)
}

// PutRole asks to define a custom role.
type PutRole struct {
	Once        Once
	Name        domain.Role
	Description string
}

var roleNamePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{1,39}$`)

// PutRole creates a role or changes its description. A role grants nothing by itself; policy rules
// and limits do.
func (svc *Service) PutRole(ctx context.Context, actor domain.Actor, in PutRole) error {
	if err := svc.inScope(ctx, actor, "putRole", domain.ActManagePeople); err != nil {
		return err
	}
	in.Description = strings.TrimSpace(in.Description)
	switch {
	case !roleNamePattern.MatchString(string(in.Name)):
		return domain.Invalid("name",
			"A role's name must have 2 to 40 lower-case letters, digits or _, and begin with a letter.")
	case domain.Longer(in.Description, maxReason):
		return domain.Invalid("description", "The description is longer than %d characters.",
			maxReason)
	}
	spec := permissionCommand{"putRole", domain.PolicyStream, domain.ActManagePeople, in.Once, in}
	_, err := runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (bool, error) {
		inserted, err := p.tx.PutRole(p.ctx, in.Name, in.Description)
		if err == nil {
			p.emit(generated.RoleDefinedV1{Role: string(in.Name), Description: in.Description})
		}
		return inserted, err
	})
	return err
}
