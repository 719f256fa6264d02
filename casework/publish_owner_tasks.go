package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/store"
)

// maxOwnerTasks limits the open proposals that are compared with the processes of an owner.
const maxOwnerTasks = 100

// OwnerTask is an open proposal that waits for the decision of an owner.
type OwnerTask struct {
	Proposal domain.Proposal
	Review   domain.OwnerReview // of the process whose owner decides
}

// OwnerTasks are the open proposals about which a person can decide as an owner, and did not.
type OwnerTasks struct {
	// Owner says that the person owns a process.
	Owner bool
	Tasks []OwnerTask
}

// OwnerTasks returns what waits for the person as an owner: newest first, without proposals that enough
// owners approved. For people who own nothing it is empty and reads no proposal.
func (svc *Service) OwnerTasks(ctx context.Context, actor domain.Actor) (found OwnerTasks, err error) {
	if err := checkScope(actor, domain.ActRead, domain.ActDecide); err != nil {
		return found, err
	}
	if actor.UserID == domain.NoID {
		return found, domain.Errorf(domain.Unauthenticated, "Please sign in.")
	}
	r := svc.db.Reader()
	if actor.OnBehalfOf != domain.NoID {
		return found, nil // an owner decides in their own name only
	}
	if found.Owner, err = r.OwnsProcess(ctx, actor.UserID); err != nil || !found.Owner {
		return found, err
	}
	open, err := r.Proposals(ctx, store.ProposalQuery{Kinds: []domain.ProposalKind{domain.ProposeProcess,
		domain.ControlOwners, domain.ControlMigration}, Status: domain.ProposalOpen, Limit: maxOwnerTasks})
	if err != nil {
		return found, err
	}
	for _, proposal := range open {
		reviews, err := svc.ownerReviews(ctx, r, proposal, domain.NoID)
		if domain.CodeOf(err).Kind() == domain.KindInvalid { // a text that this program cannot read hides no other one
			svc.log.WarnContext(ctx, "owners of a proposal not known", "proposal", proposal.ID, "error", err)
			continue
		}
		if err != nil {
			return found, err
		}
		for i := range reviews {
			if waitsFor(&reviews[i], proposal, actor.UserID) {
				found.Tasks = append(found.Tasks, OwnerTask{proposal, reviews[i]})
			}
		}
	}
	return found, nil
}

// waitsFor reports whether the decision of the owner about the present text is missing.
func waitsFor(review *domain.OwnerReview, proposal domain.Proposal, owner domain.ID) bool {
	text := sha256Hex(proposal.Document)
	return slices.Contains(review.Eligible, owner) && !review.Approved() &&
		!slices.ContainsFunc(review.Decisions, func(d domain.OwnerDecision) bool {
			return d.Owner == owner && d.SHA256 == text
		})
}
