package casework

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"countersign/domain"
	"countersign/store"
)

// accessBatch is the maximum number of entries in one batch; accessDelay is how long an entry waits
// for more.
const (
	accessBatch = 200
	accessDelay = time.Second
)

// accessLog records reads, in batches, and refusals, immediately.
type accessLog struct {
	db       *store.DB
	log      *slog.Logger
	mu       sync.Mutex
	buffered []store.AccessEntry
	timer    *time.Timer
}

func newAccessLog(db *store.DB, log *slog.Logger) *accessLog { return &accessLog{db: db, log: log} }

// write writes one entry before the caller responds. A failure is only logged, because the refusal
// is valid without it.
func (a *accessLog) write(ctx context.Context, entry store.AccessEntry) {
	if err := a.db.Autocommit().LogAccess(context.WithoutCancel(ctx), entry); err != nil {
		a.log.WarnContext(ctx, "access log not written", "error", err, "action", entry.Action,
			"case", entry.CaseID)
	}
}

// buffer adds an entry to the next batch.
func (a *accessLog) buffer(entry store.AccessEntry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.buffered = append(a.buffered, entry)
	if len(a.buffered) >= accessBatch {
		go a.flush(context.Background())
		return
	}
	if a.timer == nil {
		a.timer = time.AfterFunc(accessDelay, func() { a.flush(context.Background()) })
	}
}

func (a *accessLog) flush(ctx context.Context) {
	a.mu.Lock()
	entries := a.buffered
	a.buffered = nil
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
	a.mu.Unlock()
	if len(entries) == 0 {
		return
	}
	if err := a.db.Autocommit().LogAccess(ctx, entries...); err != nil {
		a.log.Warn("access log not written", "error", err, "lines", len(entries))
	}
}

func (a *accessLog) close(ctx context.Context) { a.flush(ctx) }

// RecordRead records that the user viewed the case. Entries are written in batches.
func (svc *Service) RecordRead(actor domain.Actor, caseID domain.ID, what string) {
	svc.accessLog.buffer(store.AccessEntry{Actor: actor.UserID, Action: store.AccessRead, CaseID: caseID,
		Object: what, RequestID: actor.RequestID})
}
