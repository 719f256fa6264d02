package casework

import (
	"context"
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/internal/tracing"
	"countersign/store"
)

// permissionChange is one change of permissions in progress. It holds the authority row exclusively
// and has incremented its version, so it waits for running decisions, and later ones wait for it.
type permissionChange struct {
	*unitOfWork
	// affectedUsers are the people whose permissions changed. Their reviews are checked again
	// before the commit.
	affectedUsers []domain.ID
	// link is the link to choose a password that the change made.
	link *SignInLink
	// erasedFiles are the keys of the files of erased cases.
	erasedFiles []string
}

// permissionCommand describes one permission change to runPermissionChange.
type permissionCommand struct {
	operation string
	stream    domain.SystemStream
	action    domain.Action // the required right; "" = checked by the change itself
	once      Once
	request   any
}

// runPermissionChange runs a permission change as a unit of work with the authority locked
// exclusively. Before the commit it releases the reviews that are no longer permitted.
func runPermissionChange[T any](ctx context.Context, svc *Service, actor domain.Actor,
	in permissionCommand, fn func(*permissionChange) (T, error),
) (T, error) {
	var result T
	spec := workSpec{operation: in.operation, once: in.once, request: in.request, result: &result,
		lock: lockExclusive, stream: in.stream}
	if in.action != "" && !actor.System {
		spec.authorize = func(w *unitOfWork) error {
			return svc.authorizeAction(ctx, w.tx.Reader, actor, in.action)
		}
	}
	err := svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
		p := &permissionChange{unitOfWork: w}
		var err error
		if result, err = fn(p); err != nil {
			return err
		}
		if err := p.putControlChanges(); err != nil {
			return err
		}
		if len(p.affectedUsers) > 0 { // they may see less or more now, so lists reload
			w.hints = append(w.hints, domain.Hint{Stream: domain.QueuesTopic})
		}
		return p.releaseForbiddenReviews()
	})
	return result, err
}

// isActor reports whether the account belongs to the person who acts.
func (p *permissionChange) isActor(account domain.ID) (bool, error) {
	return p.tx.SamePerson(p.ctx, p.actor.UserID, account)
}

// maxRecheckedReviews bounds the reviews that one permission change checks. The remaining ones are
// checked when they are decided.
const maxRecheckedReviews = 500

// releaseForbiddenReviews releases, in this transaction, the reviews that affected users hold or
// were assigned but may no longer claim. Their drafts are kept.
func (p *permissionChange) releaseForbiddenReviews() error {
	if len(p.affectedUsers) == 0 {
		return nil
	}
	reviews, err := p.tx.UndecidedReviewsOf(p.ctx, p.affectedUsers, maxRecheckedReviews)
	if err != nil || len(reviews) == 0 {
		return err
	}
	authorizer, err := p.svc.uncommittedAuthorizer(p.ctx, p.tx.Reader)
	if err != nil {
		return err
	}
	assignees := make([]domain.ID, len(reviews))
	for i := range reviews {
		assignees[i] = reviews[i].Assignee
	}
	users, err := p.tx.Users(p.ctx, assignees)
	if err != nil {
		return err
	}
	for len(reviews) > 0 {
		end := 1
		for end < len(reviews) && reviews[end].CaseID == reviews[0].CaseID {
			end++
		}
		if err := p.releaseForbiddenOnCase(authorizer, users, reviews[:end]); err != nil {
			return err
		}
		reviews = reviews[end:]
	}
	return nil
}

// releaseForbiddenOnCase checks and releases the reviews of one case.
func (p *permissionChange) releaseForbiddenOnCase(
	authorizer *authz.Authority, users []domain.User, reviews []domain.Review,
) error {
	c, err := p.onCase(authorizer, reviews[0].CaseID)
	if err != nil {
		return err
	}
	exclusions, err := c.loadExclusions()
	if err != nil {
		return err
	}
	for _, unlocked := range reviews {
		review, err := c.lockedReview(unlocked.ID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(users, func(u domain.User) bool { return u.ID == review.Assignee })
		if at < 0 || !isOpen(review) {
			continue // changed before it was locked
		}
		facts := store.NewReviewFacts(c.before, review, *exclusions, c.def.HasAmount, c.now)
		refusal, err := c.stillMayClaim(users[at], facts)
		if err != nil {
			return err
		}
		if refusal != nil {
			c.releaseReview(review, releaseReason(users[at], refusal))
		}
	}
	if !c.hasChanges() {
		return nil
	}
	return p.write(c)
}

// onCase locks a case for a change that follows from the change of permissions.
func (p *permissionChange) onCase(authorizer *authz.Authority, caseID domain.ID) (*command, error) {
	queues, err := loadQueueConfig(p.ctx, p.tx.Reader)
	if err != nil {
		return nil, err
	}
	c := &command{svc: p.svc, ctx: p.ctx, tx: p.tx,
		snapshot: &authoritySnapshot{authorizer: authorizer, queueConfig: queues}}
	c.transition = &transition{actor: p.actor, traceparent: tracing.Traceparent(c.ctx), deadlineSpeed: p.svc.settings.DeadlineSpeed,
		queueConfig: queues, observe: p.svc.observe}
	return c, c.lock(caseID)
}

// stillMayClaim reports whether the user could still claim the review, in their own name or on
// behalf of a delegator. The refusal is the one for their own name.
func (c *command) stillMayClaim(user domain.User, facts domain.ReviewFacts) (refusal, err error) {
	if _, refusal = c.snapshot.authorizer.Authorize(user, domain.ActClaim, facts); refusal == nil {
		return nil, nil
	}
	delegators, err := c.tx.Delegators(c.ctx, user)
	for _, delegator := range delegators {
		if _, onBehalf := c.snapshot.authorizer.AuthorizeOnBehalfOf(user, delegator,
			domain.ActClaim, facts); onBehalf == nil {
			return nil, err
		}
	}
	return refusal, err
}

// releaseReason returns the reason for the ReviewReleased event.
func releaseReason(user domain.User, refusal error) string {
	switch domain.CodeOf(refusal) {
	case domain.ConflictOfInterest, domain.OwnDocument, domain.FourEyes:
		return "conflict"
	case domain.ApprovalLimit:
		return "limit_lowered"
	}
	if user.Disabled {
		return "disabled"
	}
	return "role_removed"
}

// uncommittedAuthorizer returns the policy as this transaction sees it. It is never cached under
// the incremented authority version: that version may be rolled back, and another process may then
// use the same number for another policy.
func (svc *Service) uncommittedAuthorizer(
	ctx context.Context, r store.Reader,
) (*authz.Authority, error) {
	policy, err := loadPolicy(ctx, r)
	if err != nil {
		return nil, err
	}
	if cached := svc.snapshot.Load(); cached != nil && cached.policyVersion == policy.Version {
		return cached.authorizer, nil
	}
	return authz.New(policy)
}
