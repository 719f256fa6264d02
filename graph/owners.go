package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
)

func (r queryResolver) ProcessOwners(ctx context.Context, process string) (*donotuse.ProcessOwners, error) {
	read, err := r.views.ProcessOwners(ctx, callerOf(ctx), process)
	if err != nil {
		return nil, err
	}
	shown := &donotuse.ProcessOwners{Process: process, Required: read.Required,
		Since: timeOrNil(read.Since), OwnerIDs: read.Owners, Changes: []shape.ControlChange{}}
	for _, change := range read.Changes {
		shown.Changes = append(shown.Changes, controlChangeOf(change))
	}
	return shown, nil
}

func (processOwnersResolver) Owners(ctx context.Context, shown *donotuse.ProcessOwners) (
	[]domain.User, error) {
	owners := make([]domain.User, 0, len(shown.OwnerIDs))
	for _, id := range shown.OwnerIDs {
		owner, err := loadPerson(ctx, id)
		if err != nil {
			return nil, err
		}
		if owner != nil {
			owners = append(owners, *owner)
		}
	}
	return owners, nil
}

func (ownerOpinionResolver) Person(ctx context.Context, opinion *donotuse.OwnerOpinion) (
	*domain.User, error) {
	return loadPerson(ctx, opinion.PersonID)
}

func (proposalResolver) Sha256(_ context.Context, p *domain.Proposal) (string, error) {
	return p.TextSHA256(), nil
}

func (r proposalResolver) OwnerReviews(ctx context.Context, p *domain.Proposal) (
	[]donotuse.OwnerReview, error) {
	return r.ownerReviews(ctx, *p)
}

func (controlChangeResolver) Sha256(_ context.Context, c *shape.ControlChange) (string, error) {
	return c.Proposal.TextSHA256(), nil
}

func (r controlChangeResolver) OwnerReviews(ctx context.Context, c *shape.ControlChange) (
	[]donotuse.OwnerReview, error) {
	return r.ownerReviews(ctx, c.Proposal)
}

// ownerReviews shows what the owners decided about a proposal that the caller may see.
func (r *resolver) ownerReviews(ctx context.Context, p domain.Proposal) ([]donotuse.OwnerReview, error) {
	reviews, err := r.service.OwnerReviews(ctx, p)
	shown := make([]donotuse.OwnerReview, 0, len(reviews))
	for i := range reviews {
		shown = append(shown, ownerReviewOf(&reviews[i], p.Status, callerOf(ctx).UserID))
	}
	return shown, err
}

// ownerReviewOf shows a review of the owners of one process to the reader.
func ownerReviewOf(review *domain.OwnerReview, status domain.ProposalStatus, reader domain.ID,
) donotuse.OwnerReview {
	one := donotuse.OwnerReview{Process: review.Process, Required: review.Required,
		Approved: len(review.Counted), Rejected: review.Rejected(), WithoutFrom: review.WithoutFrom,
		Decidable: status == domain.ProposalOpen && slices.Contains(review.Eligible, reader)}
	for _, owner := range review.Owners {
		opinion := donotuse.OwnerOpinion{PersonID: owner,
			Eligible: slices.Contains(review.Eligible, owner),
			Counts:   slices.Contains(review.Counted, owner)}
		for _, decision := range review.Decisions {
			if decision.Owner == owner {
				opinion.Decision = ownerDecision(decision.Approved)
				opinion.Reason, opinion.DecidedAt = decision.Reason, timeOrNil(decision.At)
			}
		}
		one.Owners = append(one.Owners, opinion)
	}
	return one
}

var ownerTaskKinds = map[domain.ProposalKind]donotuse.OwnerTaskKind{
	domain.ProposeProcess:   donotuse.OwnerTaskKindText,
	domain.ControlOwners:    donotuse.OwnerTaskKindOwners,
	domain.ControlMigration: donotuse.OwnerTaskKindMigration,
}

func (r queryResolver) OwnerTasks(ctx context.Context) (*donotuse.OwnerTasks, error) {
	found, err := r.service.OwnerTasks(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	shown := &donotuse.OwnerTasks{Owner: found.Owner, Nodes: []donotuse.OwnerTask{}}
	for i := range found.Tasks {
		task := &found.Tasks[i]
		proposal := task.Proposal
		review := ownerReviewOf(&task.Review, proposal.Status, callerOf(ctx).UserID)
		shown.Nodes = append(shown.Nodes, donotuse.OwnerTask{
			ProposalID: scalar.GlobalID(scalar.KindProposal, proposal.ID), Kind: ownerTaskKinds[proposal.Kind],
			Process: proposal.Key, ProposerID: proposal.ProposedBy, ProposedAt: proposal.ProposedAt,
			Note: proposal.Note, Review: review})
	}
	return shown, nil
}

func (ownerTaskResolver) ProposedBy(ctx context.Context, task *donotuse.OwnerTask) (*domain.User, error) {
	return loadPerson(ctx, task.ProposerID)
}

func ownerDecision(approved bool) *donotuse.OwnerDecision {
	decision := donotuse.OwnerDecisionRejected
	if approved {
		decision = donotuse.OwnerDecisionApproved
	}
	return &decision
}

func (r mutationResolver) DecideAsOwner(ctx context.Context, in donotuse.DecideAsOwnerInput) (
	*donotuse.OwnerDecisionPayload, error) {
	id, err := scalar.IDOf(scalar.KindProposal, "proposalId", in.ProposalID)
	if err == nil {
		_, err = r.service.DecideAsOwner(ctx, callerOf(ctx), casework.DecideAsOwner{
			Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, ProposalID: id, SHA256: in.Sha256,
			Approved: in.Decision == donotuse.OwnerDecisionApproved, Reason: valueOrEmpty(in.Reason)})
	}
	payload := &donotuse.OwnerDecisionPayload{}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) ProposeProcessOwners(ctx context.Context,
	in donotuse.ProposeProcessOwnersInput) (*donotuse.ControlPayload, error) {
	command := casework.ProposeOwners{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Process: in.Process, Required: in.Required, Reason: in.Reason}
	for _, text := range in.OwnerIds {
		id, err := scalar.IDOf(scalar.KindPerson, "ownerIds", text)
		if err != nil {
			return controlPayload(nil, false, err)
		}
		command.Owners = append(command.Owners, id)
	}
	done, err := r.service.ProposeOwners(ctx, callerOf(ctx), command)
	return controlPayload([]casework.ControlResult{done}, false, err)
}

// ownersTextOf describes the owners of a proposal; "" for none.
func ownersTextOf(document string) string {
	var owners domain.OwnersDocument
	if json.Unmarshal([]byte(document), &owners) != nil || len(owners.Owners) == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%d/%d)", strings.Join(owners.Names, ", "), owners.Required, len(owners.Owners))
}
