// Package casework is the one hall: every change to a case is a command here. GraphQL, workers, timers, bulk and the
// command line all enter by these functions, so no entry point can skip a rule.
//
// A person's command runs in one transaction: authority held (shared), case FOR UPDATE, children FOR UPDATE, then
// judged on these rows, written, committed. A machine's step is computed from a read and written by one statement,
// guarded by the version read and the lease token.
//
// What may enter: commands, processors and their steps, the making of event bodies, the ports the hall needs.
// What never happens here: GraphQL or HTTP types, queues, drivers; slow work inside a transaction; an event published
// before its commit.
package casework

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"countersign/authz"
	"countersign/store"
	"countersign/workflow"
)

// Settings are what an operator may set about the work.
type Settings struct {
	ClaimLease     time.Duration // how long a claim lives without a sign of life; 30 min
	RunLease       time.Duration // how long a worker holds a stage without renewing; 10 s
	MaxUploadBytes int64
	// RetryPace stretches or shortens every retry delay; 1 is as the definitions say.
	RetryPace float64
	// DeadlineSpeed is how many times faster the deadlines of reviews come than the definitions say.
	DeadlineSpeed int
}

func (s Settings) withDefaults() Settings {
	if s.ClaimLease == 0 {
		s.ClaimLease = 30 * time.Minute
	}
	if s.RunLease == 0 {
		s.RunLease = 10 * time.Second
	}
	if s.MaxUploadBytes == 0 {
		s.MaxUploadBytes = 50 << 20
	}
	if s.RetryPace == 0 {
		s.RetryPace = 1
	}
	if s.DeadlineSpeed == 0 {
		s.DeadlineSpeed = 1
	}
	return s
}

// Hall holds what commands need. It is safe for concurrent use.
type Hall struct {
	db       *store.DB
	ports    Ports
	settings Settings
	log      *slog.Logger
	salts    io.Reader

	definitions *definitions
	ruleSets    *ruleSets
	staffed     staffed
	processors  *processors
	authority   atomic.Pointer[heldAuthority]
	access      *accessLog
	openings    *store.Together[submission, opened]
	seen        func(*workflow.Definition, workflow.Event, *workflow.Edge) // of every transition; nil outside of tests
}

// New makes the hall. Ambiguous processors are refused here.
func New(db *store.DB, ports Ports, settings Settings, log *slog.Logger) (*Hall, error) {
	h := &Hall{db: db, ports: ports, settings: settings.withDefaults(), log: log, salts: rand.Reader}
	h.definitions, h.ruleSets = &definitions{}, &ruleSets{}
	h.openings = store.NewTogether(h.db, openTogether, h.openMany)
	h.access = newAccessLog(db, log)
	var err error
	h.processors, err = builtinProcessors(h)
	return h, err
}

// Close writes what was batched.
func (h *Hall) Close(ctx context.Context) { h.access.close(ctx) }

// heldAuthority is the policy as of one authority version.
type heldAuthority struct {
	version int64
	policy  int64
	judge   *authz.Authority
	book    *book
}

// heldNow is the policy and the book as the authority stands now, for reads and steps that do not hold it.
func (h *Hall) heldNow(ctx context.Context) (*heldAuthority, error) {
	authority, err := h.db.Reader().AuthorityVersion(ctx)
	if err != nil {
		return nil, err
	}
	return h.judgeAt(ctx, h.db.Reader(), authority.Version)
}

// judgeAt returns the policy as of the given authority version, reloading when the row is newer than what is held.
func (h *Hall) judgeAt(ctx context.Context, r store.Reader, version int64) (*heldAuthority, error) {
	if held := h.authority.Load(); held != nil && held.version == version {
		return held, nil
	}
	policy, err := loadPolicy(ctx, r)
	if err != nil {
		return nil, err
	}
	judge, err := authz.New(policy)
	if err != nil {
		return nil, err
	}
	book, err := readBook(ctx, r)
	if err != nil {
		return nil, err
	}
	fresh := &heldAuthority{version: version, policy: policy.Version, judge: judge, book: book}
	h.authority.Store(fresh)
	return fresh, nil
}

// definitions caches published process definitions; a version never changes once published.
type definitions struct {
	known syncMap[definitionKey, *workflow.Definition]
}

type definitionKey struct {
	key     string
	version int
}
