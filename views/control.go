package views

import (
	"context"

	"countersign/domain"
	"countersign/sampling"
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

// DrawMarks reads the amounts from which the reviewers of a process are drawn, for publishers, people
// administrators and auditors.
func (v *Views) DrawMarks(ctx context.Context, actor domain.Actor) ([]store.DrawMark, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return nil, err
	}
	return v.reader.DrawMarks(ctx)
}

// SampleShare is the share of a process and stratum that is drawn for the quality sample.
type SampleShare = store.SampleShare

// SampleShares reads the present share of each process and stratum, the default where none was set,
// for publishers, people administrators and auditors.
func (v *Views) SampleShares(ctx context.Context, actor domain.Actor) (
	[]store.SampleShare, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return nil, err
	}
	rows, err := v.reader.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	var shares []store.SampleShare
	for i, row := range rows {
		if i > 0 && rows[i-1].Key == row.Key {
			continue // an earlier version
		}
		for _, stratum := range []domain.Stratum{domain.StratumStraight, domain.StratumApproved} {
			share, err := v.reader.SampleShare(ctx, row.Key, stratum)
			if err != nil {
				return nil, err
			}
			if share.Version == 0 {
				share.Millionths = sampling.DefaultShare(stratum)
			}
			shares = append(shares, share)
		}
	}
	return shares, nil
}

// maxOperatorRequests bounds the requests of the operator that are listed.
const maxOperatorRequests = 200

// OperatorRequests reads what the operator asked for, newest first, for publishers, people administrators
// and auditors.
func (v *Views) OperatorRequests(ctx context.Context, actor domain.Actor, onlyOpen bool) (
	[]domain.BreakGlass, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return nil, err
	}
	return v.reader.BreakGlasses(ctx, onlyOpen, maxOperatorRequests)
}

// TrustedProxies reads the networks of trusted proxies, for the same people.
func (v *Views) TrustedProxies(ctx context.Context, actor domain.Actor) ([]string, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return nil, err
	}
	present, err := v.reader.TrustedProxies(ctx)
	return present.Networks, err
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
