// Package casework is the service layer: every change to a case is a command here. GraphQL,
// workers, timers, bulk operations and the command line all call these functions, so no entry point
// can skip a rule.
//
// A user's command runs in one transaction: it locks the authority (shared), the case and its child
// rows (FOR UPDATE), decides on these rows, writes and commits. A system step is computed from a
// read and written by one statement, guarded by the version that was read and the lease token.
//
// The package contains commands, processors and their steps, the construction of event bodies, and
// the ports that the service needs. It never contains GraphQL or HTTP types, queues or drivers,
// never does slow work inside a transaction, and never publishes an event before its commit.
package casework

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"countersign/authz"
	"countersign/domain"
	"countersign/search"
	"countersign/store"
	"countersign/workflow"
)

// Settings are the options that an operator can set.
type Settings struct {
	ClaimLease     time.Duration // how long a claim lasts without a heartbeat; default 30 min
	ClaimLimit     int           // how many claimed reviews one person can hold; default 25
	RunLease       time.Duration // how long a worker holds a run without renewing; default 10 s
	MaxUploadBytes int64
	// OpenUploads limits the unfinished uploads of one user; default 300 and 2 GiB.
	OpenUploads store.OpenUploadBounds
	// RetryDelayFactor scales every retry delay; 1 uses the delays of the definitions.
	RetryDelayFactor float64
	// DeadlineSpeed is the factor by which review deadlines elapse faster than the definitions
	// state.
	DeadlineSpeed int
	// SendsMail says that a mail server is configured, so that notices have e-mails.
	SendsMail bool
	// PasswordsOff says that no one signs in by password.
	PasswordsOff bool
	// Providers are the names of the providers through which people sign in.
	Providers []string
	// Models says what may be asked of a language model, and at what cost.
	Models ModelSettings
	// OwnersWait is how old a proposal must be before two administrators may publish it without the
	// owners of the process; default 7 days.
	OwnersWait time.Duration
}

func (s Settings) withDefaults() Settings {
	if s.ClaimLease == 0 {
		s.ClaimLease = 30 * time.Minute
	}
	if s.ClaimLimit == 0 {
		s.ClaimLimit = domain.DefaultClaimLimit
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
	if s.OwnersWait == 0 {
		s.OwnersWait = 7 * 24 * time.Hour
	}
	s.Models = s.Models.withDefaults()
	return s
}

// Service executes commands and runs. It is safe for concurrent use.
type Service struct {
	db       *store.DB
	ports    Ports
	settings Settings
	log      *slog.Logger
	salts    io.Reader

	definitions   *definitionCache
	ruleSets      *ruleSetCache
	documentTypes *domain.VersionCache[*domain.DocumentType]
	knownTypes    sync.Map // keys of published document types
	staffingCheck staffingState
	searchWords   *search.KnownWords
	processors    *processorRegistry
	snapshot      atomic.Pointer[authoritySnapshot]
	compiling     sync.Mutex // of a snapshot; no query is executed under it
	accessLog     *accessLog
	copySlots     chan struct{} // of archive copies that are made
	submissions   *store.Batcher[submission, submissionOutcome]
	// observes every transition; nil outside tests
	observe func(*workflow.Definition, workflow.Event, *workflow.Edge)
}

// New creates the service. It returns an error if registered processors are ambiguous.
func New(db *store.DB, ports Ports, settings Settings, log *slog.Logger) (*Service, error) {
	svc := &Service{db: db, ports: ports.withCaches(), settings: settings.withDefaults(), log: log,
		salts: rand.Reader, copySlots: make(chan struct{}, maxConcurrentCopies)}
	svc.definitions = &definitionCache{parsed: svc.ports.Definitions}
	svc.ruleSets = &ruleSetCache{compiled: svc.ports.RuleSets}
	svc.documentTypes, svc.searchWords = svc.ports.DocumentTypes, search.NewKnownWords()
	svc.submissions = store.NewBatcher(svc.db, maxSubmissionBatch, svc.submitBatch)
	svc.accessLog = newAccessLog(db, log)
	var err error
	svc.processors, err = builtinProcessors(svc)
	return svc, err
}

// Close flushes the buffered access log.
func (svc *Service) Close(ctx context.Context) { svc.accessLog.close(ctx) }

// authoritySnapshot is the policy and the queue configuration as of one authority version.
type authoritySnapshot struct {
	version       int64
	policyVersion int64
	authorizer    *authz.Authority
	queueConfig   *queueConfig
}

// currentAuthority returns the snapshot of the current authority version, for reads and steps that
// do not lock it.
func (svc *Service) currentAuthority(ctx context.Context) (*authoritySnapshot, error) {
	authority, err := svc.db.Reader().AuthorityVersion(ctx)
	if err != nil {
		return nil, err
	}
	return svc.authorityAt(ctx, svc.db.Reader(), authority.Version)
}

// authorityAt returns the snapshot of the given authority version, and reloads it if the cached one
// is older.
func (svc *Service) authorityAt(
	ctx context.Context, r store.Reader, version int64,
) (*authoritySnapshot, error) {
	if cached := svc.snapshot.Load(); cached != nil && cached.version == version {
		return cached, nil
	}
	policy, err := loadPolicy(ctx, r)
	if err != nil {
		return nil, err
	}
	queues, err := loadQueueConfig(ctx, r)
	if err != nil {
		return nil, err
	}
	// Compiling a policy takes a millisecond, and all concurrent requests need the new version.
	svc.compiling.Lock()
	defer svc.compiling.Unlock()
	if cached := svc.snapshot.Load(); cached != nil && cached.version == version {
		return cached, nil
	}
	authorizer, err := authz.New(policy)
	if err != nil {
		return nil, err
	}
	loaded := &authoritySnapshot{
		version: version, policyVersion: policy.Version, authorizer: authorizer,
		queueConfig: queues,
	}
	svc.snapshot.Store(loaded)
	return loaded, nil
}

// definitionCache caches published process definitions; a version never changes once published.
type definitionCache struct {
	parsed *domain.VersionCache[*workflow.Definition]
	newest sync.Map // the newest version that was seen, by process key
}
