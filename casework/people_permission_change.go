package casework

import (
	"context"
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/events"
	"countersign/store"
)

// permissionChange is one change of rights under way: the authority is held alone and its version raised, so running decisions
// were waited for and later ones wait.
type permissionChange struct {
	svc    *Service
	ctx    context.Context
	tx     *store.Tx
	actor  domain.Actor
	bodies []events.Body
	// affectedUsers are the people whose power the change has altered: what they hold is evaluated again before the commit.
	affectedUsers       []domain.ID
	releasedTransitions []*transition
}

// emit adds an event of the stream.
func (p *permissionChange) emit(body events.Body) { p.bodies = append(p.bodies, body) }

// permissionCommand says what all changes of rights have in common.
type permissionCommand struct {
	operation string
	stream    domain.SystemStream
	action    domain.Action // the right that is asked; "" = nobody's leave is needed
	once      Once
	request   any
}

// runPermissionChange runs a change of rights in one transaction: replayed or judged, written, emitted on its stream, and every claim
// that it takes the ground from withdrawn. A refusal is written to the access log.
func runPermissionChange[T any](ctx context.Context, svc *Service, actor domain.Actor, in permissionCommand, fn func(*permissionChange) (T, error)) (T, error) {
	var result T
	var hints []domain.Hint
	var moved []*transition
	err := svc.db.InTx(ctx, func(tx *store.Tx) error {
		replayed, err := svc.replayOrReserve(ctx, tx, actor, in.operation, in.once, in.request, &result)
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
		moved, hints = p.releasedTransitions, nil
		if len(p.bodies) > 0 {
			hint, err := svc.appendEvents(ctx, tx, in.stream, actor, p.bodies)
			if err != nil {
				return err
			}
			hints = append(hints, hint)
		}
		if len(p.affectedUsers) > 0 { // they may see less or more now: lists are reloaded
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
	for _, t := range moved {
		svc.notifyCommitted(ctx, t)
	}
	return result, nil
}

// maxRecheckedReviews bounds the reviews that one change of rights looks at; what lies beyond is evaluated again when it is decided.
const maxRecheckedReviews = 500

// releaseForbiddenReviews gives back, in this transaction, the reviews that the people touched hold or were given and may no longer work
// on. Their drafts stay.
func (p *permissionChange) releaseForbiddenReviews() error {
	if len(p.affectedUsers) == 0 {
		return nil
	}
	held, err := p.tx.UndecidedReviewsOf(p.ctx, p.affectedUsers, maxRecheckedReviews)
	if err != nil || len(held) == 0 {
		return err
	}
	authorizer, err := p.svc.uncommittedAuthorizer(p.ctx, p.tx.Reader)
	if err != nil {
		return err
	}
	holders := make([]domain.ID, len(held))
	for i := range held {
		holders[i] = held[i].Assignee
	}
	users, err := p.tx.Users(p.ctx, holders)
	if err != nil {
		return err
	}
	for len(held) > 0 {
		end := 1
		for end < len(held) && held[end].CaseID == held[0].CaseID {
			end++
		}
		if err := p.releaseForbiddenOnCase(authorizer, users, held[:end]); err != nil {
			return err
		}
		held = held[end:]
	}
	return nil
}

// releaseForbiddenOnCase judges the reviews of one case.
func (p *permissionChange) releaseForbiddenOnCase(authorizer *authz.Authority, users []domain.User, held []domain.Review) error {
	queues, err := loadQueueConfig(p.ctx, p.tx.Reader)
	if err != nil {
		return err
	}
	c := &command{svc: p.svc, ctx: p.ctx, tx: p.tx, snapshot: &authoritySnapshot{authorizer: authorizer, queueConfig: queues}}
	c.transition = &transition{actor: p.actor, deadlineSpeed: p.svc.settings.DeadlineSpeed, queueConfig: queues, observe: p.svc.observe}
	if err := c.lock(held[0].CaseID); err != nil {
		return err
	}
	exclusions, err := c.loadExclusions()
	if err != nil {
		return err
	}
	for _, seen := range held {
		review, err := c.lockedReview(seen.ID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(users, func(u domain.User) bool { return u.ID == review.Assignee })
		if at < 0 || !isOpen(review) {
			continue // it moved on before it was locked
		}
		facts := store.NewReviewFacts(c.before, review, *exclusions, c.def.HasAmount, c.now)
		may, err := c.stillMayClaim(users[at], facts)
		if err != nil {
			return err
		}
		if may != nil {
			c.releaseReview(review, releaseReason(users[at], may))
		}
	}
	if !c.hasChanges() {
		return nil
	}
	p.releasedTransitions = append(p.releasedTransitions, c.transition)
	return c.write()
}

// stillMayClaim asks whether the person could still take the review up, in their own name or one lent to them; the refusal
// says why not in their own.
func (c *command) stillMayClaim(user domain.User, facts domain.ReviewFacts) (refusal, err error) {
	if _, refusal = c.snapshot.authorizer.Authorize(user, domain.ActClaim, facts); refusal == nil {
		return nil, nil
	}
	delegators, err := c.tx.Delegators(c.ctx, user)
	for _, delegator := range delegators {
		if _, other := c.snapshot.authorizer.AuthorizeOnBehalfOf(user, delegator, domain.ActClaim, facts); other == nil {
			return nil, err
		}
	}
	return refusal, err
}

// releaseReason is the reason as the event names it.
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

// uncommittedAuthorizer is the policy as this transaction sees it. It is never remembered under the authority's raised version:
// that version may be rolled back, and another process may raise it to the same number with another policy.
func (svc *Service) uncommittedAuthorizer(ctx context.Context, r store.Reader) (*authz.Authority, error) {
	policy, err := loadPolicy(ctx, r)
	if err != nil {
		return nil, err
	}
	if held := svc.snapshot.Load(); held != nil && held.policyVersion == policy.Version {
		return held.authorizer, nil
	}
	return authz.New(policy)
}
