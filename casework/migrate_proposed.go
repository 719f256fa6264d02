package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/store"
)

// ProposedMigration is a migration that waits for its second person, with what it would be about now.
type ProposedMigration struct {
	CheckedMigration
	// Undone is the migration that is undone, nil for one that moves running cases. Cases are then
	// those that it has moved.
	Undone *MigrationProgress
}

// ProposedMigration returns what a proposal would move. It requires the right to publish; NotFound if the
// proposal is of another kind.
func (svc *Service) ProposedMigration(
	ctx context.Context, actor domain.Actor, id domain.ID,
) (ProposedMigration, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return ProposedMigration{}, err
	}
	proposal, order, err := svc.migrationProposal(ctx, id)
	if err != nil {
		return ProposedMigration{}, err
	}
	return svc.proposedMigration(ctx, actor, proposal, order)
}

// migrationProposal reads a proposed migration and its order; NotFound if the proposal is of another kind.
func (svc *Service) migrationProposal(
	ctx context.Context, id domain.ID,
) (proposal domain.Proposal, order MigrationOrder, err error) {
	if proposal, err = svc.db.Reader().Proposal(ctx, id); err != nil {
		return proposal, order, err
	}
	if proposal.Kind != domain.ControlMigration {
		return proposal, order, domain.NewNotFound()
	}
	order, err = proposedOrder(proposal)
	return proposal, order, err
}

func (svc *Service) proposedMigration(
	ctx context.Context, actor domain.Actor, proposal domain.Proposal, order MigrationOrder,
) (ProposedMigration, error) {
	checked, err := svc.checkMigration(ctx, PlanMigration{Process: proposal.Key, From: order.Plan.From,
		To: order.Plan.To, Nodes: order.chosen(), RestartDeadlines: order.RestartDeadlines})
	if err != nil || order.Undoes == domain.NoID {
		return ProposedMigration{CheckedMigration: checked}, err
	}
	undone, err := svc.Migration(ctx, actor, order.Undoes)
	checked.Cases = undone.Count(domain.Moved)
	return ProposedMigration{CheckedMigration: checked, Undone: &undone}, err
}

// PreviewProposedMigration asks what a proposed migration would do to the cases of a page.
type PreviewProposedMigration struct {
	ProposalID domain.ID
	After      domain.ID
	Limit      int
}

// PreviewProposedMigration returns what the proposed order would do at this moment, case by case, for the second
// person: the same as PreviewMigration, and which cases have changed since the proposal. An undo is previewed for
// the cases that the migration has moved.
func (svc *Service) PreviewProposedMigration(
	ctx context.Context, actor domain.Actor, in PreviewProposedMigration,
) (MigrationPreview, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return MigrationPreview{}, err
	}
	proposal, order, err := svc.migrationProposal(ctx, in.ProposalID)
	if err != nil {
		return MigrationPreview{}, err
	}
	proposed, err := svc.proposedMigration(ctx, actor, proposal, order)
	preview := MigrationPreview{CheckedMigration: proposed.CheckedMigration}
	if err != nil || proposed.Undone == nil && len(proposed.Problems) > 0 {
		return preview, err
	}
	preview.Order = order
	r, limit := svc.db.Reader(), min(max(in.Limit, 1), maxPreviewedCases)
	var cases []domain.ID
	if proposed.Undone == nil {
		cases, err = r.MovableCases(ctx, proposal.Key, preview.From.Version, in.After, limit+1)
	} else {
		var moved []domain.MigratedCase
		moved, err = r.MigratedCases(ctx, proposed.Undone.ID, domain.Moved, in.After, limit+1)
		for _, one := range moved {
			cases = append(cases, one.CaseID)
		}
	}
	if err != nil {
		return preview, err
	}
	if err := svc.previewMoves(ctx, actor, &preview, cases, limit); err != nil {
		return preview, err
	}
	err = preview.markChanged(ctx, r, proposal.ProposedAt)
	return preview, err
}

// markChanged marks the cases that were submitted or have changed since the time.
func (p *MigrationPreview) markChanged(ctx context.Context, r store.Reader, since time.Time) error {
	ids := make([]domain.ID, len(p.Moves))
	for i, move := range p.Moves {
		ids[i] = move.CaseID
	}
	cases, err := r.Cases(ctx, ids)
	for _, c := range cases {
		for i := range p.Moves {
			if p.Moves[i].CaseID == c.ID {
				p.Moves[i].Changed = c.UpdatedAt.After(since)
			}
		}
	}
	return err
}
