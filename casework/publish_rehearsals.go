package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
)

// RehearseProposal asks to rehearse the text of a proposal and to record the sums.
type RehearseProposal struct {
	Once
	ProposalID domain.ID
	Closed     int  // of the newest closed cases
	Open       bool // all open cases too
	Zone       string
}

// Rehearsing rehearses the text of a proposal with the rights of the person who asked.
type Rehearsing func(ctx context.Context, proposal domain.Proposal) (domain.RehearsalSums, error)

// RehearseProposal rehearses the recorded text of an open proposal and records the sums, append-only, with
// the hashes of the text and of the version that it would replace. Everyone who may discuss the proposal
// may do so, also the person who proposed it: the report says who ran it, and on how many cases.
func (svc *Service) RehearseProposal(ctx context.Context, actor domain.Actor, in RehearseProposal,
	run Rehearsing) (ProposalResult, error) {
	const operation = "rehearse a proposal"
	result, err := svc.tryRehearse(ctx, actor, operation, in, run)
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return result, err
}

func (svc *Service) tryRehearse(ctx context.Context, actor domain.Actor, operation string,
	in RehearseProposal, run Rehearsing) (ProposalResult, error) {
	proposal, s, err := svc.discussed(ctx, actor, in.ProposalID)
	if err != nil {
		return ProposalResult{}, err
	}
	var previous ProposalResult
	if replayed, err := svc.findReplay(ctx, actor, operation, in.Once, in, &previous); err != nil || replayed {
		return previous, err
	}
	// Checked before the rehearsal, which takes up to a minute, and again in the transaction.
	base, err := svc.rehearsable(ctx, svc.db.Reader(), s, proposal, actor.UserID)
	if err != nil {
		return ProposalResult{}, err
	}
	sums, err := run(ctx, proposal)
	if err != nil {
		return ProposalResult{}, err
	}
	report, err := newRehearsalReport(proposal, base, actor.UserID, sums)
	if err != nil {
		return ProposalResult{}, err
	}
	result := resultOf(proposal)
	result.ReportHash = report.SHA256
	spec := workSpec{operation: operation, once: in.Once, request: in}
	err = svc.runDiscussion(ctx, actor, s, proposal, spec, &result,
		func(tx *store.Tx) ([]events.Body, error) {
			current, err := svc.lockOpenProposal(ctx, tx, EndProposal{ProposalID: proposal.ID})
			if err != nil {
				return nil, err
			}
			if _, err := svc.rehearsable(ctx, tx.Reader, s, current, actor.UserID); err != nil {
				return nil, err
			}
			return []events.Body{generated.ProposalRehearsedV1{ProposalID: proposal.ID,
				ReportID: report.ID, ReportSHA256: report.SHA256, SHA256: report.TextSHA256,
				Base: int64(proposal.Base), BaseSHA256: report.BaseSHA256, Cases: int64(sums.Cases()),
				Same: int64(sums.Same)}}, tx.AddRehearsalReport(ctx, report)
		})
	return result, err
}

// rehearsable refuses a proposal that has ended, is based on an earlier version or has enough reports of the
// person, and returns the text of the version that it would replace.
func (svc *Service) rehearsable(ctx context.Context, r store.Reader, s publishable, p domain.Proposal,
	by domain.ID) (base string, err error) {
	if p.Kind == domain.ProposeDocumentType {
		return "", domain.Invalid("proposalId", "Document types cannot be rehearsed.")
	}
	if p.Status != domain.ProposalOpen {
		return "", domain.Errorf(domain.StateMismatch, "The proposal is already %s.", p.Status).
			WithDetail("status", string(p.Status))
	}
	if now, err := s.newestVersion(ctx, r, p.Key); err != nil || now != p.Base {
		return "", firstError(err, staleVersion(strconv.Itoa(now),
			"The proposal is based on version %d, but version %d is now in force.", p.Base, now))
	}
	if recorded, err := r.CountRehearsalReports(ctx, p.ID, by); err != nil ||
		recorded >= domain.MaxRehearsalReports {
		return "", firstError(err, domain.Errorf(domain.StateMismatch,
			"You can record at most %d rehearsals of a proposal.", domain.MaxRehearsalReports))
	}
	if p.Base == 0 {
		return "", nil
	}
	return s.document(ctx, r, p.Key, p.Base)
}

// newRehearsalReport returns the report with its hash.
func newRehearsalReport(p domain.Proposal, base string, by domain.ID, sums domain.RehearsalSums) (
	domain.RehearsalReport, error) {
	report := domain.RehearsalReport{ID: domain.NewID(), ProposalID: p.ID,
		TextSHA256: p.TextSHA256(), By: by}
	if p.Base > 0 {
		report.BaseSHA256 = sha256Hex(base)
	}
	if sums.Cases() < domain.MinDetailedCases {
		sums.Stops, sums.Rules, sums.People = nil, nil, nil
	}
	text, err := json.Marshal(domain.RehearsedText{Format: domain.RehearsalFormat, ProposalID: p.ID,
		Kind: p.Kind, Key: p.Key, TextSHA256: report.TextSHA256, Base: p.Base,
		BaseSHA256: report.BaseSHA256, By: by, RehearsalSums: sums})
	if err != nil {
		return report, fmt.Errorf("casework: encode the report of a rehearsal: %w", err)
	}
	report.Report, report.SHA256 = string(text), sha256Hex(string(text))
	return report, nil
}

// rehearsalsOf returns the hashes of the recorded rehearsals of the present text of a proposal, oldest
// first. Those of other texts prove nothing about it.
func rehearsalsOf(ctx context.Context, r store.Reader, p domain.Proposal) (hashes []string, err error) {
	reports, err := r.RehearsalReports(ctx, p)
	text := p.TextSHA256()
	for i := range reports {
		if reports[i].TextSHA256 == text {
			hashes = append(hashes, reports[i].SHA256)
		}
	}
	return hashes, err
}
