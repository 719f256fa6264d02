package views

import (
	"context"
	"strings"

	"countersign/domain"
)

// Calendars reads the working calendars after the name, for whoever is signed in; more tells that there are others.
func (v *Views) Calendars(ctx context.Context, actor domain.Actor, after string, first int) (page []*domain.Calendar, more bool, err error) {
	if _, err := v.look(ctx, actor); err != nil {
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

// Calendar reads the calendar of the name; NotFound if there is none.
func (v *Views) Calendar(ctx context.Context, actor domain.Actor, name string) (*domain.Calendar, error) {
	if _, err := v.look(ctx, actor); err != nil {
		return nil, err
	}
	calendar, err := v.calendar(ctx, name)
	if err == nil && calendar == nil {
		err = domain.Fail(domain.NotFound, "There is no calendar %q.", name)
	}
	return calendar, err
}

// calendar reads the calendar of the name; nil if there is none.
func (v *Views) calendar(ctx context.Context, name string) (*domain.Calendar, error) {
	all, err := v.reader.Calendars(ctx)
	for _, calendar := range all {
		if calendar.Name == name {
			return calendar, nil
		}
	}
	return nil, err
}
