package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

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

// maxKey bounds an idempotency key, in characters.
const maxKey = 200

func (o Once) check() error {
	if domain.Longer(o.Key, maxKey) {
		return tooLong("idempotencyKey", maxKey)
	}
	return domain.CheckText("idempotencyKey", o.Key)
}

// of is the key of one item of a command on several; a key that would become too long is hashed first.
func (o Once) of(id domain.ID) Once {
	if o.Key == "" {
		return o
	}
	item := "/" + id.String()[:8] + id.String()[24:]
	if domain.Longer(o.Key+item+"/claim", maxKey) { // claiming is a step of its own
		sum := sha256.Sum256([]byte(o.Key))
		o.Key = hex.EncodeToString(sum[:])
	}
	o.Key += item
	return o
}

// command is one person's command under way: everything it holds is locked until the commit.
type command struct {
	*transition
	svc        *Service
	ctx        context.Context
	tx         *store.Tx
	snapshot   *authoritySnapshot
	authority  store.AuthorityVersions
	persons    []domain.User // the actor, then the delegator
	exclusions *store.Exclusions
	reviews    []domain.Review
	absent     bool // the case does not exist: a stand-in is judged and refused, with the statements of a foreign one
}

// runCaseCommand runs a person's command on one case: locks in the fixed order, runs fn, writes, commits, enqueues. A refusal is
// written to the access log before it is answered.
func runCaseCommand[T any](ctx context.Context, svc *Service, actor domain.Actor, operation string, caseID domain.ID, once Once, request any,
	fn func(*command) (T, error),
) (T, error) {
	return onTarget(ctx, svc, actor, operation, target{caseID, caseID}, once, request, fn)
}

// onTarget is onCase for a case that the access log may not name.
func onTarget[T any](ctx context.Context, svc *Service, actor domain.Actor, operation string, on target, once Once, request any,
	fn func(*command) (T, error),
) (T, error) {
	var result T
	var after *transition
	err := svc.db.InTx(ctx, func(tx *store.Tx) error {
		replayed, err := svc.replayOrReserve(ctx, tx, actor, operation, once, request, &result)
		if err != nil || replayed {
			return err
		}
		cmd, err := svc.beginCommand(ctx, tx, actor)
		if err != nil {
			return err
		}
		if err := cmd.lockOrStandIn(on.caseID); err != nil {
			return err
		}
		if result, err = fn(cmd); err != nil {
			return err
		}
		if cmd.absent {
			return noSuchCase()
		}
		if err := workflow.ExpectStatus(cmd.before.Status, once.Expect...); err != nil {
			return err
		}
		if err := cmd.write(); err != nil {
			return err
		}
		after = cmd.transition
		return svc.storeOutcome(ctx, tx, actor, operation, once, result)
	})
	if err != nil {
		svc.logRefusal(ctx, actor, operation, on.logged, err)
		return result, err
	}
	if after != nil {
		svc.notifyCommitted(ctx, after)
	}
	return result, nil
}

// beginCommand holds the authority and the persons behind the act.
func (svc *Service) beginCommand(ctx context.Context, tx *store.Tx, actor domain.Actor) (*command, error) {
	locked, err := svc.lockAuthority(ctx, tx, actingUserIDs(actor)...)
	if err != nil {
		return nil, err
	}
	return locked.newCommand(ctx, tx, svc, actor)
}

// actingUserIDs are the persons behind an act: the actor, then the delegator.
func actingUserIDs(actor domain.Actor) []domain.ID {
	if actor.OnBehalfOf == domain.NoID {
		return []domain.ID{actor.UserID}
	}
	return []domain.ID{actor.UserID, actor.OnBehalfOf}
}

// lockedAuthority is the authority and the persons that a transaction holds.
type lockedAuthority struct {
	snapshot  *authoritySnapshot
	authority store.AuthorityVersions
	users     []domain.User
}

func (svc *Service) lockAuthority(ctx context.Context, tx *store.Tx, people ...domain.ID) (*lockedAuthority, error) {
	authority, users, err := tx.LockAuthority(ctx, people...)
	if err != nil {
		return nil, err
	}
	held, err := svc.authorityAt(ctx, tx.Reader, authority.Version)
	return &lockedAuthority{held, authority, users}, err
}

// newCommand begins a person's command under what is held.
func (o *lockedAuthority) newCommand(ctx context.Context, tx *store.Tx, svc *Service, actor domain.Actor) (*command, error) {
	cmd := &command{svc: svc, ctx: ctx, tx: tx, snapshot: o.snapshot, authority: o.authority}
	at := slices.IndexFunc(o.users, func(u domain.User) bool { return u.ID == actor.UserID })
	if at < 0 || (o.users[at].Disabled && !actor.System) {
		return nil, domain.Errorf(domain.Unauthenticated, "This account does not exist or is disabled.")
	}
	cmd.persons = []domain.User{o.users[at]}
	cmd.transition = &transition{actor: actor, deadlineSpeed: svc.settings.DeadlineSpeed, queueConfig: o.snapshot.queueConfig, observe: svc.observe}
	return cmd, cmd.addDelegator(o.users)
}

// lock takes the case's row and loads its definition.
func (c *command) lock(caseID domain.ID) error {
	locked, now, err := c.tx.LockCase(c.ctx, caseID)
	if err != nil {
		return err
	}
	def, err := c.svc.definitions.get(c.ctx, c.tx.Reader, locked.ProcessKey, locked.ProcessVersion)
	if err != nil {
		return err
	}
	c.transition.start(locked, def, now)
	return nil
}

// write chains the events and applies the change; a command that changed nothing writes nothing.
func (c *command) write() error {
	if !c.hasChanges() {
		return nil
	}
	if err := c.chainEvents(c.svc.salts); err != nil {
		return err
	}
	applied, err := c.tx.Apply(c.ctx, &c.change)
	if err == nil && !applied {
		err = fmt.Errorf("casework: the locked case %s had another version", c.change.Case.ID)
	}
	return err
}

// notifyCommitted enqueues the new runs and publishes the hints, after the commit.
func (svc *Service) notifyCommitted(ctx context.Context, t *transition) {
	if pendingRuns := t.pendingRuns(); len(pendingRuns) > 0 {
		svc.ports.Notifier.Enqueue(ctx, pendingRuns)
	}
	hint, ok := t.hint()
	if !ok {
		return
	}
	hints := []domain.Hint{hint}
	// Queues and counts of what waits are lists of reviews and of incidents.
	if len(t.change.NewReviews)+len(t.change.ReviewUpdates) > 0 || t.hasDeadlineEvents() || (t.before.Status == domain.Incident) != (t.change.Case.Status == domain.Incident) {
		hints = append(hints, domain.Hint{Stream: domain.QueuesTopic})
	}
	svc.ports.Notifier.PublishHints(ctx, hints)
}

// replayOrReserve returns the stored outcome of a command that was done before under the same key.
func (svc *Service) replayOrReserve(ctx context.Context, tx *store.Tx, actor domain.Actor, operation string, once Once, request, result any) (bool, error) {
	if once.Key == "" {
		return false, nil
	}
	if err := once.check(); err != nil {
		return false, err
	}
	hash, err := requestHash(onBehalfRequest(actor, request))
	if err != nil {
		return false, err
	}
	fresh, err := tx.ReserveIdempotencyKey(ctx, actor.UserID, operation, once.Key, hash[:])
	if err != nil || fresh {
		return false, err
	}
	return svc.loadOutcome(ctx, tx.Reader, actor, operation, once, hash, result)
}

// findReplay is replay without taking the key, for commands that keep files before their transaction.
func (svc *Service) findReplay(ctx context.Context, actor domain.Actor, operation string, once Once, request, result any) (bool, error) {
	if once.Key == "" {
		return false, nil
	}
	if err := once.check(); err != nil {
		return false, err
	}
	hash, err := requestHash(onBehalfRequest(actor, request))
	if err != nil {
		return false, err
	}
	found, err := svc.loadOutcome(ctx, svc.db.Reader(), actor, operation, once, hash, result)
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

func (svc *Service) loadOutcome(ctx context.Context, r store.Reader, actor domain.Actor, operation string, once Once, hash [sha256.Size]byte, result any) (bool, error) {
	stored, err := r.Outcome(ctx, actor.UserID, operation, once.Key)
	if err != nil {
		return false, err
	}
	if !slices.Equal(stored.RequestHash, hash[:]) {
		return false, domain.Errorf(domain.IdempotencyMismatch, "This idempotency key was used for another request.").
			WithRemedy("Use a new key for a new request.")
	}
	return true, json.Unmarshal(stored.Outcome, result)
}

func (svc *Service) storeOutcome(ctx context.Context, tx *store.Tx, actor domain.Actor, operation string, once Once, result any) error {
	if once.Key == "" {
		return nil
	}
	outcome, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("casework: encode outcome: %w", err)
	}
	return tx.SaveOutcome(ctx, actor.UserID, operation, once.Key, outcome)
}

// logRefusal writes what changed nothing to the access log: refusals and lost races.
func (svc *Service) logRefusal(ctx context.Context, actor domain.Actor, operation string, caseID domain.ID, cause error) {
	var known *domain.Error
	if !errors.As(cause, &known) {
		return
	}
	switch known.Code.Kind() {
	case domain.KindForbidden, domain.KindConflict, domain.KindFailedPrecondition, domain.KindNotFound:
		svc.accessLog.write(ctx, store.AccessEntry{Actor: actor.UserID, Action: operation, CaseID: caseID, Code: known.Code, RequestID: actor.RequestID})
	}
}

// advanceWithFacts moves the process on and takes over what the engine says.
func (c *command) advanceWithFacts(event workflow.Event, facts domain.ProcessFacts) error {
	if err := c.lockReviews(); err != nil {
		return err
	}
	if err := c.loadIncidents(); err != nil {
		return err
	}
	c.loadReviews = func() ([]domain.Review, error) { return c.reviews, nil }
	if err := c.transition.applyEvent(event, facts); err != nil || len(c.revokedDuties) == 0 {
		return err
	}
	return c.revokeVotes(func(v domain.Vote) bool { return slices.Contains(c.revokedDuties, v.Duty) }, "returned")
}
