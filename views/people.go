package views

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/store"
)

// requirePeopleManager refuses everyone who does not manage people.
func (v *Views) requirePeopleManager(ctx context.Context, actor domain.Actor) (viewer, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActManagePeople)
	if err != nil {
		return viewer, err
	}
	_, err = viewer.policy.AuthorizeGlobal(viewer.user, domain.ActManagePeople)
	return viewer, err
}

// themselves looks for a reading of what concerns the person alone.
func (v *Views) themselves(ctx context.Context, actor domain.Actor) error {
	_, err := v.loadViewer(ctx, actor, domain.ScopeAccount)
	return err
}

// Tokens reads the person's own API tokens, newest first, revoked and expired ones too.
func (v *Views) Tokens(ctx context.Context, actor domain.Actor) ([]domain.APIToken, error) {
	if err := v.themselves(ctx, actor); err != nil {
		return nil, err
	}
	return v.reader.TokensOf(ctx, actor.UserID)
}

// OwnAccounts reads the bank accounts that are on record as the person's own.
func (v *Views) OwnAccounts(ctx context.Context, actor domain.Actor) ([]string, error) {
	if err := v.themselves(ctx, actor); err != nil {
		return nil, err
	}
	return v.reader.OwnAccounts(ctx, actor.UserID)
}

// OwnAbsences reads when the person is or will be away.
func (v *Views) OwnAbsences(ctx context.Context, actor domain.Actor) ([]domain.Absence, error) {
	if err := v.themselves(ctx, actor); err != nil {
		return nil, err
	}
	return v.reader.Absences(ctx, []domain.ID{actor.UserID})
}

// Conflicts reads a page of the conflicts in force, for those who manage people.
func (v *Views) Conflicts(ctx context.Context, actor domain.Actor, query store.ConflictQuery) (conflicts []domain.Conflict, more bool, err error) {
	if _, err := v.requirePeopleManager(ctx, actor); err != nil {
		return nil, false, err
	}
	size := pageSize(query.Limit)
	query.Limit = size + 1
	conflicts, err = v.reader.ConflictList(ctx, query)
	return conflicts[:min(len(conflicts), size)], len(conflicts) > size, err
}

// ConflictsOf reads a person's conflicts in force: one's own, or anybody's for those who manage people; nil for others.
func (v *Views) ConflictsOf(ctx context.Context, actor domain.Actor, person domain.ID) ([]domain.Conflict, error) {
	var err error
	if person == actor.UserID && person != domain.NoID { // nobody has none of their own, and asks for everyone's
		err = v.themselves(ctx, actor)
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

// PartyGroupByKey reads the names of the group that a party belongs to, for those who manage people.
func (v *Views) PartyGroupByKey(ctx context.Context, actor domain.Actor, key string) ([]string, error) {
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

// PartyGroupNames reads the names that a conflict with the party bars from.
func (v *Views) PartyGroupNames(ctx context.Context, party domain.ID) ([]string, error) {
	group, err := v.reader.PartyGroup(ctx, party)
	names := make([]string, 0, len(group))
	for _, member := range group {
		names = append(names, member.Name)
	}
	return names, err
}

// Delegators reads on whose behalf the person could take up or decide the review now.
func (q *AccessQuestion) Delegators() []domain.User {
	if q.reviewFacts == nil || AudienceOn(q.viewer.user, q.record) != domain.AudienceStaff {
		return nil
	}
	action := domain.ActClaim
	if q.reviewFacts.Status == domain.ReviewClaimed && q.reviewFacts.Assignee == q.viewer.user.ID {
		action = domain.ActDecide
	}
	var names []domain.User
	for _, giver := range q.viewer.delegators {
		if _, err := q.viewer.policy.AuthorizeOnBehalfOf(q.viewer.user, giver, action, *q.reviewFacts); err == nil {
			names = append(names, giver)
		}
	}
	return names
}

// Delegations reads what is lent by or to a person and not over: one's own, or for those who manage people anybody's;
// NoID reads everyone's.
func (v *Views) Delegations(ctx context.Context, actor domain.Actor, person, after domain.ID, first int) (list []domain.Delegation, more bool, err error) {
	if person != actor.UserID || person == domain.NoID { // nobody has none of their own, and asks for everyone's
		if _, err := v.requirePeopleManager(ctx, actor); err != nil {
			return nil, false, err
		}
	} else if err := v.themselves(ctx, actor); err != nil {
		return nil, false, err
	}
	size := pageSize(first)
	list, err = v.reader.Delegations(ctx, person, after, size+1)
	return list[:min(len(list), size)], len(list) > size, err
}

// Delegation reads one that concerns the person, or any for those who manage people; NotFound otherwise.
func (v *Views) Delegation(ctx context.Context, actor domain.Actor, id domain.ID) (domain.Delegation, error) {
	if err := actor.RequireScope(domain.ScopeAccount, domain.ActManagePeople); err != nil {
		return domain.Delegation{}, err
	}
	found, err := v.reader.Delegation(ctx, id)
	if err != nil || found.Giver == actor.UserID || found.Taker == actor.UserID {
		return found, err
	}
	if _, err := v.requirePeopleManager(ctx, actor); err != nil {
		return domain.Delegation{}, domain.Errorf(domain.NotFound, "There is no such delegation in force, or it is not yours.")
	}
	return found, nil
}

// Absences reads who is or will be away: everyone's, for those who give work to people or manage them.
func (v *Views) Absences(ctx context.Context, actor domain.Actor) ([]domain.Absence, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActManagePeople); err != nil && !viewer.user.HasRole(domain.RoleManager) {
		return nil, err
	}
	return v.reader.Absences(ctx, nil)
}

// Colleagues reads who decides on documents and can come in, the person who asks left out, by name: for those who decide
// themselves, give work to people or manage them. Only the names are meant to be told.
func (v *Views) Colleagues(ctx context.Context, actor domain.Actor) ([]domain.User, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActManagePeople); err != nil && !viewer.user.HasRole(domain.RoleManager) && !viewer.user.CanDecide() {
		return nil, domain.Errorf(domain.NotPermitted, "Only who decides on documents sees who else does.")
	}
	users, err := v.reader.Users(ctx, nil)
	users = slices.DeleteFunc(users, func(u domain.User) bool { return u.ID == actor.UserID || u.Disabled || !u.CanDecide() })
	slices.SortFunc(users, func(a, b domain.User) int { return strings.Compare(a.Name, b.Name) })
	return users, err
}

// MaySeePerson reports whether the name behind an id is told to who asks for it out of the blue: one's own, to who decides on
// documents a colleague's, to who sees the list of people anybody's.
func (v *Views) MaySeePerson(ctx context.Context, actor domain.Actor, id domain.ID) (bool, error) {
	if actor.UserID == domain.NoID {
		return false, nil
	}
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil || actor.UserID == id || viewer.maySeePeople() {
		return err == nil, err
	}
	users, err := v.reader.Users(ctx, []domain.ID{id})
	return viewer.user.CanDecide() && len(users) == 1 && !users[0].Disabled && users[0].CanDecide(), err
}
