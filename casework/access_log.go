package casework

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"countersign/domain"
	"countersign/store"
)

// accessBatch is how many lines are written in one batch; accessDelay is how long a line may wait for company.
const (
	accessBatch = 200
	accessDelay = time.Second
)

// accessLog writes what changed nothing: reads in batches, refusals immediately.
type accessLog struct {
	db       *store.DB
	log      *slog.Logger
	mu       sync.Mutex
	buffered []store.AccessEntry
	timer    *time.Timer
}

func newAccessLog(db *store.DB, log *slog.Logger) *accessLog { return &accessLog{db: db, log: log} }

// write writes one line before the caller answers. A failure to write is logged; the refusal stands either way.
func (a *accessLog) write(ctx context.Context, line store.AccessEntry) {
	if err := a.db.Autocommit().LogAccess(context.WithoutCancel(ctx), line); err != nil {
		a.log.WarnContext(ctx, "access log not written", "error", err, "action", line.Action, "case", line.CaseID)
	}
}

// buffer adds a line to the next batch.
func (a *accessLog) buffer(line store.AccessEntry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.buffered = append(a.buffered, line)
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
	lines := a.buffered
	a.buffered = nil
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
	a.mu.Unlock()
	if len(lines) == 0 {
		return
	}
	if err := a.db.Autocommit().LogAccess(ctx, lines...); err != nil {
		a.log.Warn("access log not written", "error", err, "lines", len(lines))
	}
}

func (a *accessLog) close(ctx context.Context) { a.flush(ctx) }

// RecordRead notes that the person looked at the case; lines are written in batches.
func (svc *Service) RecordRead(actor domain.Actor, caseID domain.ID, what string) {
	svc.accessLog.buffer(store.AccessEntry{Actor: actor.UserID, Action: "read", CaseID: caseID, Object: what, RequestID: actor.RequestID})
}
