package casework

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// DecideAsOwner asks to approve or reject a proposal as an owner of the process.
type DecideAsOwner struct {
	Once
	ProposalID domain.ID
	// SHA256 is the hash of the text that the owner read, in hexadecimal.
	SHA256   string
	Approved bool
	Reason   string // required for a rejection
}

// DecideAsOwner records what an owner decided. The newest decision counts. It needs no right of the
// policy: two administrators and the present owners named the owner.
func (svc *Service) DecideAsOwner(ctx context.Context, actor domain.Actor, in DecideAsOwner) (
	ProposalResult, error) {
	const operation = "decideAsOwner"
	result, err := svc.tryDecideAsOwner(ctx, actor, operation, in)
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return result, err
}

func (svc *Service) tryDecideAsOwner(ctx context.Context, actor domain.Actor, operation string,
	in DecideAsOwner) (ProposalResult, error) {
	if err := checkScope(actor, domain.ActDecide, domain.ActPublish); err != nil {
		return ProposalResult{}, err
	}
	if actor.OnBehalfOf != domain.NoID || actor.System {
		return ProposalResult{}, domain.Errorf(domain.NotPermitted,
			"An owner decides in their own name only.")
	}
	var err error
	if in.Reason, err = checkReason(in.Reason); err != nil {
		return ProposalResult{}, err
	}
	if !in.Approved && in.Reason == "" {
		return ProposalResult{}, domain.Invalid("reason", "Enter why you reject it.")
	}
	proposal, stream, err := svc.ownedProposal(ctx, in.ProposalID)
	if err != nil {
		return ProposalResult{}, err
	}
	result := resultOf(proposal)
	spec := workSpec{operation: operation, once: in.Once, request: in, result: &result,
		lock: lockShared, stream: stream, callerLogsRefusal: true}
	err = svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
		if _, err := w.tx.LockStream(ctx, stream); err != nil {
			return err
		}
		return svc.decideAsOwner(ctx, w, in)
	})
	return result, err
}

// ownedProposal reads a proposal that owners decide about, and the stream of its events.
func (svc *Service) ownedProposal(ctx context.Context, id domain.ID) (
	proposal domain.Proposal, stream domain.SystemStream, err error) {
	if proposal, err = svc.db.Reader().Proposal(ctx, id); err != nil {
		return proposal, stream, err
	}
	switch proposal.Kind {
	case domain.ProposeProcess:
		return proposal, domain.DefinitionStream(proposal.Key), nil
	case domain.ControlOwners, domain.ControlMigration:
		return proposal, controlKinds[proposal.Kind].stream, nil
	}
	return proposal, stream, noProposal()
}

// decideAsOwner checks and records the decision, in the transaction.
func (svc *Service) decideAsOwner(ctx context.Context, w *unitOfWork, in DecideAsOwner) error {
	proposal, err := w.tx.LockProposal(ctx, in.ProposalID)
	if err != nil {
		return err
	}
	process, err := svc.ownedBy(ctx, w.tx.Reader, proposal, w.actor)
	if err != nil {
		return err
	}
	if _, err := svc.lockOpenProposal(ctx, w.tx, EndProposal{ProposalID: proposal.ID}); err != nil {
		return err
	}
	text := proposal.TextSHA256()
	if !strings.EqualFold(in.SHA256, text) {
		return domain.Errorf(domain.StaleVersion, "The proposed text is another one than you read.").
			WithRemedy("Read the present text, then decide again.").WithDetail("sha256", text)
	}
	if proposal.ProposedBy == w.actor.UserID {
		return domain.Errorf(domain.FourEyes, "You cannot decide about your own proposal as an owner.").
			WithRemedy("Ask another owner.")
	}
	if err := requireIndependent(ctx, w.tx.Reader, proposal.ProposedBy, w.actor.UserID); err != nil {
		return err
	}
	w.emit(generated.ProposalOwnerDecidedV1{ProposalID: proposal.ID, Process: process, SHA256: text,
		Decision: decisionName(in.Approved), Reason: in.Reason})
	return w.tx.AddOwnerDecision(ctx, domain.OwnerDecision{ID: domain.NewID(), ProposalID: proposal.ID,
		Owner: w.actor.UserID, Approved: in.Approved, Reason: in.Reason, SHA256: text})
}

func decisionName(approved bool) string {
	if approved {
		return "approved"
	}
	return "rejected"
}

// ownedBy returns the process whose owner decides about the proposal. For others it is not found, so
// they do not learn which proposals exist.
func (svc *Service) ownedBy(ctx context.Context, r store.Reader, p domain.Proposal, actor domain.Actor) (
	string, error) {
	reviews, err := svc.ownerReviews(ctx, r, p, domain.NoID)
	if err != nil {
		return "", err
	}
	for i := range reviews {
		if slices.Contains(reviews[i].Owners, actor.UserID) {
			return reviews[i].Process, nil
		}
	}
	return "", noProposal()
}

// noProposal is the refusal for a proposal that does not exist, or about which the person does not decide.
func noProposal() error { return domain.Errorf(domain.NotFound, domain.NotFoundMessage) }
