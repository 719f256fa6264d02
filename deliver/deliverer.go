package deliver

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"countersign/domain"
	"countersign/feed"
)

// Records is the part of the service layer that stores what was delivered.
type Records interface {
	DueConnectors(ctx context.Context) ([]domain.Connector, error)
	LeadConnector(ctx context.Context, id domain.ID, holder string, ttl time.Duration) (bool, error)
	DueDeliveries(ctx context.Context, connector domain.ID, limit int) ([]domain.Delivery, error)
	HeldStreams(ctx context.Context, connector domain.ID, streams []domain.ID) ([]domain.ID, error)
	RecordRound(ctx context.Context, round domain.DeliveryRound) error
}

// Source reads the feed as a connector may see it.
type Source interface {
	ConnectorPage(ctx context.Context, spec domain.ConnectorSpec, after domain.FeedPosition,
		limit int) (feed.Page, error)
	ConnectorEvents(ctx context.Context, spec domain.ConnectorSpec,
		positions []domain.FeedPosition) ([]feed.Event, error)
}

// Sender makes one attempt to deliver an event.
type Sender interface {
	Deliver(ctx context.Context, spec domain.ConnectorSpec, event *feed.Event) domain.DeliveryAttempt
}

// Options are the settings of a Deliverer; zero values have defaults.
type Options struct {
	Holder   string        // unique among all programs
	Parallel int           // events of one connector that are sent concurrently; default 32
	Poll     time.Duration // pause between looks at the feed; default 500 ms
	Busy     time.Duration // the same within 10 s of a delivery; default 50 ms
	Lease    time.Duration // how long the lease of a dead leader blocks the others; default 15 s
	Clock    domain.Clock
	Log      *slog.Logger
}

// Deliverer delivers the events of all connectors that this program leads.
type Deliverer struct {
	records Records
	source  Source
	sender  Sender
	options Options

	mu      sync.Mutex
	leading map[domain.ID]*leadership

	delivered atomic.Int64 // Unix milliseconds of the last round with a delivery

	stopping chan struct{}
	done     sync.WaitGroup
}

// leadership is what a program knows about a connector.
type leadership struct {
	running    bool
	leads      bool
	asked      time.Time // last attempt to acquire or to renew the lease
	generation int
	// cursor is after events that the connector does not send; it is newer than the recorded one.
	cursor   domain.FeedPosition
	recorded time.Time
}

// New returns a Deliverer.
func New(records Records, source Source, sender Sender, options Options) *Deliverer {
	if options.Parallel == 0 {
		options.Parallel = 32
	}
	if options.Poll == 0 {
		options.Poll = 500 * time.Millisecond
	}
	if options.Busy == 0 {
		options.Busy = min(50*time.Millisecond, options.Poll)
	}
	if options.Lease == 0 {
		options.Lease = 15 * time.Second
	}
	if options.Clock == nil {
		options.Clock = domain.SystemClock{}
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &Deliverer{records: records, source: source, sender: sender, options: options,
		leading: map[domain.ID]*leadership{}, stopping: make(chan struct{})}
}

// stopGrace is how long attempts under way may take after Stop.
const stopGrace = 4 * time.Second

// Start delivers in the background until Stop.
func (d *Deliverer) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	d.done.Go(func() {
		defer cancel()
		var rounds sync.WaitGroup
		for {
			d.startRounds(ctx, &rounds)
			timer := time.NewTimer(d.untilNext())
			select {
			case <-timer.C:
				continue
			case <-d.stopping:
				timer.Stop()
			}
			grace := time.AfterFunc(stopGrace, cancel)
			rounds.Wait()
			grace.Stop()
			return
		}
	})
}

// busyFor is how long after a delivery the feed is looked at more often.
const busyFor = 10 * time.Second

// untilNext returns the pause before the next look at the feed.
func (d *Deliverer) untilNext() time.Duration {
	last := d.delivered.Load()
	if last != 0 && d.options.Clock.Now().Sub(time.UnixMilli(last)).Abs() < busyFor {
		return d.options.Busy
	}
	return d.options.Poll
}

// Stop ends delivering. Attempts under way may end, and what they did is recorded.
func (d *Deliverer) Stop() {
	close(d.stopping)
	d.done.Wait()
}

func (d *Deliverer) stopped() bool {
	select {
	case <-d.stopping:
		return true
	default:
		return false
	}
}

// startRounds starts the rounds of every due connector that has none under way.
func (d *Deliverer) startRounds(ctx context.Context, rounds *sync.WaitGroup) {
	connectors, err := d.records.DueConnectors(ctx)
	if err != nil {
		d.options.Log.WarnContext(ctx, "connectors not read", "error", err)
		return
	}
	for _, connector := range connectors {
		state := d.begin(connector.ID)
		if state == nil {
			continue
		}
		rounds.Go(func() {
			defer d.end(state)
			if err := d.run(ctx, connector, state); err != nil &&
				!domain.HasCode(err, domain.LeaseLost) {
				d.options.Log.WarnContext(ctx, "connector", "name", connector.Spec.Name,
					"error", err)
			}
		})
	}
}

// begin returns the state of a connector, or nil if its rounds are under way.
func (d *Deliverer) begin(id domain.ID) *leadership {
	d.mu.Lock()
	defer d.mu.Unlock()
	state := d.leading[id]
	if state == nil {
		state = &leadership{}
		d.leading[id] = state
	}
	if state.running {
		return nil
	}
	state.running = true
	return state
}

func (d *Deliverer) end(state *leadership) {
	d.mu.Lock()
	state.running = false
	d.mu.Unlock()
}

// lead acquires the lease of the connector, or renews it when a third of it has passed.
func (d *Deliverer) lead(ctx context.Context, id domain.ID, state *leadership) (bool, error) {
	now := d.options.Clock.Now()
	if now.Sub(state.asked).Abs() < d.options.Lease/3 {
		return state.leads, nil
	}
	leads, err := d.records.LeadConnector(ctx, id, d.options.Holder, d.options.Lease)
	if err != nil {
		return false, err
	}
	state.asked, state.leads = now, leads
	return leads, nil
}

// run makes rounds until the feed has no more for the connector.
func (d *Deliverer) run(ctx context.Context, connector domain.Connector, state *leadership) error {
	for !d.stopped() {
		leads, err := d.lead(ctx, connector.ID, state)
		if err != nil || !leads {
			return err
		}
		more, err := d.leadRound(ctx, connector, state)
		if err != nil || !more {
			return err
		}
		due, err := d.records.DueConnectors(ctx) // it may be paused or changed now
		if err != nil {
			return err
		}
		found := false
		for _, one := range due {
			if one.ID == connector.ID {
				connector, found = one, true
			}
		}
		if !found {
			return nil
		}
	}
	return nil
}

// leadRound makes one round, and renews the lease while it lasts.
func (d *Deliverer) leadRound(ctx context.Context, connector domain.Connector, state *leadership,
) (more bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	var renewing sync.WaitGroup
	renewing.Go(func() {
		ticker := time.NewTicker(d.options.Lease / 3)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-ended:
				return
			}
			leads, err := d.records.LeadConnector(ctx, connector.ID, d.options.Holder,
				d.options.Lease)
			if err == nil && !leads {
				cancel()
				return
			}
		}
	})
	more, err = d.round(ctx, connector, state)
	close(ended)
	renewing.Wait()
	return more, err
}
