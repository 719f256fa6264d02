package casework

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"countersign/authz"
	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
)

// SetQueue asks to change the rule of a queue. ExpectedVersion is the version that the caller last
// read; "" skips the check.
type SetQueue struct {
	Once            Once
	Rule            domain.QueueRule
	ExpectedVersion string
}

// SetQueue sets how a queue assigns its reviews and counts their time. It is permitted to managers
// and administrators. Existing deadlines are not recomputed; the new rule applies to later ones.
func (svc *Service) SetQueue(
	ctx context.Context, actor domain.Actor, in SetQueue,
) (domain.QueueRule, error) {
	if err := svc.inScope(ctx, actor, "setQueue", domain.ActReassign); err != nil {
		return domain.QueueRule{}, err
	}
	rule := in.Rule
	if err := checkQueue(rule); err != nil {
		return rule, err
	}
	return runDispatchChange(ctx, svc, actor, "setQueue", in.Once, in,
		func(tx *store.Tx) (domain.QueueRule, []events.Body, error) {
			rules, err := loadQueueConfig(ctx, tx.Reader)
			if err != nil {
				return rule, nil, err
			}
			before, known := rules.rules[rule.Name]
			if err := checkExpectedVersion(in.ExpectedVersion,
				strconv.FormatInt(before.Version, 10)); err != nil {
				return rule, nil, err
			}
			if _, ok := rules.calendars[rule.Calendar]; rule.Calendar != "" && !ok {
				return rule, nil, domain.Invalid("calendar", "Unknown calendar %q.", rule.Calendar)
			}
			if rule.Version = before.Version; rule == before && known {
				return rule, nil, nil
			}
			after, err := tx.PutQueue(ctx, rule)
			if err != nil {
				return rule, nil, err
			}
			body := generated.QueueChangedV1{Queue: after.Name, QueueVersion: after.Version,
				After: generated.QueueChangedV1After(queueRuleEvent(after))}
			if known {
				previous := generated.QueueChangedV1Before(queueRuleEvent(before))
				body.Before = &previous
			}
			return after, []events.Body{body}, nil
		})
}

// queueRuleBody is the form of a rule in events, whose contract keeps the names handAfter and
// handTo.
type queueRuleBody generated.QueueChangedV1After

func queueRuleEvent(rule domain.QueueRule) queueRuleBody {
	moveAfter := int64(rule.MoveAfterMissedClaims)
	return queueRuleBody{Strategy: string(rule.Strategy), Cap: int64(rule.Cap),
		Calendar: rule.Calendar, HandAfter: &moveAfter, HandTo: rule.MoveToQueue}
}

func checkQueue(rule domain.QueueRule) error {
	switch {
	case strings.TrimSpace(rule.Name) == "" || domain.Longer(rule.Name, 100):
		return domain.Invalid("queue", "Enter the name of the queue (up to 100 characters).")
	case !slices.Contains(domain.Strategies(), rule.Strategy):
		return domain.Invalid("strategy", "Unknown strategy %q.", rule.Strategy)
	case rule.Cap < 0 || rule.Cap > 100_000:
		return domain.Invalid("cap", "The cap must be between 0 (none) and 100,000.")
	case rule.MoveAfterMissedClaims < 0 || rule.MoveAfterMissedClaims > 100,
		(rule.MoveAfterMissedClaims > 0) != (rule.MoveToQueue != ""):
		return domain.Invalid("moveAfterMissedClaims",
			"Set both the number of missed deadlines (up to 100) and the queue that reviews move to, or neither.")
	case rule.MoveToQueue == rule.Name:
		return domain.Invalid("moveToQueue", "Choose another queue for reviews to move to.")
	}
	return nil
}

// SetCalendar asks to create or change a working calendar.
type SetCalendar struct {
	Once            Once
	Name, Zone      string
	Hours           [7][]domain.TimeRange
	Holidays        []string
	ExpectedVersion string
}

// SetCalendar creates or changes a working calendar. It is permitted to managers and
// administrators. Existing deadlines are not recomputed.
func (svc *Service) SetCalendar(
	ctx context.Context, actor domain.Actor, in SetCalendar,
) (string, error) {
	if err := svc.inScope(ctx, actor, "setCalendar", domain.ActReassign); err != nil {
		return "", err
	}
	calendar, err := domain.NewCalendar(strings.TrimSpace(in.Name), in.Zone, in.Hours, in.Holidays)
	if err != nil {
		return "", err
	}
	return runDispatchChange(ctx, svc, actor, "setCalendar", in.Once, in,
		func(tx *store.Tx) (string, []events.Body, error) {
			known, err := loadQueueConfig(ctx, tx.Reader)
			if err != nil {
				return "", nil, err
			}
			version := int64(0)
			if before, ok := known.calendars[calendar.Name]; ok {
				version = before.Version
			}
			if err := checkExpectedVersion(in.ExpectedVersion,
				strconv.FormatInt(version, 10)); err != nil {
				return "", nil, err
			}
			if version, err = tx.PutCalendar(ctx, calendar); err != nil {
				return "", nil, err
			}
			minutes := 0
			for _, spans := range calendar.Hours {
				for _, span := range spans {
					minutes += span.To - span.From
				}
			}
			return calendar.Name,
				[]events.Body{generated.CalendarChangedV1{Calendar: calendar.Name,
					Zone: calendar.Zone, WeekMinutes: int64(minutes),
					Holidays: int64(len(calendar.Holidays)), CalendarVersion: version}}, nil
		})
}

// SetSkills asks to set the skills of a person, by which queues assign reviews: document types,
// languages, or any other skill that definitions require.
type SetSkills struct {
	Once   Once
	Person domain.ID
	Skills []string
}

// maxSkills bounds the number of skills of a person.
const maxSkills = 50

// SetSkills replaces the skills of a person. It is permitted to managers and administrators.
func (svc *Service) SetSkills(
	ctx context.Context, actor domain.Actor, in SetSkills,
) (domain.ID, error) {
	if err := svc.inScope(ctx, actor, "setSkills", domain.ActReassign); err != nil {
		return domain.NoID, err
	}
	skills := []string{}
	for _, skill := range in.Skills {
		if skill = strings.TrimSpace(skill); skill != "" {
			skills = append(skills, skill)
		}
		if domain.Longer(skill, 100) || len(skills) > maxSkills {
			return domain.NoID,
				domain.Invalid("skills",
					"A person can have at most %d skills of at most 100 characters.", maxSkills)
		}
	}
	slices.Sort(skills)
	skills = slices.Compact(skills)
	return runDispatchChange(ctx, svc, actor, "setSkills", in.Once, in,
		func(tx *store.Tx) (domain.ID, []events.Body, error) {
			if _, err := tx.User(ctx, in.Person); err != nil {
				return domain.NoID, nil, err
			}
			before, err := tx.Skills(ctx, []domain.ID{in.Person})
			if err != nil || slices.Equal(before[in.Person], skills) {
				return in.Person, nil, err
			}
			skillsBefore := before[in.Person]
			if skillsBefore == nil {
				skillsBefore = []string{}
			}
			return in.Person,
				[]events.Body{generated.PersonSkillsChangedV1{Person: in.Person,
					Before: skillsBefore, After: skills}},
				tx.PutSkills(ctx, in.Person, skills)
		})
}

// runDispatchChange runs a change of how reviews are assigned in one transaction, with its events
// on the people stream. It increments the authority version, so that every process reloads the
// queue configuration.
func runDispatchChange[T any](ctx context.Context, svc *Service, actor domain.Actor,
	operation string, once Once, request any, fn func(*store.Tx) (T, []events.Body, error),
) (T, error) {
	var result T
	spec := workSpec{operation: operation, once: once, request: request, result: &result,
		lock: lockExclusive, stream: domain.PeopleStream,
		authorize: func(w *unitOfWork) error { return authorizeDispatch(ctx, w.tx.Reader, actor) }}
	err := svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
		var bodies []events.Body
		var err error
		result, bodies, err = fn(w.tx)
		w.emit(bodies...)
		return err
	})
	return result, err
}

// authorizeDispatch refuses users who may neither reassign reviews nor manage people. It reads the
// policy without caching it, because a cache entry for the incremented version would have to
// contain the change in progress.
func authorizeDispatch(ctx context.Context, r store.Reader, actor domain.Actor) error {
	if actor.System {
		return nil
	}
	if err := checkScope(actor, domain.ActReassign); err != nil {
		return err
	}
	user, err := r.User(ctx, actor.UserID)
	if err != nil {
		return err
	}
	policy, err := loadPolicy(ctx, r)
	if err != nil {
		return err
	}
	authorizer, err := authz.New(policy)
	if err != nil {
		return err
	}
	if _, err = authorizer.AuthorizeGlobal(user, domain.ActManagePeople); err == nil {
		return nil
	}
	filter, filterErr := authorizer.ReassignFilter(user)
	if filterErr != nil || filter.Const == nil || *filter.Const {
		return filterErr
	}
	return domain.Errorf(domain.NotPermitted,
		"Only managers and administrators can change how reviews are assigned.").WithCause(err)
}
