package casework

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"countersign/domain"
	"countersign/store"
)

// accessBatch is how many lines are written at once; accessDelay is how long a line may wait for company.
const (
	accessBatch = 200
	accessDelay = time.Second
)

// accessLog writes what changed nothing: reads in batches, refusals at once.
type accessLog struct {
	db      *store.DB
	log     *slog.Logger
	mu      sync.Mutex
	waiting []store.Access
	timer   *time.Timer
}

func newAccessLog(db *store.DB, log *slog.Logger) *accessLog { return &accessLog{db: db, log: log} }

// now writes one line before the caller answers. A failure to write is logged; the refusal stands either way.
func (a *accessLog) now(ctx context.Context, line store.Access) {
	if err := a.db.Alone().LogAccess(context.WithoutCancel(ctx), line); err != nil {
		a.log.WarnContext(ctx, "access log not written", "error", err, "action", line.Action, "case", line.CaseID)
	}
}

// later adds a line to the next batch.
func (a *accessLog) later(line store.Access) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, line)
	if len(a.waiting) >= accessBatch {
		go a.flush(context.Background())
		return
	}
	if a.timer == nil {
		a.timer = time.AfterFunc(accessDelay, func() { a.flush(context.Background()) })
	}
}

func (a *accessLog) flush(ctx context.Context) {
	a.mu.Lock()
	lines := a.waiting
	a.waiting = nil
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
	a.mu.Unlock()
	if len(lines) == 0 {
		return
	}
	if err := a.db.Alone().LogAccess(ctx, lines...); err != nil {
		a.log.Warn("access log not written", "error", err, "lines", len(lines))
	}
}

func (a *accessLog) close(ctx context.Context) { a.flush(ctx) }

// Opened notes that the person looked at the case; lines are written in batches.
func (h *Hall) Opened(actor domain.Actor, caseID domain.ID, what string) {
	h.access.later(store.Access{Actor: actor.UserID, Action: "read", CaseID: caseID, Object: what, RequestID: actor.RequestID})
}
