package live

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"countersign/domain"
)

// EventLog is what the hub asks of the event log and of the credentials. Each is one statement, so that an answer is one snapshot.
type EventLog interface {
	// EventsAfter reads up to limit events with seq > after in order, and with them the stream's head and the
	// versions of rights and credentials. A stream that does not exist is NotFound.
	EventsAfter(ctx context.Context, stream domain.ID, after int64, limit int) (domain.StreamPage, error)
	// WatchState returns the heads of the streams, the versions of rights and credentials, and which of the sessions and API
	// tokens no longer hold.
	WatchState(ctx context.Context, streams, sessions, tokens []domain.ID) (domain.WatchState, error)
	// Credential returns whether the actor's session or API token holds, and until when.
	Credential(ctx context.Context, actor domain.Actor) (domain.CredentialState, error)
	// RightsVersion returns the versions of rights and credentials at a moment after the question.
	RightsVersion(ctx context.Context) (domain.RightsVersion, error)
}

// Authorizer says whether the actor may watch the stream now, which audience they belong to, and when to ask again. It must
// see a disabled person and a conflict; whether the credential holds the hub asks of the Log. Refusal is an error of kind
// not_found, forbidden or unauthenticated; any other error means that the answer is not known, and nothing is delivered
// until it is.
type Authorizer interface {
	MayWatch(ctx context.Context, actor domain.Actor, stream domain.ID) (domain.WatchRight, error)
}

// Options of a hub; zero values take the defaults.
type Options struct {
	Log        EventLog
	Authorizer Authorizer
	Logger     *slog.Logger

	// PollInterval is how often everything watched is asked about; default 1 s. Half way between, the hub looks whether rights
	// have changed: when hints do not flow, a lost right is noticed after half of it at most, and the subscription ends
	// within it.
	PollInterval        time.Duration
	ListRefreshInterval time.Duration // how often a watched list is read again although nothing was said; default 5 s
	MinListInterval     time.Duration // shortest time between two readings of one list; default 200 ms
	PageSize            int           // events per reading; default 100
	RecentFrames        int           // frames kept per stream, up to twice as many; default 256
	ItemBuffer          int           // items waiting for one reader; default 16
}

// Hub turns hints into frames for the watchers. One hub serves one process; Run must run while anyone subscribes.
type Hub struct {
	options   Options
	authority atomic.Int64 // newest authority version seen
	// credentials is the version of the credentials under which all subscriptions were last asked about.
	credentials atomic.Int64
	pollNow     chan struct{} // requests a poll now
	querySlots  chan struct{} // bounds questions to the database at one time
	verifying   sync.Mutex    // held by who asks which credentials hold

	mu         sync.Mutex
	feeds      map[domain.ID]*feed
	lists      map[domain.ID]map[*listWatcher]struct{}
	ctx        context.Context // of Run; readings shared by several watchers end with it
	pollFailed bool            // the last pulse failed
	pulses     int             // so far
}

// NewHub makes a hub.
func NewHub(options Options) *Hub {
	options.PollInterval = orDefault(options.PollInterval, time.Second)
	options.ListRefreshInterval = orDefault(options.ListRefreshInterval, 5*time.Second)
	options.MinListInterval = orDefault(options.MinListInterval, 200*time.Millisecond)
	options.PageSize = orDefault(options.PageSize, 100)
	options.RecentFrames = orDefault(options.RecentFrames, 256)
	options.ItemBuffer = orDefault(options.ItemBuffer, 16)
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &Hub{
		options:    options,
		pollNow:    make(chan struct{}, 1),
		querySlots: make(chan struct{}, 8),
		feeds:      map[domain.ID]*feed{},
		lists:      map[domain.ID]map[*listWatcher]struct{}{},
		ctx:        context.Background(),
	}
}

func orDefault[T comparable](given, standard T) T {
	var zero T
	if given == zero {
		return standard
	}
	return given
}

// Run keeps the poll until the context ends.
func (h *Hub) Run(ctx context.Context) {
	h.mu.Lock()
	h.ctx = ctx
	h.mu.Unlock()
	ticker := time.NewTicker(max(h.options.PollInterval/2, 1))
	defer ticker.Stop()
	for between := true; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if between = !between; !between {
				h.glance(ctx)
				continue
			}
		case <-h.pollNow:
		}
		h.poll(ctx)
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

// onHints receives hints, from Redis or from this process.
func (h *Hub) onHints(hints []domain.Hint) {
	for _, hint := range hints {
		if hint.Stream == domain.RightsTopic {
			h.hurry()
			continue
		}
		h.mu.Lock()
		watched := h.feeds[hint.Stream]
		for list := range h.lists[hint.Stream] {
			list.signal()
		}
		h.mu.Unlock()
		if watched != nil {
			watched.readTo(hint.Seq)
		}
	}
}

// onReconnect is called when hints flow again: whatever was said meanwhile is asked for.
func (h *Hub) onReconnect() {
	h.hurry()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.eachList((*listWatcher).signal)
}

// hurry requests a poll now.
func (h *Hub) hurry() {
	select {
	case h.pollNow <- struct{}{}:
	default:
	}
}

// poll asks once for everything that is watched.
func (h *Hub) poll(ctx context.Context) {
	if streams, lists := h.Watched(); streams+lists == 0 {
		return
	}
	answer, err := h.options.Log.WatchState(ctx, h.streams(), nil, nil)
	if failed := err != nil; failed != h.pollFailed && ctx.Err() == nil {
		h.pollFailed = failed
		if failed {
			h.options.Logger.WarnContext(ctx, "the pulse fails; live pages stand still", "error", err)
		} else {
			h.options.Logger.InfoContext(ctx, "the pulse is back")
		}
	}
	if err != nil {
		return
	}
	// Ends are told by the version, and ends by time by timers; now and then all are asked about, should a clock have jumped.
	if h.pulses++; answer.CredentialVersion > h.credentials.Load() || h.pulses%5 == 0 {
		h.verifyAll(ctx)
	}
	h.onAuthorityVersion(answer.AuthorityVersion)
	for stream, head := range answer.LastSeqs {
		h.mu.Lock()
		watched := h.feeds[stream]
		h.mu.Unlock()
		if watched != nil {
			watched.readTo(head)
		}
	}
}

// streams are those that are watched.
func (h *Hub) streams() []domain.ID {
	h.mu.Lock()
	defer h.mu.Unlock()
	streams := make([]domain.ID, 0, len(h.feeds))
	for stream := range h.feeds {
		streams = append(streams, stream)
	}
	return streams
}

// onAuthorityVersion notes the authority's version; a newer one makes every watcher ask its right again.
func (h *Hub) onAuthorityVersion(version int64) {
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
		watched.signalAll()
	}
	h.eachList((*listWatcher).signal)
}

// eachList visits every list watch. The lock is held.
func (h *Hub) eachList(visit func(*listWatcher)) {
	for _, watches := range h.lists {
		for list := range watches {
			visit(list)
		}
	}
}

// runQuery bounds how many questions to the database run at one time, so that a change of rights with thousands watching
// leaves connections to others.
func (h *Hub) runQuery(ctx context.Context, question func() error) error {
	select {
	case h.querySlots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-h.querySlots }()
	return question()
}
