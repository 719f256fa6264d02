package views

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/store"
)

// manages refuses everyone who does not manage people.
func (v *Views) manages(ctx context.Context, actor domain.Actor) (eyes, error) {
	see, err := v.look(ctx, actor)
	if err != nil {
		return see, err
	}
	_, err = see.judge.AuthorizePlain(see.user, domain.ActManagePeople)
	return see, err
}

// Conflicts reads a page of the conflicts in force, for those who manage people.
func (v *Views) Conflicts(ctx context.Context, actor domain.Actor, query store.ConflictQuery) (conflicts []domain.Conflict, more bool, err error) {
	if _, err := v.manages(ctx, actor); err != nil {
		return nil, false, err
	}
	size := pageSize(query.Limit)
	query.Limit = size + 1
	conflicts, err = v.reader.ConflictList(ctx, query)
	return conflicts[:min(len(conflicts), size)], len(conflicts) > size, err
}

// ConflictsOf reads a person's conflicts in force: one's own, or anybody's for those who manage people; nil for others.
func (v *Views) ConflictsOf(ctx context.Context, actor domain.Actor, person domain.ID) ([]domain.Conflict, error) {
	if person != actor.UserID || person == domain.NoID { // nobody has none of their own, and asks for everyone's
		_, err := v.manages(ctx, actor)
		if domain.HasCode(err, domain.NotPermitted) || domain.HasCode(err, domain.NotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	conflicts, err := v.reader.Conflicts(ctx, person)
	if conflicts == nil {
		conflicts = []domain.Conflict{}
	}
	return conflicts, err
}

// Group reads the names of the group that a party belongs to, for those who manage people.
func (v *Views) Group(ctx context.Context, actor domain.Actor, key string) ([]string, error) {
	if _, err := v.manages(ctx, actor); err != nil {
		return nil, err
	}
	party, err := v.reader.PartyByKey(ctx, key)
	if domain.HasCode(err, domain.NotFound) {
		return []string{}, nil
	}
	if err != nil {
		return nil, err
	}
	return v.Reach(ctx, party)
}

// Reach reads the names that a conflict with the party bars from.
func (v *Views) Reach(ctx context.Context, party domain.ID) ([]string, error) {
	group, err := v.reader.GroupOf(ctx, party)
	names := make([]string, 0, len(group))
	for _, member := range group {
		names = append(names, member.Name)
	}
	return names, err
}

// StandIn reads in whose names the person could take up or decide the review now.
func (q *Inquiry) StandIn() []domain.User {
	if q.onReview == nil || AudienceOn(q.see.user, q.kase) != domain.AudienceStaff {
		return nil
	}
	action := domain.ActClaim
	if q.onReview.Status == domain.ReviewClaimed && q.onReview.Assignee == q.see.user.ID {
		action = domain.ActDecide
	}
	var names []domain.User
	for _, giver := range q.see.lent {
		if _, err := q.see.judge.AuthorizeFor(q.see.user, giver, action, *q.onReview); err == nil {
			names = append(names, giver)
		}
	}
	return names
}

// Delegations reads what is lent by or to a person and not over: one's own, or for those who manage people anybody's;
// NoID reads everyone's.
func (v *Views) Delegations(ctx context.Context, actor domain.Actor, person, after domain.ID, first int) (list []domain.Delegation, more bool, err error) {
	if person != actor.UserID || person == domain.NoID { // nobody has none of their own, and asks for everyone's
		if _, err := v.manages(ctx, actor); err != nil {
			return nil, false, err
		}
	}
	size := pageSize(first)
	list, err = v.reader.Delegations(ctx, person, after, size+1)
	return list[:min(len(list), size)], len(list) > size, err
}

// Delegation reads one that concerns the person, or any for those who manage people; NotFound otherwise.
func (v *Views) Delegation(ctx context.Context, actor domain.Actor, id domain.ID) (domain.Delegation, error) {
	found, err := v.reader.Delegation(ctx, id)
	if err != nil || found.Giver == actor.UserID || found.Taker == actor.UserID {
		return found, err
	}
	if _, err := v.manages(ctx, actor); err != nil {
		return domain.Delegation{}, domain.Fail(domain.NotFound, "There is no such delegation in force, or it is not yours.")
	}
	return found, nil
}

// Absences reads who is or will be away: everyone's, for those who give work to people or manage them.
func (v *Views) Absences(ctx context.Context, actor domain.Actor) ([]domain.Absence, error) {
	see, err := v.manages(ctx, actor)
	if err != nil && !see.user.Has(domain.RoleManager) {
		return nil, err
	}
	return v.reader.Absences(ctx, nil)
}

// Colleagues reads who decides on documents and can come in, the person who asks left out, by name: for those who decide
// themselves, give work to people or manage them. Only the names are meant to be told.
func (v *Views) Colleagues(ctx context.Context, actor domain.Actor) ([]domain.User, error) {
	see, err := v.manages(ctx, actor)
	if err != nil && !see.user.Has(domain.RoleManager) && !see.user.Decides() {
		return nil, domain.Fail(domain.NotPermitted, "Only who decides on documents sees who else does.")
	}
	users, err := v.reader.Users(ctx, nil)
	users = slices.DeleteFunc(users, func(u domain.User) bool { return u.ID == actor.UserID || u.Disabled || !u.Decides() })
	slices.SortFunc(users, func(a, b domain.User) int { return strings.Compare(a.Name, b.Name) })
	return users, err
}

// SeesPerson reports whether the name behind an id is told to who asks for it out of the blue: one's own, to who decides on
// documents a colleague's, to who sees the list of people anybody's.
func (v *Views) SeesPerson(ctx context.Context, actor domain.Actor, id domain.ID) (bool, error) {
	if actor.UserID == domain.NoID || actor.UserID == id {
		return actor.UserID != domain.NoID, nil
	}
	see, err := v.look(ctx, actor)
	if err != nil || see.seesPeople() {
		return err == nil, err
	}
	users, err := v.reader.Users(ctx, []domain.ID{id})
	return see.user.Decides() && len(users) == 1 && !users[0].Disabled && users[0].Decides(), err
}
