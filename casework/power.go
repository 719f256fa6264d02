package casework

import (
	"context"
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/events"
	"countersign/store"
)

// powers is one change of rights under way: the authority is held alone and its version raised, so running decisions
// were waited for and later ones wait.
type powers struct {
	hall   *Hall
	ctx    context.Context
	tx     *store.Tx
	actor  domain.Actor
	bodies []events.Body
	// touched are the people whose power the change has altered: what they hold is judged anew before the commit.
	touched []domain.ID
	moved   []*transition
}

// tell adds an event of the stream.
func (p *powers) tell(body events.Body) { p.bodies = append(p.bodies, body) }

// powerCommand says what all changes of rights have in common.
type powerCommand struct {
	operation string
	stream    domain.SystemStream
	action    domain.Action // the right that is asked; "" = nobody's leave is needed
	once      Once
	request   any
}

// onPower runs a change of rights in one transaction: replayed or judged, written, told on its stream, and every claim
// that it takes the ground from withdrawn. A refusal is written to the access log.
func onPower[T any](ctx context.Context, h *Hall, actor domain.Actor, in powerCommand, fn func(*powers) (T, error)) (T, error) {
	var result T
	var hints []domain.Hint
	var moved []*transition
	err := h.db.InTx(ctx, func(tx *store.Tx) error {
		replayed, err := h.replay(ctx, tx, actor, in.operation, in.once, in.request, &result)
		if err != nil || replayed {
			return err
		}
		if _, err := tx.RaiseAuthority(ctx); err != nil {
			return err
		}
		if in.action != "" && !actor.System {
			if err := h.mayPlain(ctx, tx.Reader, actor, in.action); err != nil {
				return err
			}
		}
		p := &powers{hall: h, ctx: ctx, tx: tx, actor: actor}
		if result, err = fn(p); err != nil {
			return err
		}
		if err := p.withdraw(); err != nil {
			return err
		}
		moved, hints = p.moved, nil
		if len(p.bodies) > 0 {
			hint, err := h.append(ctx, tx, in.stream, actor, p.bodies)
			if err != nil {
				return err
			}
			hints = append(hints, hint)
		}
		if len(p.touched) > 0 { // they may see less or more now: lists are read anew
			hints = append(hints, domain.Hint{Stream: domain.QueuesTopic})
		}
		return h.keep(ctx, tx, actor, in.operation, in.once, result)
	})
	if err != nil {
		h.refused(ctx, actor, in.operation, domain.NoID, err)
		return result, err
	}
	if len(hints) > 0 {
		h.ports.Bell.Changed(ctx, hints)
	}
	for _, t := range moved {
		h.announce(ctx, t)
	}
	return result, nil
}

// maxWithdrawn bounds the reviews that one change of rights looks at; what lies beyond is asked anew when it is decided.
const maxWithdrawn = 500

// withdraw gives back, in this transaction, the reviews that the people touched hold or were given and may no longer work
// on. Their drafts stay.
func (p *powers) withdraw() error {
	if len(p.touched) == 0 {
		return nil
	}
	held, err := p.tx.HeldBy(p.ctx, p.touched, maxWithdrawn)
	if err != nil || len(held) == 0 {
		return err
	}
	judge, err := p.hall.judgeUncommitted(p.ctx, p.tx.Reader)
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
		if err := p.withdrawOn(judge, users, held[:end]); err != nil {
			return err
		}
		held = held[end:]
	}
	return nil
}

// withdrawOn judges the reviews of one case.
func (p *powers) withdrawOn(judge *authz.Authority, users []domain.User, held []domain.Review) error {
	book, err := readBook(p.ctx, p.tx.Reader)
	if err != nil {
		return err
	}
	c := &command{hall: p.hall, ctx: p.ctx, tx: p.tx, held: &heldAuthority{judge: judge, book: book}}
	c.transition = &transition{actor: p.actor, speed: p.hall.settings.DeadlineSpeed, book: book, seen: p.hall.seen}
	if err := c.lock(held[0].CaseID); err != nil {
		return err
	}
	bars, err := c.barsOf()
	if err != nil {
		return err
	}
	for _, seen := range held {
		review, err := c.review(seen.ID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(users, func(u domain.User) bool { return u.ID == review.Assignee })
		if at < 0 || !open(review) {
			continue // it moved on before it was locked
		}
		facts := store.ReviewFactsOf(c.before, review, *bars, c.def.HasAmount, c.now)
		may, err := c.mayHold(users[at], facts)
		if err != nil {
			return err
		}
		if may != nil {
			c.release(review, withdrawnBecause(users[at], may))
		}
	}
	if !c.touched() {
		return nil
	}
	p.moved = append(p.moved, c.transition)
	return c.write()
}

// mayHold asks whether the person could still take the review up, in their own name or one lent to them; the refusal
// says why not in their own.
func (c *command) mayHold(user domain.User, facts domain.ReviewFacts) (refusal, err error) {
	if _, refusal = c.held.judge.Authorize(user, domain.ActClaim, facts); refusal == nil {
		return nil, nil
	}
	lent, err := c.tx.Lent(c.ctx, user)
	for _, giver := range lent {
		if _, other := c.held.judge.AuthorizeFor(user, giver, domain.ActClaim, facts); other == nil {
			return nil, err
		}
	}
	return refusal, err
}

// withdrawnBecause is the reason as the event names it.
func withdrawnBecause(user domain.User, refusal error) string {
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

// judgeUncommitted is the policy as this transaction sees it. It is never remembered under the authority's raised version:
// that version may be rolled back, and another process may raise it to the same number with another policy.
func (h *Hall) judgeUncommitted(ctx context.Context, r store.Reader) (*authz.Authority, error) {
	policy, err := loadPolicy(ctx, r)
	if err != nil {
		return nil, err
	}
	if held := h.authority.Load(); held != nil && held.policy == policy.Version {
		return held.judge, nil
	}
	return authz.New(policy)
}
