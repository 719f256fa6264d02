package graph

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

func (r mutationResolver) RehearseProposal(ctx context.Context, in donotuse.RehearseProposalInput) (
	*donotuse.RehearseProposalPayload, error) {
	payload := &donotuse.RehearseProposalPayload{}
	id, err := scalar.IDOf(scalar.KindProposal, "proposalId", in.ProposalID)
	if err == nil {
		actor := callerOf(ctx)
		query := views.RehearsalQuery{Closed: in.Closed, Open: in.Open, Named: in.Named, Zone: in.Zone}
		var done casework.ProposalResult
		done, err = r.service.RehearseProposal(ctx, actor, casework.RehearseProposal{
			Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, ProposalID: id, Closed: in.Closed,
			Open: in.Open, Zone: in.Zone,
		}, func(ctx context.Context, proposal domain.Proposal) (domain.RehearsalSums, error) {
			made, err := r.views.RehearseProposal(ctx, actor, proposal, query)
			if err != nil {
				return domain.RehearsalSums{}, err
			}
			payload.Rehearsal = rehearsalOf(made)
			return made.Sums(query), nil
		})
		payload.ProposalID, payload.Sha256 = done.ProposalID, optional(done.ReportHash)
	}
	if err != nil {
		payload = &donotuse.RehearseProposalPayload{}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r rehearseProposalPayloadResolver) Proposal(ctx context.Context,
	payload *donotuse.RehearseProposalPayload) (*domain.Proposal, error) {
	if payload.ProposalID == domain.NoID {
		return nil, nil
	}
	return r.proposalByID(ctx, payload.ProposalID)
}

func (r proposalResolver) Rehearsals(ctx context.Context, p *domain.Proposal) (
	[]donotuse.RehearsalReport, error) {
	reports, err := r.views.RehearsalReports(ctx, callerOf(ctx), p.ID)
	shown := make([]donotuse.RehearsalReport, 0, len(reports))
	for i := range reports {
		shown = append(shown, rehearsalReportOf(&reports[i]))
	}
	return shown, err
}

func rehearsalReportOf(r *views.RehearsalReport) donotuse.RehearsalReport {
	shown := donotuse.RehearsalReport{Sha256: r.SHA256, TextSha256: r.RehearsalReport.TextSHA256,
		OfThisText: r.OfText, BaseVersion: r.Base, BaseSha256: optional(r.RehearsalReport.BaseSHA256),
		By: r.RehearsalReport.By, RehearsedAt: r.At, ClosedAsked: r.ClosedAsked, OpenAsked: r.OpenAsked,
		Cases: r.Cases(), Closed: r.Closed, Open: r.Open, Hidden: r.Hidden, Erased: r.Erased,
		Simplified: r.Simplified, HiddenVotes: r.HiddenVotes, OtherVersions: r.OtherVersions,
		Complete: r.Complete, Same: r.Same, MoreReviews: r.MoreReviews, FewerReviews: r.FewerReviews,
		StraightToPerson: r.StraightToPerson, PersonToStraight: r.PersonToStraight,
		OtherEnd: r.OtherEnd, TooFewBefore: r.TooFewBefore, TooFewAfter: r.TooFewAfter,
		Stopped: r.Stopped, ComparedWithRecord: r.ComparedWithRecord, UnlikeRecord: r.UnlikeRecord,
		OtherReviews: r.OtherReviews, UnassignedBefore: r.UnassignedBefore, UnassignedAfter: r.UnassignedAfter,
		OtherFindings: r.OtherFindings, Undetermined: r.Undetermined, Refused: r.Refused,
		Impossible: r.Impossible, Since: r.Since, PeopleChanged: r.PeopleChanged,
		PermissionsChanged: r.PermissionsChanged, Stops: append([]domain.RehearsedStop{}, r.Stops...),
		Rules: []donotuse.ReportedRule{}}
	for _, rule := range r.Rules {
		shown.Rules = append(shown.Rules, donotuse.ReportedRule{Rule: rule.Rule,
			Titles: titlesOf(func(language string) string { return r.RuleTitle(rule.Rule, language) }),
			Before: rule.Before, After: rule.After, Appears: rule.Appears, Disappears: rule.Disappears,
			Undetermined: rule.Unknown})
	}
	if r.People != nil {
		shown.People = rehearsedPeopleOf(r.People)
	}
	return shown
}

func (rehearsalReportResolver) RehearsedBy(ctx context.Context, report *donotuse.RehearsalReport) (
	*domain.User, error) {
	return loadPerson(ctx, report.By)
}

func (rehearsedStopResolver) Node(_ context.Context, stop *domain.RehearsedStop) (*string, error) {
	return optional(stop.Node), nil
}
