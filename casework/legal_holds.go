package casework

import (
	"context"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// PlaceLegalHold asks to keep a case from being erased.
type PlaceLegalHold struct {
	Once   Once
	CaseID domain.ID
	Reason string
}

// HoldResult is a legal hold that was placed.
type HoldResult struct {
	HoldID domain.ID
	CaseID domain.ID
}

// PlaceLegalHold places a hold immediately. It requires the right to read the audit log or to manage
// people.
func (svc *Service) PlaceLegalHold(ctx context.Context, actor domain.Actor, in PlaceLegalHold) (HoldResult,
	error) {
	const operation = "placeLegalHold"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActReadAudit,
		domain.ActManagePeople); err != nil {
		return HoldResult{}, err
	}
	reason, err := checkControlChanges("caseId", []string{in.CaseID.String()}, in.Reason)
	if err != nil {
		return HoldResult{}, err
	}
	result := HoldResult{HoldID: domain.NewID(), CaseID: in.CaseID}
	spec := workSpec{operation: operation, once: in.Once, request: in, result: &result, lock: lockShared,
		stream: domain.ControlStream, loggedCase: in.CaseID, authorize: func(w *unitOfWork) error {
			return w.command.authorizeHolds()
		}}
	err = svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
		// The lock of the case: an erasure that is confirmed at the same moment is before or after.
		if err := w.command.lock(in.CaseID); err != nil {
			return err
		}
		if !w.command.before.ErasedAt.IsZero() {
			return domain.Errorf(domain.StateMismatch, "The personal data of %s was already erased.",
				w.command.before.Reference)
		}
		w.emit(generated.LegalHoldPlacedV1{HoldID: result.HoldID, CaseID: in.CaseID, By: actor.UserID,
			Reason: reason})
		return w.tx.PutLegalHold(w.ctx, store.LegalHold{ID: result.HoldID, CaseID: in.CaseID,
			Reason: reason, PlacedBy: actor.UserID})
	})
	return result, err
}

// authorizeHolds requires one of the rights by which people see and place holds.
func (c *command) authorizeHolds() error {
	_, err := c.snapshot.authorizer.AuthorizeGlobal(c.persons[0], domain.ActReadAudit)
	if err != nil {
		_, err = c.snapshot.authorizer.AuthorizeGlobal(c.persons[0], domain.ActManagePeople)
	}
	return err
}

// ProposeHoldLift asks to lift a legal hold.
type ProposeHoldLift struct {
	Once   Once
	HoldID domain.ID
	Reason string
}

// ProposeHoldLift proposes to lift a hold, which another administrator must confirm. It requires the
// right to manage people.
func (svc *Service) ProposeHoldLift(ctx context.Context, actor domain.Actor, in ProposeHoldLift) (
	ControlResult, error) {
	const operation = "proposeHoldLift"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActManagePeople); err != nil {
		return ControlResult{}, err
	}
	reason, err := checkControlChanges("holdId", []string{in.HoldID.String()}, in.Reason)
	if err != nil {
		return ControlResult{}, err
	}
	spec := permissionCommand{operation, domain.ControlStream, domain.ActManagePeople, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (ControlResult, error) {
		hold, err := p.tx.LegalHold(p.ctx, in.HoldID)
		if err != nil {
			return ControlResult{}, err
		}
		reference, err := p.tx.CaseReference(p.ctx, hold.CaseID)
		if err != nil {
			return ControlResult{}, err
		}
		if !hold.LiftedAt.IsZero() {
			return ControlResult{}, domain.Errorf(domain.StateMismatch, "The hold was already lifted.")
		}
		return p.proposeControl(domain.ControlLegalHold, hold.ID.String(), reason,
			domain.ControlDocument{Before: hold.Reason, Name: reference})
	})
}

// holdBase is 1 while a hold is in force and 2 after it was lifted.
func holdBase(ctx context.Context, r store.Reader, key string) (int, error) {
	id, err := domain.ParseID(key)
	if err != nil {
		return 0, domain.NewNotFound()
	}
	hold, err := r.LegalHold(ctx, id)
	if err != nil || hold.LiftedAt.IsZero() {
		return 1, err
	}
	return 2, nil
}

func (p *permissionChange) applyHoldLift(proposal domain.Proposal, _ domain.ControlDocument) error {
	id, err := domain.ParseID(proposal.Key)
	if err != nil {
		return domain.Errorf(domain.Internal, "The hold of the proposal cannot be read.").WithCause(err)
	}
	hold, err := p.tx.LegalHold(p.ctx, id)
	if err != nil {
		return err
	}
	if err := p.tx.LiftLegalHold(p.ctx, id, proposal.ID); err != nil {
		return err
	}
	p.emit(generated.LegalHoldLiftedV1{HoldID: id, CaseID: hold.CaseID, By: p.actor.UserID,
		ProposedBy: proposal.ProposedBy, ProposalID: proposal.ID, Reason: proposal.Note})
	return nil
}
