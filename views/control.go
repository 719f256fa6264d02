package views

import (
	"context"

	"countersign/domain"
	"countersign/store"
)

// CountryRisks reads the countries with a risk level, the highest first, for publishers, people
// administrators and auditors.
func (v *Views) CountryRisks(ctx context.Context, actor domain.Actor) (
	[]store.CountryRisk, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return nil, err
	}
	return v.reader.CountryRisks(ctx)
}

// ExchangeRates are the present rates and by how many percent one person may change them.
type ExchangeRates struct {
	Rates   []store.DatedRate
	Percent string
}

// Rates reads the present exchange rates, for publishers, people administrators and auditors.
func (v *Views) Rates(ctx context.Context, actor domain.Actor) (ExchangeRates, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return ExchangeRates{}, err
	}
	rates, err := v.reader.Rates(ctx)
	if err != nil {
		return ExchangeRates{}, err
	}
	percent, err := v.reader.RatePercent(ctx)
	return ExchangeRates{Rates: rates, Percent: percent}, err
}

// ControlChanges reads a page of proposed changes of control data, newest first, for publishers,
// people administrators and auditors.
func (v *Views) ControlChanges(ctx context.Context, actor domain.Actor, query ProposalQuery) (
	ProposalPage, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return ProposalPage{}, err
	}
	kinds := domain.ControlKinds()
	if query.Kind != "" {
		kinds = []domain.ProposalKind{query.Kind}
	}
	return v.proposalPage(ctx, query, kinds)
}

// ControlChange reads one proposed change of control data. It returns NotFound for viewers who may
// not see it.
func (v *Views) ControlChange(ctx context.Context, actor domain.Actor, id domain.ID) (
	domain.Proposal, error) {
	// who may propose a change also reads the answer about it
	scopes := []domain.Action{domain.ActRead, domain.ActPublish, domain.ActManagePeople}
	if err := actor.RequireScope(scopes...); err != nil {
		return domain.Proposal{}, err
	}
	if err := v.requirePolicyAccess(ctx, actor, scopes...); err != nil {
		return domain.Proposal{}, firstError(notPermittedIsNone(err), err)
	}
	proposal, err := v.reader.Proposal(ctx, id)
	if err == nil && !proposal.Kind.IsControl() {
		return domain.Proposal{}, notPermittedIsNone(domain.Errorf(domain.NotPermitted, ""))
	}
	return proposal, err
}
