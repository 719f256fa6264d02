package casework

import (
	"context"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// EndConflict asks to end a conflict that is in force. A reason is required.
type EndConflict struct {
	Once   Once
	ID     domain.ID
	Reason string
}

// EndConflict proposes to end a conflict; another person must confirm it. Both require the right to
// manage people, and neither may be the conflict's own person.
func (svc *Service) EndConflict(
	ctx context.Context, actor domain.Actor, in EndConflict,
) (ControlResult, error) {
	const operation = "endConflict"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActManagePeople); err != nil {
		return ControlResult{}, err
	}
	reason, err := checkReason(in.Reason)
	if err == nil && reason == "" {
		err = domain.Invalid("reason", "Enter a reason for ending the conflict.")
	}
	if err != nil {
		return ControlResult{}, err
	}
	spec := permissionCommand{operation, domain.PeopleStream, domain.ActManagePeople, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (ControlResult, error) {
			conflict, err := p.activeConflict(in.ID)
			if err != nil {
				return ControlResult{}, err
			}
			if own, err := p.isActor(conflict.Person); err != nil || own {
				return ControlResult{}, firstError(err, ownConflict())
			}
			return p.proposeControl(domain.ControlConflictEnd, in.ID.String(), reason,
				domain.ControlDocument{Person: conflict.Person, Name: conflict.Party})
		})
}

func ownConflict() error {
	return domain.Errorf(domain.FourEyes, "You cannot end your own conflict of interest.").
		WithRemedy(askAnotherAdministrator)
}

// activeConflict returns the conflict, or NotFound if it has ended.
func (p *permissionChange) activeConflict(id domain.ID) (domain.Conflict, error) {
	conflict, err := p.tx.Conflict(p.ctx, id)
	if domain.HasCode(err, domain.NotFound) {
		err = domain.Errorf(domain.NotFound, "The conflict was not found or has already ended.")
	}
	return conflict, err
}

// conflictVersion is always 0: a conflict ends once, and applyConflictEnd checks that it has not.
func conflictVersion(context.Context, store.Reader, string) (int, error) { return 0, nil }

func (p *permissionChange) applyConflictEnd(
	proposal domain.Proposal, _ domain.ControlDocument,
) error {
	id, err := domain.ParseID(proposal.Key)
	if err != nil {
		return err
	}
	conflict, err := p.activeConflict(id)
	if err != nil {
		return err
	}
	if _, err := p.tx.EndConflict(p.ctx, id, p.actor.UserID, proposal.Note,
		proposal.ID); err != nil {
		return err
	}
	p.affectedUsers = append(p.affectedUsers, conflict.Person)
	p.controlChanged(generated.ConflictEndedV1{ConflictID: id, PartyID: conflict.PartyID,
		Person: conflict.Person, Reason: proposal.Note, By: p.actor.UserID,
		ProposedBy: proposal.ProposedBy, ProposalID: proposal.ID})
	return nil
}
