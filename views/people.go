package views

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/store"
)

// requirePeopleManager returns an error unless the actor may manage people.
func (v *Views) requirePeopleManager(ctx context.Context, actor domain.Actor) (viewer, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActManagePeople)
	if err != nil {
		return viewer, err
	}
	_, err = viewer.policy.AuthorizeGlobal(viewer.user, domain.ActManagePeople)
	return viewer, err
}

// requireSelf loads the actor for reads of their own account.
func (v *Views) requireSelf(ctx context.Context, actor domain.Actor) error {
	_, err := v.loadViewer(ctx, actor, domain.ScopeAccount)
	return err
}

// Tokens reads the actor's API tokens, newest first, including revoked and expired ones.
func (v *Views) Tokens(ctx context.Context, actor domain.Actor) ([]domain.APIToken, error) {
	if err := v.requireSelf(ctx, actor); err != nil {
		return nil, err
	}
	return v.reader.TokensOf(ctx, actor.UserID)
}

// OwnAccounts reads the bank accounts recorded as the actor's own.
func (v *Views) OwnAccounts(ctx context.Context, actor domain.Actor) ([]string, error) {
	if err := v.requireSelf(ctx, actor); err != nil {
		return nil, err
	}
	return v.reader.OwnAccounts(ctx, actor.UserID)
}

// OwnAbsences reads the actor's current and future absences.
func (v *Views) OwnAbsences(ctx context.Context, actor domain.Actor) ([]domain.Absence, error) {
	if err := v.requireSelf(ctx, actor); err != nil {
		return nil, err
	}
	return v.reader.Absences(ctx, []domain.ID{actor.UserID})
}

// Conflicts reads a page of the active conflicts of interest, for people administrators.
func (v *Views) Conflicts(ctx context.Context, actor domain.Actor, query ConflictQuery) (
	conflicts []domain.Conflict, more bool, err error) {
	if _, err := v.requirePeopleManager(ctx, actor); err != nil {
		return nil, false, err
	}
	size := pageSize(query.Limit)
	query.Limit = size + 1
	conflicts, err = v.reader.ConflictList(ctx, store.ConflictQuery(query))
	return conflicts[:min(len(conflicts), size)], len(conflicts) > size, err
}

// ConflictsOf reads the active conflicts of a person: the actor's own, or anyone's for people
// administrators. It returns nil for other actors.
func (v *Views) ConflictsOf(ctx context.Context, actor domain.Actor, person domain.ID) (
	[]domain.Conflict, error) {
	var err error
	// an anonymous actor must not read all conflicts
	if person == actor.UserID && person != domain.NoID {
		err = v.requireSelf(ctx, actor)
	} else {
		_, err = v.requirePeopleManager(ctx, actor)
	}
	if domain.HasCode(err, domain.NotPermitted) || domain.HasCode(err, domain.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	conflicts, err := v.reader.Conflicts(ctx, person)
	if conflicts == nil {
		conflicts = []domain.Conflict{}
	}
	return conflicts, err
}

// PartyGroupByKey reads the names of the group that a party belongs to, for people administrators.
func (v *Views) PartyGroupByKey(ctx context.Context, actor domain.Actor, key string) (
	[]string, error) {
	if _, err := v.requirePeopleManager(ctx, actor); err != nil {
		return nil, err
	}
	party, err := v.reader.PartyByKey(ctx, key)
	if domain.HasCode(err, domain.NotFound) {
		return []string{}, nil
	}
	if err != nil {
		return nil, err
	}
	return v.PartyGroupNames(ctx, party)
}

// PartyGroupNames reads the names of all parties that a conflict with the party covers.
func (v *Views) PartyGroupNames(ctx context.Context, party domain.ID) ([]string, error) {
	group, err := v.reader.PartyGroup(ctx, party)
	names := make([]string, 0, len(group))
	for _, member := range group {
		names = append(names, member.Name)
	}
	return names, err
}

// Delegators returns the users on whose behalf the viewer could claim or decide the review now.
func (q *AccessQuestion) Delegators() []domain.User {
	if q.reviewFacts == nil || AudienceOn(q.viewer.user, q.record) != domain.AudienceStaff {
		return nil
	}
	action := domain.ActClaim
	if q.reviewFacts.Status == domain.ReviewClaimed && q.reviewFacts.Assignee == q.viewer.user.ID {
		action = domain.ActDecide
	}
	var delegators []domain.User
	for _, delegator := range q.viewer.delegators {
		if _, err := q.viewer.policy.AuthorizeOnBehalfOf(q.viewer.user, delegator, action,
			*q.reviewFacts); err == nil {
			delegators = append(delegators, delegator)
		}
	}
	return delegators
}

// Delegations reads the current and future delegations by or to a person: the actor's own, or
// anyone's for people administrators. NoID reads those of everyone.
func (v *Views) Delegations(ctx context.Context, actor domain.Actor, person, after domain.ID,
	first int) (list []domain.Delegation, more bool, err error) {
	// an anonymous actor must not read all delegations
	if person != actor.UserID || person == domain.NoID {
		if _, err := v.requirePeopleManager(ctx, actor); err != nil {
			return nil, false, err
		}
	} else if err := v.requireSelf(ctx, actor); err != nil {
		return nil, false, err
	}
	size := pageSize(first)
	list, err = v.reader.Delegations(ctx, person, after, size+1)
	return list[:min(len(list), size)], len(list) > size, err
}

// Delegation reads a delegation by or to the actor, or any delegation for people administrators. It
// returns NotFound otherwise.
func (v *Views) Delegation(ctx context.Context, actor domain.Actor, id domain.ID) (
	domain.Delegation, error) {
	if err := actor.RequireScope(domain.ScopeAccount, domain.ActManagePeople); err != nil {
		return domain.Delegation{}, err
	}
	found, err := v.reader.Delegation(ctx, id)
	if err != nil || found.Delegator == actor.UserID || found.Delegate == actor.UserID {
		return found, err
	}
	if _, err := v.requirePeopleManager(ctx, actor); err != nil {
		return domain.Delegation{}, domain.Errorf(domain.NotFound,
			"Delegation not found, or you do not have access.")
	}
	return found, nil
}

// Absences reads everyone's current and future absences, for managers and people administrators.
func (v *Views) Absences(ctx context.Context, actor domain.Actor) ([]domain.Absence, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActManagePeople); err != nil &&
		!viewer.user.HasRole(domain.RoleManager) {
		return nil, err
	}
	return v.reader.Absences(ctx, nil)
}

// Colleagues reads the active reviewers other than the actor, by name, for reviewers, managers and
// people administrators. Callers must show only the names.
func (v *Views) Colleagues(ctx context.Context, actor domain.Actor) ([]domain.User, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActManagePeople); err != nil &&
		!viewer.user.HasRole(domain.RoleManager) && !viewer.user.CanDecide() {
		return nil, domain.Errorf(domain.NotPermitted,
			"Only reviewers, managers and administrators can see the list of reviewers.")
	}
	users, err := v.reader.Users(ctx, nil)
	users = slices.DeleteFunc(users, func(u domain.User) bool {
		return u.ID == actor.UserID || u.Disabled || !u.CanDecide()
	})
	slices.SortFunc(users, func(a, b domain.User) int { return strings.Compare(a.Name, b.Name) })
	return users, err
}

// MaySeePerson reports whether the actor may resolve a user id to a name: their own, that of
// another reviewer if they are a reviewer, and any if they may see the list of people.
func (v *Views) MaySeePerson(ctx context.Context, actor domain.Actor, id domain.ID) (bool, error) {
	if actor.UserID == domain.NoID {
		return false, nil
	}
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil || actor.UserID == id || viewer.maySeePeople() {
		return err == nil, err
	}
	users, err := v.reader.Users(ctx, []domain.ID{id})
	return len(users) == 1 && viewer.user.SeesColleague(&users[0]), err
}
