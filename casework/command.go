package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"countersign/domain"
	"countersign/events"
	"countersign/internal/tracing"
	"countersign/store"
	"countersign/workflow"
)

// Once makes a command idempotent: the same user, operation and key return the stored outcome. An
// empty Key disables this.
type Once struct {
	Key string
	// Expect lists the statuses in which the command may run. In another status it fails with
	// StateMismatch, but only after authorization, so that the status is not disclosed. Empty
	// allows every status.
	Expect []domain.Status `json:",omitempty"`
}

// maxKey is the maximum length of an idempotency key, in characters.
const maxKey = 200

func (o Once) check() error {
	if domain.Longer(o.Key, maxKey) {
		return tooLong("idempotencyKey", maxKey)
	}
	return domain.CheckText("idempotencyKey", o.Key)
}

// of derives the key for one item of a bulk command; a key that would become too long is hashed
// first.
func (o Once) of(id domain.ID) Once {
	if o.Key == "" {
		return o
	}
	item := "/" + id.String()[:8] + id.String()[24:]
	if domain.Longer(o.Key+item+"/claim", maxKey) { // claiming appends its own suffix
		sum := sha256.Sum256([]byte(o.Key))
		o.Key = hex.EncodeToString(sum[:])
	}
	o.Key += item
	return o
}

// command is a user's command while it runs. Every row that it has read is locked until the commit.
type command struct {
	*transition
	svc        *Service
	ctx        context.Context
	tx         *store.Tx
	snapshot   *authoritySnapshot
	authority  store.AuthorityVersions
	persons    []domain.User // the actor, then the delegator if any
	exclusions *store.Exclusions
	reviews    []domain.Review
	values     caseValues
	absent     bool // the case does not exist; see lockOrPlaceholder
	hidden     bool // the command casts a vote that its committee hides
	evaluated  bool // the case was evaluated again with the present control data
	took       func() time.Duration
}

// runCaseCommand runs a user's command on one case as a unit of work: it locks the case, runs fn,
// checks the expected status and writes the change.
func runCaseCommand[T any](ctx context.Context, svc *Service, actor domain.Actor, operation string,
	caseID domain.ID, once Once, request any,
	fn func(*command) (T, error),
) (T, error) {
	return runTargetCommand(ctx, svc, actor, operation, target{caseID, caseID}, once, request, fn)
}

// runTargetCommand is runCaseCommand for a case whose id the access log may not contain.
func runTargetCommand[T any](ctx context.Context, svc *Service, actor domain.Actor,
	operation string, on target, once Once, request any,
	fn func(*command) (T, error),
) (T, error) {
	var result T
	spec := workSpec{operation: operation, once: once, request: request, result: &result,
		lock: lockShared, loggedCase: on.logged}
	err := svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
		cmd := w.command
		if err := cmd.lockOrPlaceholder(on.caseID); err != nil {
			return err
		}
		tracing.LinkStored(w.ctx, w.span, cmd.before.Traceparent)
		w.span.Set(slog.Any("case", on.logged))
		var err error
		if result, err = fn(cmd); err != nil {
			return err
		}
		if cmd.absent {
			return domain.NewNotFound()
		}
		if err := workflow.ExpectStatus(cmd.before.Status, once.Expect...); err != nil {
			return err
		}
		return w.write(cmd)
	})
	return result, err
}

// beginCommand locks the authority row and loads the users who act.
func (svc *Service) beginCommand(
	ctx context.Context, tx *store.Tx, actor domain.Actor,
) (*command, error) {
	locked, err := svc.lockAuthority(ctx, tx, actingUserIDs(actor)...)
	if err != nil {
		return nil, err
	}
	return locked.newCommand(ctx, tx, svc, actor)
}

// actingUserIDs returns the users who act: the actor, then the delegator if any.
func actingUserIDs(actor domain.Actor) []domain.ID {
	if actor.OnBehalfOf == domain.NoID {
		return []domain.ID{actor.UserID}
	}
	return []domain.ID{actor.UserID, actor.OnBehalfOf}
}

// lockedAuthority is the authority and the users that a transaction has locked.
type lockedAuthority struct {
	snapshot  *authoritySnapshot
	authority store.AuthorityVersions
	users     []domain.User
}

func (svc *Service) lockAuthority(
	ctx context.Context, tx *store.Tx, people ...domain.ID,
) (*lockedAuthority, error) {
	authority, users, err := tx.LockAuthority(ctx, people...)
	if err != nil {
		return nil, err
	}
	snapshot, err := svc.authorityAt(ctx, tx.Reader, authority.Version)
	return &lockedAuthority{snapshot, authority, users}, err
}

// newCommand creates a user's command under the locked authority.
func (l *lockedAuthority) newCommand(
	ctx context.Context, tx *store.Tx, svc *Service, actor domain.Actor,
) (*command, error) {
	cmd := &command{svc: svc, ctx: ctx, tx: tx, snapshot: l.snapshot, authority: l.authority}
	at := slices.IndexFunc(l.users, func(u domain.User) bool { return u.ID == actor.UserID })
	if at < 0 || (l.users[at].Disabled && !actor.System) {
		return nil, domain.Errorf(domain.Unauthenticated,
			"This account does not exist or is disabled.")
	}
	cmd.persons = []domain.User{l.users[at]}
	cmd.transition = &transition{actor: actor, deadlineSpeed: svc.settings.DeadlineSpeed,
		queueConfig: l.snapshot.queueConfig, observe: svc.observe,
		traceparent: tracing.Traceparent(ctx)}
	cmd.took = stopwatch()
	return cmd, cmd.addDelegator(l.users)
}

// lock locks the case row and loads its process definition.
func (c *command) lock(caseID domain.ID) error {
	locked, now, err := c.tx.LockCase(c.ctx, caseID)
	if err != nil {
		return err
	}
	def, err := c.svc.definitions.get(c.ctx, c.tx.Reader, locked.ProcessKey, locked.ProcessVersion)
	if err != nil {
		return err
	}
	c.start(locked, def, now)
	// Read once: the timers of the locked case do not change under the command.
	c.loadRuns = sync.OnceValues(func() ([]domain.StageRun, error) { return c.tx.RunsOf(c.ctx, caseID) })
	return nil
}

// write chains the events and applies the change. A command that changed nothing writes nothing.
func (c *command) write() error {
	if !c.hasChanges() {
		return nil
	}
	if err := c.letOrderPass(c.ctx, c.tx.Reader, c.orderAfter); err != nil {
		return err
	}
	if err := c.chainEvents(c.svc.salts); err != nil {
		return err
	}
	applied, err := c.tx.Apply(c.ctx, &c.change)
	if err == nil && !applied && len(c.change.Claims) > 0 {
		return domain.Errorf(domain.Busy,
			"Another case with the same document was changed at the same moment.").
			WithRemedy("Try again.")
	}
	if err == nil && !applied {
		err = fmt.Errorf("casework: the locked case %s had another version", c.change.Case.ID)
	}
	return err
}

// notifyCommitted logs what has ended, enqueues the new runs and publishes the hints. It runs after the commit.
func (svc *Service) notifyCommitted(ctx context.Context, t *transition) {
	svc.logEnded(ctx, t)
	if pendingRuns := t.pendingRuns(); len(pendingRuns) > 0 {
		svc.ports.Notifier.Enqueue(ctx, pendingRuns)
	}
	if len(t.change.Claims) > 0 {
		defer svc.evaluateClaimedPairs(ctx, t.change.Claims)
	}
	if t.changesAccounts() {
		defer svc.evaluateSharedAccounts(ctx, t)
	}
	hint, ok := t.hint()
	if !ok {
		return
	}
	hints := []domain.Hint{hint}
	// Boards and counters list reviews, deadlines and incidents.
	if len(t.change.NewReviews)+len(t.change.ReviewUpdates) > 0 || t.hasDeadlineEvents() ||
		(t.before.Status == domain.Incident) != (t.change.Case.Status == domain.Incident) {
		hints = append(hints, domain.Hint{Stream: domain.QueuesTopic})
	}
	svc.ports.Notifier.PublishHints(ctx, hints)
}

// replayOrReserve loads the stored outcome of an earlier command with the same key, or reserves the
// key.
func (svc *Service) replayOrReserve(
	ctx context.Context, tx *store.Tx, actor domain.Actor, operation string, once Once,
	request, result any,
) (bool, error) {
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
	reserved, err := tx.ReserveIdempotencyKey(ctx, actor.UserID, operation, once.Key, hash[:])
	if err != nil || reserved {
		return false, err
	}
	return svc.loadOutcome(ctx, tx.Reader, actor, operation, once, hash, result)
}

// findReplay is replayOrReserve without reserving the key, for commands that store files before
// their transaction.
func (svc *Service) findReplay(
	ctx context.Context, actor domain.Actor, operation string, once Once, request, result any,
) (bool, error) {
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

// requestHash returns the hash that distinguishes a repeated request from another one under the
// same key.
func requestHash(request any) ([sha256.Size]byte, error) {
	encoded, err := json.Marshal(request)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("casework: encode request: %w", err)
	}
	return sha256.Sum256(encoded), nil
}

func (svc *Service) loadOutcome(
	ctx context.Context, r store.Reader, actor domain.Actor, operation string, once Once,
	hash [sha256.Size]byte, result any,
) (bool, error) {
	stored, err := r.Outcome(ctx, actor.UserID, operation, once.Key)
	if err != nil {
		return false, err
	}
	if !slices.Equal(stored.RequestHash, hash[:]) {
		return false, domain.Errorf(domain.IdempotencyMismatch,
			"This idempotency key was used for another request.").
			WithRemedy("Use a new key for a new request.")
	}
	return true, json.Unmarshal(stored.Outcome, result)
}

func (svc *Service) storeOutcome(
	ctx context.Context, tx *store.Tx, actor domain.Actor, operation string, once Once, result any,
) error {
	if once.Key == "" {
		return nil
	}
	outcome, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("casework: encode outcome: %w", err)
	}
	return tx.SaveOutcome(ctx, actor.UserID, operation, once.Key, outcome)
}

// logRefusal writes refusals and lost races to the access log.
func (svc *Service) logRefusal(
	ctx context.Context, actor domain.Actor, operation string, caseID domain.ID, cause error,
) {
	var known *domain.Error
	if !errors.As(cause, &known) {
		return
	}
	switch known.Code.Kind() {
	case domain.KindForbidden, domain.KindConflict, domain.KindFailedPrecondition,
		domain.KindNotFound:
		svc.accessLog.write(ctx, store.AccessEntry{Actor: actor.UserID, Action: operation,
			CaseID: caseID, Code: known.Code, RequestID: actor.RequestID})
	}
}

// prepareStep loads what a step of the process may change or disclose.
func (c *command) prepareStep() error {
	if err := c.lockReviews(); err != nil {
		return err
	}
	c.loadReviews = func() ([]domain.Review, error) { return c.reviews, nil }
	c.loadVotes = c.castVotes
	return c.loadIncidents()
}

// advanceWithFacts advances the process by the event and revokes the votes that the step revokes.
// The bodies are emitted before the events of the step, and only if the step succeeds.
func (c *command) advanceWithFacts(
	event workflow.Event, facts domain.ProcessFacts, bodies ...events.Body,
) error {
	if err := c.prepareStep(); err != nil {
		return err
	}
	if err := c.applyEvent(event, facts, bodies...); err != nil || len(c.revokedDuties) == 0 {
		return err
	}
	revoked := func(v domain.Vote) bool { return slices.Contains(c.revokedDuties, v.Duty) }
	return c.revokeVotes(revoked, "returned")
}
