package live

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"countersign/domain"
)

// Log is what the hub asks of the event log. Both are one statement each, so that an answer is one snapshot.
type Log interface {
	// EventsAfter reads up to limit events with seq > after in order, and with them the stream's head and the
	// authority's version. A stream that does not exist is NotFound.
	EventsAfter(ctx context.Context, stream domain.ID, after int64, limit int) (domain.LogReading, error)
	// Pulse returns the heads of the streams, the authority's version, and which of the sessions have ended.
	Pulse(ctx context.Context, streams, sessions []domain.ID) (domain.Pulse, error)
}

// Rights says whether the actor may watch the stream now, and which audience they belong to. It must see a disabled
// person, a revoked token and a conflict. Refusal is an error of kind not_found, forbidden or unauthenticated; any other
// error means that the answer is not known, and nothing is delivered until it is.
type Rights interface {
	MayWatch(ctx context.Context, actor domain.Actor, stream domain.ID) (domain.Audience, error)
}

// Options of a hub; zero values take the defaults.
type Options struct {
	Log    Log
	Rights Rights
	Logger *slog.Logger

	PulseEvery  time.Duration // default 1 s
	RefreshList time.Duration // how often a watched list is read again although nothing was said; default 5 s
	ListPause   time.Duration // shortest time between two readings of one list; default 200 ms
	Page        int           // events per reading; default 100
	Recent      int           // frames kept per stream, up to twice as many; default 256
	Buffer      int           // items waiting for one reader; default 16
}

// Hub turns hints into frames for those who watch. One hub serves one process; Run must run while anyone subscribes.
type Hub struct {
	options   Options
	authority atomic.Int64  // newest authority version seen
	urgent    chan struct{} // asks for a pulse now
	asking    chan struct{} // bounds questions to the database at one time

	mu     sync.Mutex
	feeds  map[domain.ID]*feed
	lists  map[domain.ID]map[*listWatch]struct{}
	ctx    context.Context // of Run; readings shared by several watchers end with it
	failed bool            // the last pulse failed
}

// NewHub makes a hub.
func NewHub(options Options) *Hub {
	options.PulseEvery = either(options.PulseEvery, time.Second)
	options.RefreshList = either(options.RefreshList, 5*time.Second)
	options.ListPause = either(options.ListPause, 200*time.Millisecond)
	options.Page = either(options.Page, 100)
	options.Recent = either(options.Recent, 256)
	options.Buffer = either(options.Buffer, 16)
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &Hub{
		options: options,
		urgent:  make(chan struct{}, 1),
		asking:  make(chan struct{}, 8),
		feeds:   map[domain.ID]*feed{},
		lists:   map[domain.ID]map[*listWatch]struct{}{},
		ctx:     context.Background(),
	}
}

func either[T comparable](given, standard T) T {
	var zero T
	if given == zero {
		return standard
	}
	return given
}

// Run keeps the pulse until the context ends.
func (h *Hub) Run(ctx context.Context) {
	h.mu.Lock()
	h.ctx = ctx
	h.mu.Unlock()
	ticker := time.NewTicker(h.options.PulseEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-h.urgent:
		}
		h.pulse(ctx)
	}
}

// Watched is how many streams and lists are being watched, for the metrics.
func (h *Hub) Watched() (streams, lists int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, watches := range h.lists {
		lists += len(watches)
	}
	return len(h.feeds), lists
}

// take receives hints, from Redis or from this process.
func (h *Hub) take(hints []domain.Hint) {
	for _, hint := range hints {
		h.mu.Lock()
		watched := h.feeds[hint.Stream]
		for list := range h.lists[hint.Stream] {
			list.nudge()
		}
		h.mu.Unlock()
		if watched != nil {
			watched.want(hint.Seq)
		}
	}
}

// reconnected is called when hints flow again: whatever was said meanwhile is asked for.
func (h *Hub) reconnected() {
	select {
	case h.urgent <- struct{}{}:
	default:
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.eachList((*listWatch).nudge)
}

// pulse asks once for everything that is watched.
func (h *Hub) pulse(ctx context.Context) {
	streams, sessions := h.watched()
	if len(streams) == 0 && len(sessions) == 0 {
		return
	}
	answer, err := h.options.Log.Pulse(ctx, streams, sessions)
	if failed := err != nil; failed != h.failed && ctx.Err() == nil {
		h.failed = failed
		if failed {
			h.options.Logger.WarnContext(ctx, "the pulse fails; live pages stand still", "error", err)
		} else {
			h.options.Logger.InfoContext(ctx, "the pulse is back")
		}
	}
	if err != nil {
		return
	}
	h.learn(answer.AuthorityVersion)
	for stream, head := range answer.Heads {
		h.mu.Lock()
		watched := h.feeds[stream]
		h.mu.Unlock()
		if watched != nil {
			watched.want(head)
		}
	}
	h.endSessions(answer.EndedSessions)
}

// watched returns the watched streams and the sessions that watch.
func (h *Hub) watched() (streams, sessions []domain.ID) {
	seen := map[domain.ID]bool{domain.NoID: true}
	h.mu.Lock()
	defer h.mu.Unlock()
	note := func(actor domain.Actor) {
		if !seen[actor.SessionID] {
			seen[actor.SessionID] = true
			sessions = append(sessions, actor.SessionID)
		}
	}
	for stream, watched := range h.feeds {
		streams = append(streams, stream)
		for _, w := range watched.members() {
			note(w.actor)
		}
	}
	h.eachList(func(list *listWatch) { note(list.actor) })
	return streams, sessions
}

// learn notes the authority's version; a newer one makes every watcher ask its right again.
func (h *Hub) learn(version int64) {
	for {
		known := h.authority.Load()
		if version <= known {
			return
		}
		if h.authority.CompareAndSwap(known, version) {
			break
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, watched := range h.feeds {
		watched.wakeAll()
	}
	h.eachList((*listWatch).nudge)
}

func (h *Hub) endSessions(ended []domain.ID) {
	if len(ended) == 0 {
		return
	}
	over := func(actor domain.Actor) bool {
		return actor.SessionID != domain.NoID && slices.Contains(ended, actor.SessionID)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, watched := range h.feeds {
		for _, w := range watched.members() {
			if over(w.actor) {
				w.end(sessionOver())
			}
		}
	}
	h.eachList(func(list *listWatch) {
		if over(list.actor) {
			list.end(sessionOver())
		}
	})
}

// eachList visits every list watch. The lock is held.
func (h *Hub) eachList(visit func(*listWatch)) {
	for _, watches := range h.lists {
		for list := range watches {
			visit(list)
		}
	}
}

func sessionOver() error {
	return domain.Fail(domain.SessionExpired, "Your session has ended.").WithWayOut("Sign in again.")
}

// ask bounds how many questions to the database run at one time, so that a change of rights with thousands watching
// leaves connections to others.
func (h *Hub) ask(ctx context.Context, question func() error) error {
	select {
	case h.asking <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-h.asking }()
	return question()
}
