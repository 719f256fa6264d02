package graph

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

func (r queryResolver) Rehearse(ctx context.Context, in donotuse.RehearsalInput) (
	*donotuse.Rehearsal, error) {
	change, err := rehearsalChangeOf(in.Change)
	if err != nil {
		return nil, err
	}
	return r.rehearsal(ctx, views.RehearsalQuery{Change: change, Process: valueOrEmpty(in.ProcessKey),
		Closed: in.Closed, Open: in.Open, Named: in.Named, Zone: in.Zone})
}

// RehearseProcessDefinition is deprecated.
func (r queryResolver) RehearseProcessDefinition(ctx context.Context, document string, last int) (
	*donotuse.Rehearsal, error) {
	if last < 1 || last > views.MaxNamed {
		return nil, domain.Invalid("last", "Rehearse between 1 and %d cases.", views.MaxNamed)
	}
	return r.rehearsal(ctx, views.RehearsalQuery{Closed: last, Open: true, Named: last,
		Zone: time.UTC.String(), Change: views.RehearsalChange{Process: document}})
}

func (r queryResolver) rehearsal(ctx context.Context, query views.RehearsalQuery) (
	*donotuse.Rehearsal, error) {
	made, err := r.views.Rehearse(ctx, callerOf(ctx), query)
	if err != nil {
		return nil, err
	}
	return rehearsalOf(made), nil
}

func rehearsalChangeOf(in donotuse.RehearsalChangeInput) (change views.RehearsalChange, err error) {
	change = views.RehearsalChange{Process: valueOrEmpty(in.Process), Rules: valueOrEmpty(in.Rules),
		Policy: valueOrEmpty(in.Policy)}
	if in.Deadline != nil {
		change.Deadline = &views.QueueDeadline{Queue: in.Deadline.Queue, Percent: in.Deadline.Percent}
	}
	if in.Reviewers != nil {
		change.Reviewers = &views.QueueReviewers{Queue: in.Reviewers.Queue, More: in.Reviewers.More}
	}
	if in.Calendar != nil {
		hours, err := hoursOf(in.Calendar.Hours)
		if err != nil {
			return change, err
		}
		if change.Calendar, err = domain.NewCalendar(in.Calendar.Name, in.Calendar.Zone, hours,
			in.Calendar.Holidays); err != nil {
			return change, err
		}
	}
	if in.Limit != nil {
		change.Limit, err = rehearsedLimitOf(*in.Limit)
	}
	return change, err
}

func rehearsedLimitOf(in donotuse.RehearsedLimitInput) (limit *views.RehearsedLimit, err error) {
	limit = &views.RehearsedLimit{Drop: in.Drop, Limit: domain.Limit{Role: domain.Role(in.Role),
		Action: domain.ActDecide, DocumentType: valueOrEmpty(in.DocumentType), Unlimited: in.Unlimited}}
	switch {
	case in.Amount != nil && (in.Unlimited || in.Drop), in.Amount == nil && in.Unlimited == in.Drop:
		err = domain.Invalid("amount", "Enter exactly one of amount, unlimited and drop.")
	case in.Amount != nil:
		limit.BaseMinor, err = baseAmountMinor("amount", *in.Amount)
	}
	return limit, err
}

func rehearsalOf(made *views.Rehearsal) *donotuse.Rehearsal {
	shown := &donotuse.Rehearsal{Cases: made.Closed + made.Open, Closed: made.Closed, Open: made.Open,
		Hidden: made.Hidden, Erased: made.Erased, Simplified: made.Simplified, Complete: made.Complete, Same: made.Same,
		MoreReviews: made.MoreReviews, FewerReviews: made.FewerReviews,
		StraightToPerson: made.StraightToPerson, PersonToStraight: made.PersonToStraight,
		OtherEnd: made.OtherEnd, TooFewBefore: made.TooFewBefore, TooFewAfter: made.TooFewAfter,
		OtherReviews: made.OtherReviews, UnassignedBefore: made.UnassignedBefore, UnassignedAfter: made.UnassignedAfter,
		Stopped: made.Stopped, ComparedWithRecord: made.ComparedWithRecord,
		UnlikeRecord: made.UnlikeRecord, HiddenVotes: made.HiddenVotes,
		OtherFindings: made.OtherFindings, Undetermined: made.Undetermined, Refused: made.Refused,
		Impossible: made.Impossible, MissingFacts: []donotuse.RehearsedFact{},
		Different:     []donotuse.RehearsedCase{},
		UnknownQueues: append([]string{}, made.UnknownQueues...),
		QueueError:    replayErrorOf(made.QueueError)}
	for _, fact := range made.Missing {
		shown.MissingFacts = append(shown.MissingFacts, donotuse.RehearsedFact{
			Node: optional(fact.Node), Message: fact.Message, Cases: fact.Cases})
	}
	for i := range made.Different {
		shown.Different = append(shown.Different, rehearsedCaseOf(&made.Different[i]))
	}
	if made.People != nil {
		shown.People = rehearsedPeopleOf(made.People)
	}
	if made.Rules != nil {
		shown.Rules = rehearsedRulesOf(made.Rules)
	}
	if made.Changed != nil {
		shown.Since, shown.PeopleChanged, shown.PermissionsChanged = &made.Changed.Since,
			&made.Changed.People, &made.Changed.Permissions
	}
	if made.Queues != nil {
		shown.Queues = queueReplaysOf(made.Queues)
	}
	return shown
}

func rehearsedPeopleOf(made []domain.RehearsedPerson) []donotuse.RehearsedPerson {
	shown := make([]donotuse.RehearsedPerson, 0, len(made))
	for _, person := range made {
		shown = append(shown, donotuse.RehearsedPerson{PersonID: person.Person,
			CouldBefore: person.CouldBefore, CouldAfter: person.CouldAfter,
			AskedBefore: person.AskedBefore, AskedAfter: person.AskedAfter})
	}
	return shown
}

func rehearsedRulesOf(made []views.RehearsedRule) []donotuse.RehearsedRule {
	shown := make([]donotuse.RehearsedRule, 0, len(made))
	for _, rule := range made {
		shown = append(shown, donotuse.RehearsedRule{Rule: rule.Rule, Titles: titlesOf(rule.Title),
			Before: rule.Before, After: rule.After, Appears: rule.Appears, Disappears: rule.Disappears,
			Undetermined: rule.Unknown, Facts: append([]string{}, rule.Facts...), UnlikeRecord: rule.Unlike})
	}
	return shown
}

func rehearsedCaseOf(one *views.RehearsedCase) donotuse.RehearsedCase {
	shown := donotuse.RehearsedCase{CaseID: scalar.GlobalID(scalar.KindCase, one.Case.ID),
		Reference: one.Case.Reference, Version: one.Case.ProcessVersion,
		Before: append([]string{}, one.Before...), After: append([]string{}, one.After...),
		AddedReviews:   append([]string{}, one.Added...),
		DroppedReviews: append([]string{}, one.Dropped...),
		ChangedReviews: append([]string{}, one.Changed...), EndBefore: one.EndBefore,
		EndAfter: one.EndAfter, TooFewBefore: one.TooFewBefore, TooFewAfter: one.TooFewAfter,
		UnassignedBefore: one.UnassignedBefore, UnassignedAfter: one.UnassignedAfter,
		Lacks: append([]string{}, one.Lacks...), Found: append([]string{}, one.Found...),
		Lost: append([]string{}, one.Lost...), Undetermined: append([]string{}, one.Unknown...),
		RiskBefore: one.RiskBefore, RiskAfter: one.RiskAfter,
		RefusedBy: append([]string{}, one.RefusedBy...), Problem: optional(one.Problem),
		ProblemNode: optional(one.ProblemNode), Reviews: []donotuse.RehearsedReview{}}
	for _, review := range one.Asked {
		asked := donotuse.RehearsedReview{Node: review.Node, Queue: review.Queue,
			Eligible: review.Eligible, Assignable: review.Assignable}
		if review.Verdict != "" {
			asked.Verdict = &review.Verdict
		}
		shown.Reviews = append(shown.Reviews, asked)
	}
	return shown
}

func (rehearsedPersonResolver) Person(ctx context.Context, person *donotuse.RehearsedPerson) (
	*domain.User, error) {
	return loadPerson(ctx, person.PersonID)
}
