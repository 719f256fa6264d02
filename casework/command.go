package casework

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// Once makes a command idempotent: the same person, operation and key lead to the same outcome. An empty Key asks for
// nothing.
type Once struct {
	Key string
	// Expect are the statuses for which the command is meant; in another it is StateMismatch with the present one, told to
	// whom the rest of the command would be granted. None asks for nothing.
	Expect []domain.Status `json:",omitempty"`
}

// command is one person's command under way: everything it holds is locked until the commit.
type command struct {
	*transition
	hall      *Hall
	ctx       context.Context
	tx        *store.Tx
	held      *heldAuthority
	authority store.Authority
	persons   []domain.User // the actor, then the person stood in for
	bars      *store.Bars
	reviews   []domain.Review
}

// onCase runs a person's command on one case: locks in the house's order, runs fn, writes, commits, rings. A refusal is
// written to the access log before it is answered.
func onCase[T any](ctx context.Context, h *Hall, actor domain.Actor, operation string, caseID domain.ID, once Once, request any,
	fn func(*command) (T, error),
) (T, error) {
	var result T
	var after *transition
	err := h.db.InTx(ctx, func(tx *store.Tx) error {
		replayed, err := h.replay(ctx, tx, actor, operation, once, request, &result)
		if err != nil || replayed {
			return err
		}
		cmd, err := h.begin(ctx, tx, actor)
		if err != nil {
			return err
		}
		if err := cmd.lock(caseID); err != nil {
			return err
		}
		if result, err = fn(cmd); err != nil {
			return err
		}
		if err := workflow.ExpectStatus(cmd.before.Status, once.Expect...); err != nil {
			return err
		}
		if err := cmd.write(); err != nil {
			return err
		}
		after = cmd.transition
		return h.keep(ctx, tx, actor, operation, once, result)
	})
	if err != nil {
		h.refused(ctx, actor, operation, caseID, err)
		return result, err
	}
	if after != nil {
		h.announce(ctx, after)
	}
	return result, nil
}

// begin holds the authority and the persons behind the act.
func (h *Hall) begin(ctx context.Context, tx *store.Tx, actor domain.Actor) (*command, error) {
	hold, err := h.hold(ctx, tx, behind(actor)...)
	if err != nil {
		return nil, err
	}
	return hold.command(ctx, tx, h, actor)
}

// behind are the persons behind an act: the actor, then the person stood in for.
func behind(actor domain.Actor) []domain.ID {
	if actor.OnBehalfOf == domain.NoID {
		return []domain.ID{actor.UserID}
	}
	return []domain.ID{actor.UserID, actor.OnBehalfOf}
}

// holding is the authority and the persons that a transaction holds.
type holding struct {
	held      *heldAuthority
	authority store.Authority
	users     []domain.User
}

func (h *Hall) hold(ctx context.Context, tx *store.Tx, people ...domain.ID) (*holding, error) {
	authority, users, err := tx.HoldAuthority(ctx, people...)
	if err != nil {
		return nil, err
	}
	held, err := h.judgeAt(ctx, tx.Reader, authority.Version)
	return &holding{held, authority, users}, err
}

// command begins a person's command under what is held.
func (o *holding) command(ctx context.Context, tx *store.Tx, h *Hall, actor domain.Actor) (*command, error) {
	cmd := &command{hall: h, ctx: ctx, tx: tx, held: o.held, authority: o.authority}
	at := slices.IndexFunc(o.users, func(u domain.User) bool { return u.ID == actor.UserID })
	if at < 0 || (o.users[at].Disabled && !actor.System) {
		return nil, domain.Fail(domain.Unauthenticated, "This account does not exist or is disabled.")
	}
	cmd.persons = []domain.User{o.users[at]}
	cmd.transition = &transition{actor: actor, speed: h.settings.DeadlineSpeed, book: o.held.book, seen: h.seen}
	return cmd, cmd.standIn(o.users)
}

// lock takes the case's row and loads its definition.
func (c *command) lock(caseID domain.ID) error {
	locked, now, err := c.tx.LockCase(c.ctx, caseID)
	if err != nil {
		return err
	}
	def, err := c.hall.definitions.get(c.ctx, c.tx.Reader, locked.ProcessKey, locked.ProcessVersion)
	if err != nil {
		return err
	}
	c.transition.start(locked, def, now)
	return nil
}

// write chains the events and applies the change; a command that changed nothing writes nothing.
func (c *command) write() error {
	if !c.touched() {
		return nil
	}
	if err := c.finish(c.hall.salts); err != nil {
		return err
	}
	applied, err := c.tx.Apply(c.ctx, &c.change)
	if err == nil && !applied {
		err = fmt.Errorf("casework: the locked case %s had another version", c.change.Case.ID)
	}
	return err
}

// announce rings the new rows and tells of the events, after the commit.
func (h *Hall) announce(ctx context.Context, t *transition) {
	if wakes := t.wakes(); len(wakes) > 0 {
		h.ports.Bell.Ring(ctx, wakes)
	}
	hint, ok := t.hint()
	if !ok {
		return
	}
	hints := []domain.Hint{hint}
	// Queues and counts of what waits are lists of reviews and of incidents.
	if len(t.change.Reviews)+len(t.change.ReviewEdits) > 0 || t.due() || (t.before.Status == domain.Incident) != (t.change.Case.Status == domain.Incident) {
		hints = append(hints, domain.Hint{Stream: domain.QueuesTopic})
	}
	h.ports.Bell.Changed(ctx, hints)
}

// replay returns the stored outcome of a command that was done before under the same key.
func (h *Hall) replay(ctx context.Context, tx *store.Tx, actor domain.Actor, operation string, once Once, request, result any) (bool, error) {
	if once.Key == "" {
		return false, nil
	}
	if len(once.Key) > 200 {
		return false, domain.Invalid("idempotencyKey", "the idempotency key is longer than 200 characters")
	}
	hash, err := requestHash(inNameOf(actor, request))
	if err != nil {
		return false, err
	}
	fresh, err := tx.ReserveKey(ctx, actor.UserID, operation, once.Key, hash[:])
	if err != nil || fresh {
		return false, err
	}
	return h.storedOutcome(ctx, tx.Reader, actor, operation, once, hash, result)
}

// replayed is replay without taking the key, for commands that keep files before their transaction.
func (h *Hall) replayed(ctx context.Context, actor domain.Actor, operation string, once Once, request, result any) (bool, error) {
	if once.Key == "" {
		return false, nil
	}
	hash, err := requestHash(inNameOf(actor, request))
	if err != nil {
		return false, err
	}
	found, err := h.storedOutcome(ctx, h.db.Reader(), actor, operation, once, hash, result)
	if domain.HasCode(err, domain.NotFound) {
		return false, nil
	}
	return found, err
}

// requestHash tells a repeated request from another one under the same key.
func requestHash(request any) ([sha256.Size]byte, error) {
	encoded, err := json.Marshal(request)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("casework: encode request: %w", err)
	}
	return sha256.Sum256(encoded), nil
}

func (h *Hall) storedOutcome(ctx context.Context, r store.Reader, actor domain.Actor, operation string, once Once, hash [sha256.Size]byte, result any) (bool, error) {
	stored, err := r.Outcome(ctx, actor.UserID, operation, once.Key)
	if err != nil {
		return false, err
	}
	if !slices.Equal(stored.RequestHash, hash[:]) {
		return false, domain.Fail(domain.IdempotencyMismatch, "This idempotency key was used for another request.").
			WithWayOut("Use a new key for a new request.")
	}
	return true, json.Unmarshal(stored.Outcome, result)
}

func (h *Hall) keep(ctx context.Context, tx *store.Tx, actor domain.Actor, operation string, once Once, result any) error {
	if once.Key == "" {
		return nil
	}
	outcome, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("casework: encode outcome: %w", err)
	}
	return tx.KeepOutcome(ctx, actor.UserID, operation, once.Key, outcome)
}

// refused writes what changed nothing to the access log: refusals and lost races.
func (h *Hall) refused(ctx context.Context, actor domain.Actor, operation string, caseID domain.ID, cause error) {
	var known *domain.Error
	if !errors.As(cause, &known) {
		return
	}
	switch known.Code.Kind() {
	case domain.KindForbidden, domain.KindConflict, domain.KindFailedPrecondition, domain.KindNotFound:
		h.access.now(ctx, store.Access{Actor: actor.UserID, Action: operation, CaseID: caseID, Code: known.Code, RequestID: actor.RequestID})
	}
}

// scope refuses an API token that was not given the action.
func scope(actor domain.Actor, action domain.Action) error {
	if authz.InScope(actor.Scopes, action) {
		return nil
	}
	return domain.Fail(domain.NotPermitted, "This API token was not given the scope %q.", action).
		WithWayOut("Make a token with that scope.")
}

// barsOf loads, once, who is barred from the locked case.
func (c *command) barsOf() (*store.Bars, error) {
	if c.bars == nil {
		bars, err := c.tx.BarsOf(c.ctx, c.before.ID, c.before.PartyID)
		if err != nil {
			return nil, err
		}
		c.bars = &bars
	}
	return c.bars, nil
}

// lockReviews locks, once, the reviews of the locked case.
func (c *command) lockReviews() error {
	if c.reviews != nil {
		return nil
	}
	reviews, err := c.tx.LockReviews(c.ctx, c.before.ID)
	c.reviews = reviews
	return err
}

func (c *command) review(id domain.ID) (domain.Review, error) {
	if err := c.lockReviews(); err != nil {
		return domain.Review{}, err
	}
	for _, review := range c.reviews {
		if review.ID == id {
			return review, nil
		}
	}
	return domain.Review{}, domain.Fail(domain.NotFound, "There is no such thing, or you may not see it.")
}

// mayCase asks the policy about the case as such. Nobody stands in for another there; the actor is judged.
func (c *command) mayCase(action domain.Action) error {
	if err := scope(c.actor, action); err != nil {
		return err
	}
	facts, err := c.caseFacts()
	if err != nil {
		return err
	}
	if _, err := c.held.judge.AuthorizeCase(c.persons[0], action, facts); err != nil {
		return c.hide(facts, err)
	}
	return nil
}

// hide answers NotFound in place of a refusal on a case that the person's roles could never read.
func (c *command) hide(facts domain.CaseFacts, refusal error) error {
	if domain.HasCode(refusal, domain.ConflictOfInterest) {
		return refusal
	}
	if err := c.held.judge.MayReadCase(c.persons[0], c.persons[1:], facts); err != nil && !domain.HasCode(err, domain.ConflictOfInterest) {
		return domain.Fail(domain.NotFound, "There is no such thing, or you may not see it.")
	}
	return refusal
}

func (c *command) caseFacts() (domain.CaseFacts, error) {
	bars, err := c.barsOf()
	if err != nil {
		return domain.CaseFacts{}, err
	}
	if err := c.lockReviews(); err != nil {
		return domain.CaseFacts{}, err
	}
	return store.CaseFactsOf(c.before, c.reviews, *bars), nil
}

// mayReview asks the policy about one review, for every person behind the act.
func (c *command) mayReview(action domain.Action, review domain.Review) error {
	if err := scope(c.actor, action); err != nil {
		return err
	}
	bars, err := c.barsOf()
	if err != nil {
		return err
	}
	facts := store.ReviewFactsOf(c.before, review, *bars, c.def.HasAmount, c.now)
	if _, err = c.authorize(action, facts); err == nil {
		return nil
	}
	caseFacts, factsErr := c.caseFacts()
	if factsErr != nil {
		return factsErr
	}
	return c.onlyInAnothersName(caseFacts, c.hide(caseFacts, err))
}

func (c *command) authorize(action domain.Action, facts domain.ReviewFacts) (domain.Permit, error) {
	if len(c.persons) > 1 {
		return c.held.judge.AuthorizeFor(c.persons[0], c.persons[1], action, facts)
	}
	return c.held.judge.Authorize(c.persons[0], action, facts)
}

// advance moves the process on and takes over what the engine says.
func (c *command) advance(event workflow.Event, facts domain.ProcessFacts) error {
	if err := c.lockReviews(); err != nil {
		return err
	}
	if err := c.loadIncidents(); err != nil {
		return err
	}
	c.openReviews = func() ([]domain.Review, error) { return c.reviews, nil }
	if err := c.transition.advance(event, facts); err != nil || len(c.askedAnew) == 0 {
		return err
	}
	return c.fell(func(v domain.Vote) bool { return slices.Contains(c.askedAnew, v.Duty) }, "returned")
}
