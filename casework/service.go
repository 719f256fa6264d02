// Package casework is the service layer: every change to a case is a command here. GraphQL, workers, timers, bulk and the
// command line all enter by these functions, so no entry point can skip a rule.
//
// A person's command runs in one transaction: authority held (shared), case FOR UPDATE, children FOR UPDATE, then
// judged on these rows, written, committed. A machine's step is computed from a read and written by one statement,
// guarded by the version read and the lease token.
//
// What may enter: commands, processors and their steps, the making of event bodies, the ports the service needs.
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
	ClaimLease     time.Duration // how long a claim lives without a heartbeat; 30 min
	RunLease       time.Duration // how long a worker holds a stage without renewing; 10 s
	MaxUploadBytes int64
	// OpenUploads are what one person may have unfinished; 300 and 2 GiB.
	OpenUploads store.OpenUploadBounds
	// RetryDelayFactor stretches or shortens every retry delay; 1 is as the definitions say.
	RetryDelayFactor float64
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
	if s.OpenUploads == (store.OpenUploadBounds{}) {
		s.OpenUploads = store.OpenUploadBounds{Number: 300, Bytes: 2 << 30}
	}
	if s.RetryDelayFactor == 0 {
		s.RetryDelayFactor = 1
	}
	if s.DeadlineSpeed == 0 {
		s.DeadlineSpeed = 1
	}
	return s
}

// Service holds what commands need. It is safe for concurrent use.
type Service struct {
	db       *store.DB
	ports    Ports
	settings Settings
	log      *slog.Logger
	salts    io.Reader

	definitions   *definitionCache
	ruleSets      *ruleSetCache
	staffingCheck staffingState
	processors    *processorRegistry
	snapshot      atomic.Pointer[authoritySnapshot]
	accessLog     *accessLog
	submissions   *store.Batcher[submission, submissionOutcome]
	observe       func(*workflow.Definition, workflow.Event, *workflow.Edge) // of every transition; nil outside of tests
}

// New makes the service. Ambiguous processors are refused here.
func New(db *store.DB, ports Ports, settings Settings, log *slog.Logger) (*Service, error) {
	svc := &Service{db: db, ports: ports, settings: settings.withDefaults(), log: log, salts: rand.Reader}
	svc.definitions, svc.ruleSets = &definitionCache{}, &ruleSetCache{}
	svc.submissions = store.NewBatcher(svc.db, maxSubmissionBatch, svc.submitBatch)
	svc.accessLog = newAccessLog(db, log)
	var err error
	svc.processors, err = builtinProcessors(svc)
	return svc, err
}

// Close writes what was batched.
func (svc *Service) Close(ctx context.Context) { svc.accessLog.close(ctx) }

// authoritySnapshot is the policy as of one authority version.
type authoritySnapshot struct {
	version       int64
	policyVersion int64
	authorizer    *authz.Authority
	queueConfig   *queueConfig
}

// currentAuthority is the policy and the queue configuration of the current authority version, for reads and steps that do not hold it.
func (svc *Service) currentAuthority(ctx context.Context) (*authoritySnapshot, error) {
	authority, err := svc.db.Reader().AuthorityVersion(ctx)
	if err != nil {
		return nil, err
	}
	return svc.authorityAt(ctx, svc.db.Reader(), authority.Version)
}

// authorityAt returns the policy as of the given authority version, reloading when the row is newer than what is held.
func (svc *Service) authorityAt(ctx context.Context, r store.Reader, version int64) (*authoritySnapshot, error) {
	if held := svc.snapshot.Load(); held != nil && held.version == version {
		return held, nil
	}
	policy, err := loadPolicy(ctx, r)
	if err != nil {
		return nil, err
	}
	authorizer, err := authz.New(policy)
	if err != nil {
		return nil, err
	}
	queues, err := loadQueueConfig(ctx, r)
	if err != nil {
		return nil, err
	}
	fresh := &authoritySnapshot{version: version, policyVersion: policy.Version, authorizer: authorizer, queueConfig: queues}
	svc.snapshot.Store(fresh)
	return fresh, nil
}

// definitionCache caches published process definitions; a version never changes once published.
type definitionCache struct {
	parsed syncMap[definitionKey, *workflow.Definition]
	keys   syncMap[string, bool] // of which a version is published; one that is published stays so
}

type definitionKey struct {
	key     string
	version int
}
