package graph

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/views"
)

type (
	queueCountResolver       struct{ *resolver }
	queueSettingsResolver    struct{ *resolver }
	calendarResolver         struct{ *resolver }
	deadlinesPayloadResolver struct{ *resolver }
	skillsPayloadResolver    struct{ *resolver }
	setQueueResolver         struct{ *resolver }
	setCalendarResolver      struct{ *resolver }
)

func (queueCountResolver) Settings(ctx context.Context, count *views.QueueCount) (
	*domain.QueueRule, error) {
	rules, err := loadersFrom(ctx).rules()
	rule := rules[count.Name]
	if rule == nil {
		rule = &domain.QueueRule{Name: count.Name, Strategy: domain.StrategyPull}
	}
	return rule, err
}

func (r queryResolver) QueueSettings(ctx context.Context) ([]domain.QueueRule, error) {
	return r.views.QueueRules(ctx, callerOf(ctx))
}

func (queueSettingsResolver) Version(_ context.Context, rule *domain.QueueRule) (string, error) {
	return strconv.FormatInt(rule.Version, 10), nil
}

func (queueSettingsResolver) Calendar(_ context.Context, rule *domain.QueueRule) (*string, error) {
	return optional(rule.Calendar), nil
}

func (queueSettingsResolver) MoveToQueue(_ context.Context, rule *domain.QueueRule) (*string, error) {
	return optional(rule.MoveToQueue), nil
}

// HandTo resolves the deprecated name of MoveToQueue.
func (r queueSettingsResolver) HandTo(ctx context.Context, rule *domain.QueueRule) (
	*string, error) {
	return r.MoveToQueue(ctx, rule)
}

func (calendarResolver) Version(_ context.Context, calendar *domain.Calendar) (string, error) {
	return strconv.FormatInt(calendar.Version, 10), nil
}

func (calendarResolver) Hours(_ context.Context, calendar *domain.Calendar) (
	[]donotuse.WorkingHours, error) {
	hours := []donotuse.WorkingHours{}
	for day, spans := range calendar.Hours {
		for _, span := range spans {
			hours = append(hours, donotuse.WorkingHours{Weekday: day, From: clockText(span.From),
				To: clockText(span.To)})
		}
	}
	return hours, nil
}

func clockText(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// clockMinute parses a time of day like 09:30; 24:00 is the end of the day.
func clockMinute(text string) (int, error) {
	var hour, minute int
	if n, err := fmt.Sscanf(text, "%d:%d", &hour, &minute); err != nil || n != 2 || hour < 0 ||
		minute < 0 || minute > 59 ||
		hour*60+minute > 24*60 || clockText(hour*60+minute) != text {
		return 0, domain.Invalid("hours", "%.20q is not a time of day like 09:30.", text)
	}
	return hour*60 + minute, nil
}

func hoursOf(inputs []donotuse.WorkingHoursInput) (hours [7][]domain.TimeRange, err error) {
	for _, input := range inputs {
		if input.Weekday < 0 || input.Weekday > 6 {
			return hours, domain.Invalid("hours", "%d is not a weekday. Enter 0 (Sunday) to 6.",
				input.Weekday)
		}
		var span domain.TimeRange
		if span.From, err = clockMinute(input.From); err != nil {
			return hours, err
		}
		if span.To, err = clockMinute(input.To); err != nil {
			return hours, err
		}
		hours[input.Weekday] = append(hours[input.Weekday], span)
	}
	return hours, nil
}

func (r queryResolver) Calendars(ctx context.Context, first int, after *string) (
	*donotuse.CalendarConnection, error) {
	if err := checkPageSize(first); err != nil {
		return nil, err
	}
	calendars, more, err := r.views.Calendars(ctx, callerOf(ctx), valueOrEmpty(after), first)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.CalendarConnection{Edges: []donotuse.CalendarEdge{},
		Nodes:    []domain.Calendar{},
		PageInfo: donotuse.PageInfo{HasNextPage: more, HasPreviousPage: after != nil}}
	for _, calendar := range calendars {
		connection.Nodes = append(connection.Nodes, *calendar)
		connection.Edges = append(connection.Edges,
			donotuse.CalendarEdge{Cursor: calendar.Name, Node: *calendar})
	}
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor,
			connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func (r mutationResolver) SetQueueAssignment(ctx context.Context,
	in donotuse.SetQueueAssignmentInput) (*donotuse.SetQueueAssignmentPayload, error) {
	rule := domain.QueueRule{Name: in.Queue, Strategy: in.Strategy,
		Calendar:    valueOrEmpty(in.Calendar),
		MoveToQueue: valueOrEmpty(cmp.Or(in.MoveToQueue, in.HandTo))}
	rule.Cap = intOrZero(in.Cap)
	rule.MoveAfterMissedClaims = intOrZero(cmp.Or(in.MoveAfterMissedClaims, in.HandAfter))
	after, err := r.service.SetQueue(ctx, callerOf(ctx),
		casework.SetQueue{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, Rule: rule,
			ExpectedVersion: valueOrEmpty(in.ExpectedVersion)})
	payload := &donotuse.SetQueueAssignmentPayload{ProposalID: after.ProposalID}
	if err == nil {
		payload.Settings = &after.Rule
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

// intOrZero returns the value of an optional input, or 0 if it was omitted.
func intOrZero(given *int) int {
	if given == nil {
		return 0
	}
	return *given
}

func (r mutationResolver) SetCalendar(ctx context.Context, in donotuse.SetCalendarInput) (
	*donotuse.SetCalendarPayload, error) {
	payload := &donotuse.SetCalendarPayload{}
	hours, err := hoursOf(in.Hours)
	if err == nil {
		var result casework.CalendarResult
		result, err = r.service.SetCalendar(ctx, callerOf(ctx),
			casework.SetCalendar{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
				Name: in.Name,
				Zone: in.Zone, Hours: hours, Holidays: in.Holidays,
				ExpectedVersion: valueOrEmpty(in.ExpectedVersion)})
		if err == nil {
			payload.ProposalID = result.ProposalID
			payload.Calendar, err = r.views.Calendar(ctx, callerOf(ctx), result.Name)
			if domain.HasCode(err, domain.NotFound) && result.ProposalID != domain.NoID {
				err = nil // it is proposed only
			}
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) SetSkills(ctx context.Context, in donotuse.SetSkillsInput) (
	*donotuse.SetSkillsPayload, error) {
	payload := &donotuse.SetSkillsPayload{}
	id, err := scalar.IDOf(scalar.KindPerson, "personId", in.PersonID)
	if err == nil {
		var done casework.SkillsResult
		done, err = r.service.SetSkills(ctx, callerOf(ctx),
			casework.SetSkills{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
				Person: id, Skills: in.Skills, Expected: in.ExpectedSkills})
		payload.PersonID, payload.ProposalID = done.Person, done.ProposalID
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r setQueueResolver) Proposal(ctx context.Context, payload *donotuse.SetQueueAssignmentPayload) (
	*shape.ControlChange, error) {
	return r.controlChangeByID(ctx, payload.ProposalID)
}

func (r setCalendarResolver) Proposal(ctx context.Context, payload *donotuse.SetCalendarPayload) (
	*shape.ControlChange, error) {
	return r.controlChangeByID(ctx, payload.ProposalID)
}

func (r skillsPayloadResolver) Proposal(ctx context.Context, payload *donotuse.SetSkillsPayload) (
	*shape.ControlChange, error) {
	return r.controlChangeByID(ctx, payload.ProposalID)
}

func (skillsPayloadResolver) Person(ctx context.Context, payload *donotuse.SetSkillsPayload) (
	*domain.User, error) {
	return loadPerson(ctx, payload.PersonID)
}

func (personResolver) Skills(ctx context.Context, user *domain.User) ([]string, error) {
	skills, err := loadersFrom(ctx).skills.Load(ctx, user.ID)
	if skills == nil {
		skills = []string{}
	}
	return skills, err
}

func (r mutationResolver) PauseDeadlines(ctx context.Context, in donotuse.PauseDeadlinesInput) (
	*donotuse.DeadlinesPayload, error) {
	command, err := pauseCommand(in.CaseID, in.ReviewID, in.IdempotencyKey)
	command.Reason = in.Reason
	return r.applyPause(ctx, command, err, r.service.PauseDeadlines)
}

func (r mutationResolver) ResumeDeadlines(ctx context.Context, in donotuse.ResumeDeadlinesInput) (
	*donotuse.DeadlinesPayload, error) {
	command, err := pauseCommand(in.CaseID, in.ReviewID, in.IdempotencyKey)
	return r.applyPause(ctx, command, err, r.service.ResumeDeadlines)
}

func pauseCommand(caseID, reviewID, key *string) (casework.PauseDeadlines, error) {
	command := casework.PauseDeadlines{Once: casework.Once{Key: valueOrEmpty(key)}}
	var err error
	if caseID != nil {
		command.CaseID, err = scalar.IDOf(scalar.KindCase, "caseId", *caseID)
	}
	if err == nil && reviewID != nil {
		command.ReviewID, err = scalar.IDOf(scalar.KindReview, "reviewId", *reviewID)
	}
	return command, err
}

func (r mutationResolver) applyPause(ctx context.Context, command casework.PauseDeadlines,
	err error,
	run func(context.Context, domain.Actor, casework.PauseDeadlines) (casework.DeadlinesResult,
		error),
) (*donotuse.DeadlinesPayload, error) {
	payload := &donotuse.DeadlinesPayload{}
	if err == nil {
		var done casework.DeadlinesResult
		if done, err = run(ctx, callerOf(ctx), command); err == nil {
			payload.ReviewIDs = done.Reviews
			loadersFrom(ctx).forget(done.CaseID)
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r deadlinesPayloadResolver) Reviews(ctx context.Context, payload *donotuse.DeadlinesPayload) (
	[]domain.Review, error) {
	reviews := []domain.Review{}
	for _, id := range payload.ReviewIDs {
		review, err := r.reviewByID(ctx, id)
		if err != nil {
			return nil, err
		}
		if review != nil {
			reviews = append(reviews, *review)
		}
	}
	return reviews, nil
}

func (reviewResolver) PauseReason(_ context.Context, review *domain.Review) (*string, error) {
	return optional(review.PauseReason), nil
}

// readRules reads the queue rules by name.
func (l *loaders) readRules() (map[string]*domain.QueueRule, error) {
	list, err := l.views.Reader().Queues(l.ctx)
	rules := make(map[string]*domain.QueueRule, len(list))
	for i := range list {
		rules[list[i].Name] = &list[i]
	}
	return rules, err
}

// readSkills reads the skills of people, for managers and people administrators.
func (l *loaders) readSkills(ctx context.Context, ids []domain.ID) (map[domain.ID][]string, error) {
	viewer, err := l.viewer()
	if err != nil || !viewer.HasRole(domain.RoleManager) && !viewer.HasRole(domain.RoleAdmin) &&
		!viewer.HasRole(domain.RoleAuditor) {
		return nil, err
	}
	return l.views.Reader().Skills(ctx, ids)
}
