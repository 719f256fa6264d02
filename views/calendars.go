package views

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
)

// Calendars reads a page of the working calendars after the name, for any signed-in user. more
// reports whether there are further calendars.
func (v *Views) Calendars(ctx context.Context, actor domain.Actor, after string, first int) (
	page []*domain.Calendar, more bool, err error) {
	if _, err := v.loadViewer(ctx, actor); err != nil {
		return nil, false, err
	}
	all, err := v.reader.Calendars(ctx)
	for _, calendar := range all {
		if strings.Compare(calendar.Name, after) <= 0 {
			continue
		}
		if len(page) == pageSize(first) {
			return page, true, err
		}
		page = append(page, calendar)
	}
	return page, false, err
}

// Calendar reads the calendar with the given name. It returns NotFound if there is none.
func (v *Views) Calendar(ctx context.Context, actor domain.Actor, name string) (
	*domain.Calendar, error) {
	if _, err := v.loadViewer(ctx, actor, domain.ActRead, domain.ActReassign); err != nil {
		return nil, err
	}
	calendar, err := v.calendar(ctx, name)
	if err == nil && calendar == nil {
		err = domain.Errorf(domain.NotFound, "Calendar %q does not exist.", name)
	}
	return calendar, err
}

// calendar reads the calendar with the given name; it returns nil if there is none.
func (v *Views) calendar(ctx context.Context, name string) (*domain.Calendar, error) {
	all, err := v.reader.Calendars(ctx)
	for _, calendar := range all {
		if calendar.Name == name {
			return calendar, nil
		}
	}
	return nil, err
}

// QueueRules reads the rules of all queues by name: those with a stored rule and those that users
// are assigned to. Only managers and people administrators may read them.
func (v *Views) QueueRules(ctx context.Context, actor domain.Actor) ([]domain.QueueRule, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActManagePeople); err != nil &&
		!viewer.user.HasRole(domain.RoleManager) {
		return nil, err
	}
	rules, err := v.reader.Queues(ctx)
	if err != nil {
		return nil, err
	}
	users, err := v.reader.Users(ctx, nil)
	names := []string{}
	for _, rule := range rules {
		names = append(names, rule.MoveToQueue)
	}
	for _, user := range users {
		names = append(names, user.Queues...)
	}
	for _, name := range names {
		if name != "" && !slices.ContainsFunc(rules,
			func(q domain.QueueRule) bool { return q.Name == name }) {
			rules = append(rules, domain.QueueRule{Name: name, Strategy: domain.StrategyPull})
		}
	}
	slices.SortFunc(rules, func(a, b domain.QueueRule) int {
		return strings.Compare(a.Name, b.Name)
	})
	return rules, err
}
