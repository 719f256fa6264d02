package casework

import (
	"context"

	"countersign/domain"
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
	proposal, err := svc.db.Reader().Proposal(ctx, id)
	if err != nil {
		return ProposedMigration{}, err
	}
	if proposal.Kind != domain.ControlMigration {
		return ProposedMigration{}, domain.NewNotFound()
	}
	order, err := proposedOrder(proposal)
	if err != nil {
		return ProposedMigration{}, err
	}
	checked, err := svc.checkMigration(ctx, PlanMigration{Process: proposal.Key, From: order.Plan.From,
		To: order.Plan.To, Nodes: order.chosen(), RestartDeadlines: order.RestartDeadlines})
	if err != nil || order.Undoes == domain.NoID {
		return ProposedMigration{CheckedMigration: checked}, err
	}
	undone, err := svc.Migration(ctx, actor, order.Undoes)
	checked.Cases = undone.Count(domain.Moved)
	return ProposedMigration{CheckedMigration: checked, Undone: &undone}, err
}
