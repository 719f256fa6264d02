package casework

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// OwnerReviews returns what the owners of processes decided about a proposal, by process: empty if it
// needs no owners. The caller has checked that the reader may see the proposal.
func (svc *Service) OwnerReviews(ctx context.Context, p domain.Proposal) ([]domain.OwnerReview, error) {
	return svc.ownerReviews(ctx, svc.db.Reader(), p, domain.NoID)
}

// ownerReviews returns the reviews of the owners in force, as they count if the person publishes the
// proposal. The owners that a proposal names are not asked.
func (svc *Service) ownerReviews(ctx context.Context, r store.Reader, p domain.Proposal,
	publisher domain.ID) ([]domain.OwnerReview, error) {
	if p.Kind != domain.ProposeProcess && p.Kind != domain.ControlOwners &&
		p.Kind != domain.ControlMigration {
		return nil, nil
	}
	owned, err := r.OwnedProcesses(ctx)
	if err != nil || len(owned) == 0 {
		return nil, err
	}
	var reviews []domain.OwnerReview
	for _, owners := range owned {
		asked := owners.Process == p.Key
		if !asked && p.Kind == domain.ProposeProcess {
			if asked, err = svc.takesOver(ctx, r, p, owners.Process); err != nil {
				return nil, err
			}
		}
		if !asked {
			continue
		}
		review, err := svc.ownerReview(ctx, r, owners, p, publisher)
		if err != nil {
			return nil, err
		}
		reviews = append(reviews, review)
	}
	return reviews, nil
}

// takesOver reports whether the proposed text accepts a document type of the owned process that its
// version in force does not accept. Otherwise another process would be a way around the owners.
func (svc *Service) takesOver(ctx context.Context, r store.Reader, p domain.Proposal, process string) (
	bool, error) {
	after, err := workflow.Parse([]byte(p.Document))
	if err != nil {
		return false, err
	}
	before, err := svc.inForce(ctx, r, p.Key)
	if err != nil {
		return false, err
	}
	owned, err := svc.inForce(ctx, r, process)
	if err != nil {
		return false, err
	}
	return acceptsMore(before, after, owned), nil
}

// inForce returns the newest version of a process; nil if it has none.
func (svc *Service) inForce(ctx context.Context, r store.Reader, key string) (*workflow.Definition, error) {
	newest, err := r.NewestDefinition(ctx, key)
	if err != nil || newest == 0 {
		return nil, err
	}
	return svc.definitions.get(ctx, r, key, newest)
}

// acceptsMore reports whether a document type of the owned process is accepted after the change and not
// before. A process without a list of types accepts all; a callable one has no cases.
func acceptsMore(before, after, owned *workflow.Definition) bool {
	accepts := func(def *workflow.Definition, documentType string) bool {
		return def != nil && !def.Callable &&
			(len(def.DocumentTypes) == 0 || slices.Contains(def.DocumentTypes, documentType))
	}
	if owned == nil || owned.Callable || after.Callable {
		return false
	}
	types := owned.DocumentTypes
	if len(types) == 0 {
		if types = after.DocumentTypes; len(types) == 0 {
			return before == nil || len(before.DocumentTypes) > 0
		}
	}
	return slices.ContainsFunc(types, func(documentType string) bool {
		return accepts(after, documentType) && !accepts(before, documentType)
	})
}

// ownerReview counts the approvals of the owners of one process. An approval counts once for a person,
// for the text that they read, while their account is active and independent of the proposer and of the
// publisher.
func (svc *Service) ownerReview(ctx context.Context, r store.Reader, owners domain.ProcessOwners,
	p domain.Proposal, publisher domain.ID) (domain.OwnerReview, error) {
	review := domain.OwnerReview{ProcessOwners: owners,
		WithoutFrom: domain.LaterTime(p.ProposedAt, owners.Since).Add(svc.settings.OwnersWait)}
	var err error
	if review.Decisions, err = r.OwnerDecisions(ctx, p.ID, owners.Owners); err != nil {
		return review, err
	}
	people, err := r.Users(ctx, owners.Owners)
	if err != nil {
		return review, err
	}
	text := sha256Hex(p.Document)
	for _, person := range people {
		if person.Disabled {
			continue
		}
		refusal := requireIndependent(ctx, r, p.ProposedBy, person.ID)
		if refusal == nil && publisher != domain.NoID && publisher != person.ID {
			refusal = requireOwnApproval(ctx, r, person.ID, publisher)
		}
		switch {
		case domain.HasCode(refusal, domain.FourEyes):
			continue
		case refusal != nil:
			return review, refusal
		}
		review.Eligible = append(review.Eligible, person.ID)
		approved := slices.ContainsFunc(review.Decisions, func(d domain.OwnerDecision) bool {
			return d.Owner == person.ID && d.Approved && d.SHA256 == text
		})
		if approved && !person.AnyAccountIn(review.Counted) {
			review.Counted = append(review.Counted, person.ID)
		}
	}
	return review, nil
}

// requireOwnApproval refuses an approval by an account that the publisher made or reset, because it may
// be the publisher's.
func requireOwnApproval(ctx context.Context, r store.Reader, owner, publisher domain.ID) error {
	dependent, err := r.DependentUsers(ctx, owner, publisher, independencePeriod)
	if err != nil || !dependent {
		return err
	}
	return domain.Errorf(domain.FourEyes, "You made or reset the account of this owner.")
}

// publishedWithoutOwners is what is recorded about a proposal that is published without owners; zero if
// they approved it.
type publishedWithoutOwners struct {
	reason string
	bodies []events.Body
}

// requireOwners refuses a proposal that the owners of a process did not approve, unless it waited long
// enough for them, none of them rejected it, and the person gives a reason. It runs under the lock of
// the authority, so the owners do not change meanwhile.
func (svc *Service) requireOwners(ctx context.Context, r store.Reader, p domain.Proposal, by domain.ID,
	reason string) (without publishedWithoutOwners, err error) {
	reviews, err := svc.ownerReviews(ctx, r, p, by)
	if err != nil {
		return without, err
	}
	if reason, err = checkReason(reason); err != nil {
		return without, err
	}
	now, err := r.Clock(ctx)
	if err != nil {
		return without, err
	}
	for i := range reviews {
		review := &reviews[i]
		if review.Approved() {
			continue
		}
		if reason == "" || review.Rejected() || now.Before(review.WithoutFrom) {
			return without, missingOwners(ctx, r, review, now)
		}
		without.reason = reason
		without.bodies = append(without.bodies, generated.ProposalPublishedWithoutOwnersV1{
			ProposalID: p.ID, Process: review.Process, Owners: review.Owners, By: by, Reason: reason})
	}
	return without, nil
}

// missingOwners is the refusal of a proposal that needs the approval of owners. It names who can approve.
func missingOwners(ctx context.Context, r store.Reader, review *domain.OwnerReview, now time.Time) error {
	names := map[domain.ID]string{}
	people, err := r.Users(ctx, review.Owners)
	if err != nil {
		return err
	}
	for _, person := range people {
		names[person.ID] = person.Name
	}
	remaining := []string{}
	for _, id := range review.Undecided() {
		remaining = append(remaining, names[id])
	}
	message := fmt.Sprintf("The process %s needs the approval of %d of its owners; %d approved.",
		review.Process, review.Required, len(review.Counted))
	for _, decision := range review.Decisions {
		if !decision.Approved {
			message += fmt.Sprintf(" %s rejected it: “%s”", names[decision.Owner], firstLine(decision.Reason))
		}
	}
	refusal := domain.Errorf(domain.FourEyes, "%s", message).
		WithDetail("reason", "owners").WithDetail("process", review.Process).
		WithDetail("required", strconv.Itoa(review.Required)).
		WithDetail("approved", strconv.Itoa(len(review.Counted))).
		WithDetail("owners", strings.Join(remaining, ", "))
	switch {
	case len(remaining) > 0:
		return refusal.WithRemedy("Ask %s to approve it.", strings.Join(remaining, " or "))
	case review.Rejected():
		return refusal.WithRemedy("Propose another text, or change the owners of the process.")
	case now.Before(review.WithoutFrom):
		return refusal.WithRemedy("From %s two administrators can publish it without the owners, with a reason.",
			review.WithoutFrom.UTC().Format("2006-01-02 15:04 MST"))
	}
	return refusal.WithRemedy("Publish it without the owners, with a reason.")
}
