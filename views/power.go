package views

import (
	"context"

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
	if person != actor.UserID {
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
