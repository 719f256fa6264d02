package live

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"countersign/domain"
)

// EventLog is what the hub reads of the event log and the credentials. Each method is one
// statement, so that its result is one snapshot.
type EventLog interface {
	// EventsAfter reads up to limit events with seq > after in order, with the stream's head and
	// the versions of rights and credentials. It returns NotFound for an unknown stream.
	EventsAfter(ctx context.Context, stream domain.ID, after int64, limit int) (domain.StreamPage,
		error)
	// WatchState returns the heads of the streams, the versions of rights and credentials, and
	// which of the sessions and API tokens are no longer valid.
	WatchState(ctx context.Context, streams, sessions, tokens []domain.ID) (domain.WatchState,
		error)
	// Credential returns whether the actor's session or API token is valid, and until when.
	Credential(ctx context.Context, actor domain.Actor) (domain.CredentialState, error)
	// RightsVersion returns the versions of rights and credentials at a time after the call.
	RightsVersion(ctx context.Context) (domain.RightsVersion, error)
}

// Authorizer decides whether the actor may watch the stream now, for which audience, and when to
// check again. It must consider disabled users and conflicts; the hub checks credentials through
// EventLog. A refusal is an error of kind not_found, forbidden or unauthenticated. Any other error
// means that the answer is unknown, and nothing is sent until it is known.
type Authorizer interface {
	MayWatch(ctx context.Context, actor domain.Actor, stream domain.ID) (domain.WatchRight, error)
}

// Options of a hub; zero values select the defaults.
type Options struct {
	Log        EventLog
	Authorizer Authorizer
	Logger     *slog.Logger

	// PollInterval is the interval at which the hub polls everything watched; default 1 s. Half way
	// between two polls it checks whether rights changed, so that a subscription without hints ends
	// within one interval after its right was revoked.
	PollInterval        time.Duration
	ListRefreshInterval time.Duration // refresh of a watched list without hints; default 5 s
	MinListInterval     time.Duration // shortest time between two reads of one list; default 200 ms
	PageSize            int           // events per read; default 100
	RecentFrames        int           // frames kept per stream, up to twice as many; default 256
	ItemBuffer          int           // buffered items per subscriber; default 16
}

// Hub turns hints into frames for subscribers. A process has one hub, whose Run must run while
// anyone subscribes.
type Hub struct {
	options   Options
	authority atomic.Int64 // newest authority version read
	// credentials is the version of the credentials at the last check of all subscriptions.
	credentials atomic.Int64
	pollNow     chan struct{} // requests an immediate poll
	querySlots  chan struct{} // limits concurrent queries of rights
	readSlots   chan struct{} // limits concurrent reads of events
	verifying   sync.Mutex    // held while checking credentials

	mu         sync.Mutex
	feeds      map[domain.ID]*feed
	lists      map[domain.ID]map[*listWatcher]struct{}
	ctx        context.Context // of Run; reads shared by several watchers end with it
	pollFailed bool            // the last poll failed
	polls      int             // number of polls
}

// NewHub returns a hub.
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
		readSlots:  make(chan struct{}, maxConcurrentReads),
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

// Run polls until the context ends.
func (h *Hub) Run(ctx context.Context) {
	h.mu.Lock()
	h.ctx = ctx
	h.mu.Unlock()
	ticker := time.NewTicker(max(h.options.PollInterval/2, 1))
	defer ticker.Stop()
	for halfway := true; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if halfway = !halfway; !halfway {
				h.checkVersions(ctx)
				continue
			}
		case <-h.pollNow:
		}
		h.poll(ctx)
	}
}

// Watched returns the number of watched streams and lists, for the metrics.
func (h *Hub) Watched() (streams, lists int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, watches := range h.lists {
		lists += len(watches)
	}
	return len(h.feeds), lists
}

// onHints processes hints from Redis or from this process.
func (h *Hub) onHints(hints []domain.Hint) {
	for _, hint := range hints {
		if hint.Stream == domain.RightsTopic {
			h.requestPoll()
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

// onReconnect polls and refreshes all lists after Redis is reachable again, because hints were lost
// during the outage.
func (h *Hub) onReconnect() {
	h.requestPoll()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.eachList((*listWatcher).signal)
}

// requestPoll requests an immediate poll.
func (h *Hub) requestPoll() {
	select {
	case h.pollNow <- struct{}{}:
	default:
	}
}

// poll reads the state of everything that is watched in one query.
func (h *Hub) poll(ctx context.Context) {
	if streams, lists := h.Watched(); streams+lists == 0 {
		return
	}
	answer, err := h.options.Log.WatchState(ctx, h.streams(), nil, nil)
	if failed := err != nil; failed != h.pollFailed && ctx.Err() == nil {
		h.pollFailed = failed
		if failed {
			h.options.Logger.WarnContext(ctx, "poll failed; live pages are not updated", "error",
				err)
		} else {
			h.options.Logger.InfoContext(ctx, "poll succeeded again")
		}
	}
	if err != nil {
		return
	}
	// A newer version reports ended credentials, and timers report expiries. Every fifth poll
	// checks all credentials in case a clock jumped.
	if h.polls++; answer.CredentialVersion > h.credentials.Load() || h.polls%5 == 0 {
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

// streams returns the watched streams.
func (h *Hub) streams() []domain.ID {
	h.mu.Lock()
	defer h.mu.Unlock()
	streams := make([]domain.ID, 0, len(h.feeds))
	for stream := range h.feeds {
		streams = append(streams, stream)
	}
	return streams
}

// onAuthorityVersion records the authority's version. A newer one makes every watcher check its
// right again.
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

// eachList calls visit for every list watcher. The caller holds the lock.
func (h *Hub) eachList(visit func(*listWatcher)) {
	for _, watches := range h.lists {
		for list := range watches {
			visit(list)
		}
	}
}

// maxConcurrentReads is the number of streams that are read at the same time. The event log reads
// them with one statement, so they need one connection; with fewer, an event would wait for several
// statements.
const maxConcurrentReads = 128

// runQuery limits the number of concurrent queries of rights, so that a change of rights with
// thousands of watchers leaves connections for other work.
func (h *Hub) runQuery(ctx context.Context, query func() error) error {
	return withSlot(ctx, h.querySlots, query)
}

// readEvents reads a page of the stream's events.
func (h *Hub) readEvents(ctx context.Context, stream domain.ID, after int64) (
	page domain.StreamPage, err error) {
	err = withSlot(ctx, h.readSlots, func() error {
		page, err = h.options.Log.EventsAfter(ctx, stream, after, h.options.PageSize)
		return err
	})
	return page, err
}

func withSlot(ctx context.Context, slots chan struct{}, query func() error) error {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-slots }()
	return query()
}
