package casework

import (
	"context"
	"encoding/json"
	"slices"

	"countersign/domain"
	"countersign/store"
)

// PersonDocument is a person as a proposal contains them, as JSON.
type PersonDocument struct {
	Email    string        `json:"email"`
	Name     string        `json:"name"`
	Roles    []domain.Role `json:"roles"`
	Queues   []string      `json:"queues"`
	Disabled bool          `json:"disabled"`
	Locale   string        `json:"locale"`
	// EmployeeID is the id by which the person signs in through a provider.
	EmployeeID string `json:"employeeId,omitempty"`
}

func personDocument(user domain.User) (string, error) {
	return jsonDocument(PersonDocument{Email: user.Email, Name: user.Name,
		Roles:    append([]domain.Role{}, slices.Sorted(slices.Values(user.Roles))...),
		Queues:   append([]string{}, slices.Sorted(slices.Values(user.Queues))...),
		Disabled: user.Disabled, Locale: user.Locale, EmployeeID: user.EmployeeID})
}

// lowered returns the part of a change that one administrator may make: it takes roles, queues and
// access away, and changes the name and the language.
func lowered(before, wanted domain.User) domain.User {
	lower := wanted
	lower.Email, lower.Disabled = before.Email, before.Disabled || wanted.Disabled
	if wanted.EmployeeID != "" {
		lower.EmployeeID = before.EmployeeID
	}
	lower.Roles = intersection(before.Roles, wanted.Roles)
	lower.Queues = intersection(before.Queues, wanted.Queues)
	return lower
}

func intersection[T comparable](before, wanted []T) []T {
	common := []T{}
	for _, value := range wanted {
		if slices.Contains(before, value) {
			common = append(common, value)
		}
	}
	return common
}

// raises reports whether the change gives a person more than the lowered one.
func raises(lower, wanted domain.User) bool {
	return lower.Email != wanted.Email || lower.Disabled != wanted.Disabled ||
		lower.EmployeeID != wanted.EmployeeID ||
		len(lower.Roles) != len(wanted.Roles) || len(lower.Queues) != len(wanted.Queues)
}

// proposePerson proposes an account, or what raises an existing one.
func (p *permissionChange) proposePerson(present, wanted domain.User) (ControlResult, error) {
	change := domain.ControlDocument{Name: wanted.Name, Person: wanted.ID}
	var err error
	if change.After, err = personDocument(wanted); err != nil {
		return ControlResult{}, err
	}
	if present.ID != domain.NoID {
		if change.Before, err = personDocument(present); err != nil {
			return ControlResult{}, err
		}
	}
	return p.proposeControl(domain.ControlPerson, wanted.ID.String(), "", change)
}

// applyPerson writes a confirmed account. A new account, and one with another e-mail address, gets a
// link by which the person chooses a password.
func (p *permissionChange) applyPerson(proposal domain.Proposal, change domain.ControlDocument) error {
	var document PersonDocument
	if err := json.Unmarshal([]byte(change.After), &document); err != nil {
		return domain.Errorf(domain.Internal, "The proposed person cannot be read.").WithCause(err)
	}
	id, err := domain.ParseID(proposal.Key)
	if err != nil {
		return domain.Errorf(domain.Internal, "The proposed person cannot be read.").WithCause(err)
	}
	before, err := p.tx.User(p.ctx, id)
	created := domain.HasCode(err, domain.NotFound)
	if err != nil && !created {
		return err
	}
	user := domain.User{ID: id, Email: document.Email, Name: document.Name, Roles: document.Roles,
		Queues: document.Queues, Disabled: document.Disabled, Locale: document.Locale,
		EmployeeID: document.EmployeeID}
	if err := p.checkUserChange(before, user); err != nil {
		return err
	}
	if err := p.writeUser(before, user, "", created); err != nil {
		return err
	}
	switch {
	case created || before.Email != user.Email:
		return p.renewSignIn(proposal, id)
	case before.EmployeeID != user.EmployeeID: // another way to sign in
		return p.tx.VouchForUser(p.ctx, id, proposal.ProposedBy, p.actor.UserID)
	}
	return nil
}

// requireIndependent refuses to confirm if the two accounts belong to one person, one of the two made
// or reset the account of the other, or one account was linked to a provider or got a passkey through
// it less than a day ago.
func requireIndependent(ctx context.Context, r store.Reader, proposer, confirmer domain.ID) error {
	same, err := r.SamePerson(ctx, proposer, confirmer)
	if err != nil || same {
		return firstError(err, domain.Errorf(domain.FourEyes,
			"The proposal is by another account of yours.").WithRemedy(askAnotherAdministrator))
	}
	linked, err := r.RecentlyLinked(ctx, independencePeriod, proposer, confirmer)
	if err != nil || linked {
		return firstError(err, recentlyLinked())
	}
	dependent, err := r.DependentUsers(ctx, proposer, confirmer, independencePeriod)
	if err != nil || !dependent {
		return err
	}
	return domain.Errorf(domain.FourEyes,
		"One of you made or reset the account of the other, so you cannot confirm for each other yet.").
		WithRemedy("Ask another administrator, or wait until 24 hours after that person has chosen their own password.")
}
