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
	// EmployeeID is the id by which the person signs in through a provider: nil keeps it, "" removes
	// it.
	EmployeeID *string
	// UpdateOnly refuses to create a user.
	UpdateOnly bool
	// ExpectedVersion is the version that the caller last read (PersonVersion); "" skips the check.
	ExpectedVersion string
}

// PersonVersion returns the opaque version of a user.
func PersonVersion(user domain.User) string { return strconv.FormatInt(user.Version, 10) }

// PersonResult is the outcome of PutPerson.
type PersonResult struct {
	ID domain.ID
	// ProposalID is what another administrator must confirm, NoID if nothing waits.
	ProposalID domain.ID
}

// PutUser is PutPerson for callers that need only the id.
func (svc *Service) PutUser(
	ctx context.Context, actor domain.Actor, in PutUser,
) (domain.ID, error) {
	result, err := svc.PutPerson(ctx, actor, in)
	return result.ID, err
}

// PutPerson creates or changes a user with roles and queues. What takes rights away takes effect
// immediately; an account, a role, a queue, access or an e-mail address that is added waits for another
// administrator. The operator's command line, as the system, changes everything immediately. Setting
// a password or disabling the account ends all sessions of the user. Users cannot change their own
// roles, queues or access, and at least one user must remain who may manage people.
func (svc *Service) PutPerson(
	ctx context.Context, actor domain.Actor, in PutUser,
) (PersonResult, error) {
	if err := svc.inScope(ctx, actor, "putUser", domain.ActManagePeople); err != nil {
		return PersonResult{}, err
	}
	user, err := normalizedUser(in.User)
	if err != nil {
		return PersonResult{}, err
	}
	if in.EmployeeID != nil {
		id := domain.NormalEmployeeID(*in.EmployeeID)
		if err := domain.CheckEmployeeID(id); err != nil {
			return PersonResult{}, err
		}
		in.EmployeeID = &id
	}
	if in.PasswordHash != "" && !actor.System {
		return PersonResult{}, domain.Invalid("password",
			"Only a person sets their own password.").
			WithRemedy("A new person gets a link to choose one. Reset the sign-in of an existing one. " +
				"Change your own on the page of your account.")
	}
	in.User = user
	// Password hashes are salted, so requests that differ only in the hash are the same request.
	request := []any{in.User, in.PasswordHash != "", in.UpdateOnly, in.ExpectedVersion}
	if in.EmployeeID != nil {
		request = append(request, *in.EmployeeID)
	}
	spec := permissionCommand{"putUser", domain.PeopleStream, domain.ActManagePeople,
		in.Once, request}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (PersonResult, error) { return p.putUser(in) })
}

// normalizedUser trims the address and the name, and refuses invalid ones.
func normalizedUser(user domain.User) (domain.User, error) {
	user.Email, user.Name = strings.ToLower(strings.TrimSpace(user.Email)),
		strings.TrimSpace(user.Name)
	if _, err := mail.ParseAddress(user.Email); err != nil {
		return user, domain.Invalid("email", "%q is not an e-mail address.", user.Email)
	}
	if user.Name == "" || domain.Longer(user.Name, 300) {
		return user, domain.Invalid("name", "Enter a name (1 to 300 characters).")
	}
	return user, nil
}

func (p *permissionChange) putUser(in PutUser) (PersonResult, error) {
	user := in.User
	before, err := p.tx.User(p.ctx, user.ID)
	created := !in.UpdateOnly && (user.ID == domain.NoID || domain.HasCode(err, domain.NotFound))
	result := PersonResult{ID: user.ID}
	if err != nil && !created {
		return result, err
	}
	if user.ID == domain.NoID {
		user.ID = domain.NewID()
		result.ID = user.ID
	}
	if user.Locale == "" {
		user.Locale = before.Locale
	}
	user.EmployeeID = before.EmployeeID
	if in.EmployeeID != nil {
		user.EmployeeID = *in.EmployeeID
	}
	if !created {
		if err := checkExpectedVersion(in.ExpectedVersion, PersonVersion(before)); err != nil {
			return result, err
		}
	}
	if err := p.checkUserChange(before, user); err != nil {
		return result, err
	}
	if p.actor.System {
		return result, p.writeUser(before, user, in.PasswordHash, created)
	}
	return p.putUserByTwo(result, before, user, in.PasswordHash, created)
}

// putUserByTwo makes the part of a change that takes rights away, and proposes the rest.
func (p *permissionChange) putUserByTwo(result PersonResult, before, wanted domain.User,
	passwordHash string, created bool) (PersonResult, error) {
	present := domain.User{}
	if !created {
		lower := lowered(before, wanted)
		if err := p.writeUser(before, lower, passwordHash, false); err != nil {
			return result, err
		}
		if !raises(lower, wanted) {
			return result, nil
		}
		present = lower
	} else if _, _, err := p.tx.UserByEmail(p.ctx, wanted.Email); !domain.HasCode(err, domain.NotFound) {
		return result, firstError(err, domain.Invalid("email", "%s already has an account.", wanted.Email))
	}
	proposed, err := p.proposePerson(present, wanted)
	result.ProposalID = proposed.ProposalID
	return result, err
}

// writeUser writes the user with the event.
func (p *permissionChange) writeUser(before, user domain.User, passwordHash string, created bool) error {
	if err := p.tx.PutUser(p.ctx, user, passwordHash); err != nil {
		return err
	}
	if err := p.employeeIDChanged(before, user); err != nil {
		return err
	}
	// Sessions opened with the old password, or by an account that is now disabled, end here. The
	// session in which a person changes their own password stays.
	if passwordHash != "" || user.Disabled {
		own := domain.NoID
		if p.actor.UserID == user.ID && !user.Disabled {
			own = p.actor.SessionID
		}
		if err := p.tx.EndOtherSessions(p.ctx, user.ID, own); err != nil {
			return err
		}
	}
	if !created {
		p.affectedUsers = append(p.affectedUsers, user.ID)
	}
	after, err := p.tx.User(p.ctx, user.ID)
	if err != nil {
		return err
	}
	if body := userEvent(p.actor, created, passwordHash != "", before, after); body != nil {
		p.emit(body)
	}
	return p.checkManagerRemains()
}

// personBase is the version of an account on which a proposal is based, 0 for one that does not
// exist.
func personBase(ctx context.Context, r store.Reader, key string) (int, error) {
	id, err := domain.ParseID(key)
	if err != nil {
		return 0, domain.Errorf(domain.Internal, "The person of the proposal cannot be read.").WithCause(err)
	}
	user, err := r.User(ctx, id)
	if domain.HasCode(err, domain.NotFound) {
		return 0, nil
	}
	return int(user.Version), err
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
	own, err := p.isActor(after.ID)
	if err != nil || p.actor.System || !own {
		return err
	}
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	if !slices.Equal(sorted(roleNames(before.Roles)), sorted(roleNames(after.Roles))) ||
		!slices.Equal(sorted(before.Queues), sorted(after.Queues)) ||
		before.Disabled != after.Disabled || before.EmployeeID != after.EmployeeID {
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

// PutRole asks to define a custom role.
type PutRole struct {
	Once        Once
	Name        domain.Role
	Description string
	// ExpectedDescription is the description that the sender read; nil for a role that does not exist.
	ExpectedDescription *string
}

var roleNamePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{1,39}$`)

// PutRole creates a role or changes the description that the sender read. A role grants nothing by itself; policy rules
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
		if err := p.checkRoleDescription(in); err != nil {
			return false, err
		}
		inserted, err := p.tx.PutRole(p.ctx, in.Name, in.Description)
		if err == nil {
			p.emit(generated.RoleDefinedV1{Role: string(in.Name), Description: in.Description})
		}
		return inserted, err
	})
	return err
}

// checkRoleDescription refuses to replace a description that the sender has not read, because another person
// has made a role of this name.
func (p *permissionChange) checkRoleDescription(in PutRole) error {
	present, err := p.tx.RoleDescription(p.ctx, in.Name)
	if domain.HasCode(err, domain.NotFound) {
		return nil
	}
	if err != nil || present == in.Description || in.ExpectedDescription != nil &&
		*in.ExpectedDescription == present {
		return err
	}
	return domain.Errorf(domain.StaleVersion, "The role %s exists, with the description %q.", in.Name, present).
		WithRemedy("Choose another name, or send your description again to replace it.").
		WithDetail("reason", "role_exists").WithDetail("role", string(in.Name)).WithDetail("present", present)
}
