package graph

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

func (r queryResolver) PreviewPolicy(ctx context.Context, document string) (
	*donotuse.PolicyPreview, error) {
	found, err := r.service.PreviewPolicy(ctx, callerOf(ctx), document)
	return policyPreviewOf(&found), err
}

func (r queryResolver) ProposedEffect(ctx context.Context, proposalID string) (
	*donotuse.PolicyPreview, error) {
	id, err := scalar.IDOf(scalar.KindProposal, "proposalId", proposalID)
	if err != nil {
		return nil, err
	}
	found, err := r.service.ProposedEffect(ctx, callerOf(ctx), id)
	return policyPreviewOf(&found), err
}

func policyPreviewOf(found *casework.PolicyPreview) *donotuse.PolicyPreview {
	shown := &donotuse.PolicyPreview{Problems: problemsOf(views.NewProblems(found.Problems)),
		Warnings:  problemsOf(views.NewProblems(found.Warnings)),
		Evaluated: found.Evaluated, ChangedPeople: found.Changed, ActivePeople: found.Active,
		BlockedCount: found.BlockedCount, ExaminedReviews: found.Examined, Complete: found.Complete,
		People: policyPeople(found.People), Together: policyPeople(found.Together), Effect: found.Digest,
		Limits: limitChanges(found.Limits), Actions: []donotuse.PolicyActionEffect{},
		FixedConditions: []donotuse.PolicyFixedCondition{},
		BlockedReviews:  []donotuse.PolicyBlockedReview{}, Understaffed: []donotuse.PolicyShortage{}}
	for _, effect := range found.Actions {
		shown.Actions = append(shown.Actions, donotuse.PolicyActionEffect{
			Action: string(effect.Action), Before: effect.Before, After: effect.After,
			Everyone: effect.Everyone, HolderIDs: effect.Holders})
	}
	for _, condition := range found.Conditions {
		shown.FixedConditions = append(shown.FixedConditions,
			donotuse.PolicyFixedCondition{Rule: condition.Rule, Always: condition.Always})
	}
	for _, review := range found.Blocked {
		shown.BlockedReviews = append(shown.BlockedReviews, donotuse.PolicyBlockedReview{
			ReviewID:  scalar.GlobalID(scalar.KindReview, review.ReviewID),
			Reference: review.Reference, Queue: review.Queue})
	}
	for _, shortage := range found.Understaffed {
		for _, problem := range problemsOf(views.NewProblems(shortage.Problems)) {
			shown.Understaffed = append(shown.Understaffed,
				donotuse.PolicyShortage{Process: shortage.Process, Problem: problem})
		}
	}
	return shown
}

func policyPeople(effects []casework.PersonEffect) []donotuse.PolicyPersonEffect {
	shown := make([]donotuse.PolicyPersonEffect, 0, len(effects))
	for _, effect := range effects {
		one := donotuse.PolicyPersonEffect{PersonID: effect.Person,
			Gains: rightChanges(effect.Gains), Loses: rightChanges(effect.Loses),
			Duties: []donotuse.PolicyDuties{}, NewAccount: optional(effect.NewAccount),
			Amounts: []donotuse.PolicyAmountChange{}}
		for _, change := range effect.Amounts {
			one.Amounts = append(one.Amounts, donotuse.PolicyAmountChange{DocumentType: change.DocumentType,
				Before: boundOf(change.Before), After: boundOf(change.After)})
		}
		for _, duties := range effect.Duties {
			one.Duties = append(one.Duties,
				donotuse.PolicyDuties{One: string(duties[0]), Other: string(duties[1])})
		}
		shown = append(shown, one)
	}
	return shown
}

func limitChanges(changes []casework.LimitEffect) []donotuse.PolicyLimitChange {
	shown := make([]donotuse.PolicyLimitChange, 0, len(changes))
	bound := func(limit domain.Limit, exists bool) *donotuse.PolicyBound {
		return boundOf(casework.Bound{Granted: exists, Unlimited: limit.Unlimited, Unknown: limit.Unlimited,
			BaseMinor: limit.BaseMinor})
	}
	for _, change := range changes {
		shown = append(shown, donotuse.PolicyLimitChange{Role: string(change.After.Role),
			DocumentType: change.After.DocumentType, Before: bound(change.Before, change.Known),
			After: bound(change.After, change.Exists), Lowers: change.Lowers})
	}
	return shown
}

func boundOf(bound casework.Bound) *donotuse.PolicyBound {
	if !bound.Granted {
		return nil
	}
	shown := &donotuse.PolicyBound{Unknown: bound.Unknown, Credits: bound.Credits}
	if !bound.Unlimited {
		shown.Amount = &domain.Money{Minor: bound.BaseMinor, Currency: domain.BaseCurrency}
	}
	return shown
}

func rightChanges(changes []casework.RightChange) []donotuse.PolicyRightChange {
	shown := make([]donotuse.PolicyRightChange, 0, len(changes))
	for _, change := range changes {
		shown = append(shown, donotuse.PolicyRightChange{Action: string(change.Action),
			Object: string(change.Object), Partly: change.Partly,
			Queues: append([]string{}, change.Queues...)})
	}
	return shown
}

func (r policyPersonEffectResolver) Person(ctx context.Context,
	effect *donotuse.PolicyPersonEffect) (*domain.User, error) {
	if effect.NewAccount != nil {
		return nil, nil
	}
	return loadPerson(ctx, effect.PersonID)
}

func (r policyActionEffectResolver) Holders(ctx context.Context,
	effect *donotuse.PolicyActionEffect) ([]*domain.User, error) {
	holders := make([]*domain.User, 0, len(effect.HolderIDs))
	for _, id := range effect.HolderIDs {
		holder, err := loadPerson(ctx, id)
		if err != nil {
			return nil, err
		}
		holders = append(holders, holder)
	}
	return holders, nil
}
