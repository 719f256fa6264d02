package casework

import (
	"context"
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/events"
	"countersign/store"
)

// permissionChange is one change of permissions in progress. It holds the authority row exclusively
// and has incremented its version, so it waits for running decisions, and later ones wait for it.
type permissionChange struct {
	svc    *Service
	ctx    context.Context
	tx     *store.Tx
	actor  domain.Actor
	bodies []events.Body
	// affectedUsers are the people whose permissions changed. Their reviews are checked again
	// before the commit.
	affectedUsers       []domain.ID
	releasedTransitions []*transition
}

// emit adds an event to the change's stream.
func (p *permissionChange) emit(body events.Body) { p.bodies = append(p.bodies, body) }

// permissionCommand describes one permission change to runPermissionChange.
type permissionCommand struct {
	operation string
	stream    domain.SystemStream
	action    domain.Action // the required right; "" = checked by the change itself
	once      Once
	request   any
}

// runPermissionChange runs a permission change in one transaction: it replays a stored outcome or
// authorises and applies the change, releases the reviews that are no longer permitted, and appends
// the events to the stream. It records a refusal in the access log.
func runPermissionChange[T any](
	ctx context.Context, svc *Service, actor domain.Actor, in permissionCommand,
	fn func(*permissionChange) (T, error),
) (T, error) {
	var result T
	var hints []domain.Hint
	var released []*transition
	err := svc.db.InTx(ctx, func(tx *store.Tx) error {
		replayed, err := svc.replayOrReserve(ctx, tx, actor, in.operation, in.once,
			in.request, &result)
		if err != nil || replayed {
			return err
		}
		if _, err := tx.IncrementAuthority(ctx); err != nil {
			return err
		}
		if in.action != "" && !actor.System {
			if err := svc.authorizeAction(ctx, tx.Reader, actor, in.action); err != nil {
				return err
			}
		}
		p := &permissionChange{svc: svc, ctx: ctx, tx: tx, actor: actor}
		if result, err = fn(p); err != nil {
			return err
		}
		if err := p.releaseForbiddenReviews(); err != nil {
			return err
		}
		released, hints = p.releasedTransitions, nil
		if len(p.bodies) > 0 {
			hint, err := svc.appendEvents(ctx, tx, in.stream, actor, p.bodies)
			if err != nil {
				return err
			}
			hints = append(hints, hint)
		}
		if len(p.affectedUsers) > 0 { // they may see less or more now, so lists reload
			hints = append(hints, domain.Hint{Stream: domain.QueuesTopic})
		}
		return svc.storeOutcome(ctx, tx, actor, in.operation, in.once, result)
	})
	if err != nil {
		svc.logRefusal(ctx, actor, in.operation, domain.NoID, err)
		return result, err
	}
	if len(hints) > 0 {
		svc.ports.Notifier.PublishHints(ctx, hints)
	}
	for _, t := range released {
		svc.notifyCommitted(ctx, t)
	}
	return result, nil
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
	queues, err := loadQueueConfig(p.ctx, p.tx.Reader)
	if err != nil {
		return err
	}
	c := &command{svc: p.svc, ctx: p.ctx, tx: p.tx,
		snapshot: &authoritySnapshot{authorizer: authorizer, queueConfig: queues}}
	c.transition = &transition{actor: p.actor, deadlineSpeed: p.svc.settings.DeadlineSpeed,
		queueConfig: queues, observe: p.svc.observe}
	if err := c.lock(reviews[0].CaseID); err != nil {
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
	p.releasedTransitions = append(p.releasedTransitions, c.transition)
	return c.write()
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
