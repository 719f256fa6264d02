package views

import (
	"context"
	"slices"

	"countersign/authz"
	"countersign/domain"
)

// prepareRehearsal checks the query and reads what all cases share.
func (v *Views) prepareRehearsal(ctx context.Context, viewer viewer, query RehearsalQuery) (
	*rehearsal, error) {
	if err := query.check(); err != nil {
		return nil, err
	}
	r := &rehearsal{views: v, viewer: viewer, shown: v.caseViewer(viewer), query: query,
		found: &Rehearsal{Complete: true}, people: map[domain.ID]*rehearsedPerson{},
		missing: map[MissingFact]int{}}
	if query.Recorded {
		r.shown.clearance = false
	}
	var err error
	if r.zone, err = domain.LoadZone(query.Zone); err != nil {
		return nil, err
	}
	if r.filter, err = viewer.policy.ReadFilter(viewer.user); err != nil {
		return nil, err
	}
	users, err := v.reader.Users(ctx, nil)
	if err != nil {
		return nil, err
	}
	users = slices.DeleteFunc(users, func(user domain.User) bool { return user.Disabled })
	r.before = staff{viewer.policy, users}
	r.after = r.before
	if r.queues, err = v.loadQueueChanges(ctx, query); err != nil {
		return nil, err
	}
	if r.assign, err = v.loadAssignments(ctx); err != nil {
		return nil, err
	}
	return r, r.apply(ctx)
}

func (q RehearsalQuery) check() error {
	c := q.Change
	set := 0
	for _, given := range []bool{c.Process != "", c.Rules != "", c.Policy != "", c.Limit != nil, c.Calendar != nil,
		c.Deadline != nil, c.Reviewers != nil} {
		if given {
			set++
		}
	}
	switch {
	case set != 1:
		return domain.Invalid("change", "Enter exactly one change.")
	case q.Closed < 0 || q.Closed > MaxRehearsed:
		return domain.Invalid("closed", "Rehearse at most %d closed cases.", MaxRehearsed)
	case q.Closed == 0 && !q.Open:
		return domain.Invalid("closed", "Choose closed cases, open cases or both.")
	case q.Named < 0 || q.Named > MaxNamed:
		return domain.Invalid("named", "Name at most %d cases.", MaxNamed)
	case c.Deadline != nil && (c.Deadline.Percent < minDeadlinePercent ||
		c.Deadline.Percent > maxDeadlinePercent):
		return domain.Invalid("change.deadline.percent", "Enter %d to %d percent.",
			minDeadlinePercent, maxDeadlinePercent)
	case c.Reviewers != nil && max(c.Reviewers.More, -c.Reviewers.More) > maxReviewerChange:
		return domain.Invalid("change.reviewers.more",
			"Choose at most %d reviewers more or fewer.", maxReviewerChange)
	}
	return nil
}

// apply applies the change to what all cases share.
func (r *rehearsal) apply(ctx context.Context) error {
	change := r.query.Change
	switch {
	case change.Process != "":
		def, err := r.views.parseProposed(ctx, change.Process)
		if err != nil {
			return err
		}
		if def.Callable {
			return domain.Invalid("change.process",
				"Other processes call %q; it has no cases of its own.", def.Key)
		}
		r.def, r.query.Process = def, def.Key
	case change.Rules != "":
		return r.applyRules(ctx, change.Rules)
	case change.Policy != "":
		document, problems := authz.ParseDocument([]byte(change.Policy))
		if problems == nil {
			problems = append(authz.Check(document.Rules), authz.CheckLimits(document.Limits)...)
		}
		if len(problems) > 0 {
			return domain.Invalid("change.policy", "%s", problems[0].Message)
		}
		policy, err := authz.New(document.Policy())
		if err != nil {
			return err
		}
		r.after.policy = policy
		r.after.people = slices.Clone(r.before.people)
		for i := range r.after.people {
			r.after.people[i] = authz.WithLimits(r.after.people[i], document.Limits)
		}
	case change.Limit != nil:
		if !slices.ContainsFunc(r.before.people, func(user domain.User) bool {
			return user.HasRole(change.Limit.Role)
		}) {
			return domain.Invalid("change.limit.role", "No active person has the role %q.",
				change.Limit.Role)
		}
		r.after.people = withLimit(r.before.people, *change.Limit)
	}
	return nil
}

// withLimit returns the people with a limit of a role in place of the one that it had.
func withLimit(people []domain.User, limit RehearsedLimit) []domain.User {
	changed := slices.Clone(people)
	for i := range changed {
		if changed[i].HasRole(limit.Role) {
			changed[i] = authz.WithLimit(changed[i], limit.Limit, !limit.Drop)
		}
	}
	return changed
}
