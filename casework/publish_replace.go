package casework

import (
	"context"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
)

// replacedReason is the reason of a proposal that was withdrawn because another text replaces it.
const replacedReason = "Replaced by another text."

// replaceProposal withdraws the open proposal that a new text changes, if there is one. It is refused
// if another person has changed or ended that proposal meanwhile: both texts are kept, as proposals.
func replaceProposal(ctx context.Context, tx *store.Tx, actor domain.Actor,
	text domain.Proposal, replaces domain.ID) ([]events.Body, error) {
	if replaces == domain.NoID {
		return nil, nil
	}
	current, err := tx.LockProposal(ctx, replaces)
	if err == nil && (current.Kind != text.Kind || current.Key != text.Key) {
		err = domain.Errorf(domain.NotFound, "The proposal was not found.")
	}
	if err != nil {
		return nil, err
	}
	if current.Status != domain.ProposalOpen {
		by, err := tx.User(ctx, current.DecidedBy)
		if err != nil {
			return nil, err
		}
		return nil, domain.Errorf(domain.StaleVersion,
			"The proposal that you changed is already %s, by %s. Your text was not proposed.",
			current.Status, by.Name).
			WithRemedy("Compare your text with the present proposals, then propose it again.").
			WithDetail("status", string(current.Status))
	}
	return withdrawProposal(ctx, tx, actor, current, replacedReason)
}

// withdrawProposal ends an open proposal without publishing it.
func withdrawProposal(ctx context.Context, tx *store.Tx, actor domain.Actor, p domain.Proposal,
	reason string) ([]events.Body, error) {
	if err := tx.EndProposal(ctx, p.ID, domain.ProposalWithdrawn, actor.UserID, reason); err != nil {
		return nil, err
	}
	return []events.Body{generated.DefinitionWithdrawnV1{Kind: string(p.Kind), Key: p.Key,
		ProposalID: p.ID, By: actor.UserID, ProposedBy: p.ProposedBy,
		DefinitionVersion: int64(p.Base + 1), Reason: reason}}, nil
}
