package deliver

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/feed"
)

// Bounds of a round.
const (
	maxPage   = 500
	maxDue    = 100
	maxParked = 10_000 // rows of deliveries; with more, the feed is not read on
	// While the receiver fails, few events are tried.
	probePage = 8
	probeDue  = 4
	// abortAfter is the number of failures after one another that ends the attempts of a round.
	abortAfter = 8
	// roundTime is how long a round begins attempts.
	roundTime = 20 * time.Second
	// recordInterval is how often a cursor is recorded that passes events which are not sent.
	recordInterval = 30 * time.Second
	recordTimeout  = 5 * time.Second
)

// item is an event in a round.
type item struct {
	event   *feed.Event
	row     *domain.Delivery // of an event that failed before; else nil
	attempt *domain.DeliveryAttempt
}

// work is what a round has to do.
type work struct {
	sequences [][]*item // of one stream each, in order
	items     []*item   // all of them, in the order of the feed
	held      []*item   // new events of streams with a delivery that has not ended
	gone      []domain.ID
	next      domain.FeedPosition
	complete  bool
}

// round makes one round and reports whether there may be more to do now.
func (d *Deliverer) round(ctx context.Context, connector domain.Connector, state *leadership) (
	bool, error) {
	if state.generation != connector.Generation || state.cursor.Before(connector.Cursor) {
		state.generation, state.cursor = connector.Generation, connector.Cursor
	}
	todo, err := d.collect(ctx, connector, state.cursor)
	if err != nil {
		return false, err
	}
	d.attemptAll(ctx, connector.Spec, todo.sequences)
	round := settle(connector, todo)
	if round.Delivered > 0 {
		d.delivered.Store(d.options.Clock.Now().UnixMilli())
	}
	round.Holder = d.options.Holder
	now := d.options.Clock.Now()
	idle := round.Delivered == 0 && !round.Failed && len(round.Resolved) == 0 &&
		len(round.Attempted) == 0 && len(round.Parked) == 0
	if idle && todo.complete && now.Sub(state.recorded).Abs() < recordInterval {
		state.cursor = round.Cursor
		return false, nil
	}
	// What was delivered is recorded also while the program stops.
	recording, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	if err := d.records.RecordRound(recording, round); err != nil {
		return false, err
	}
	state.recorded = now
	if !round.Failed {
		state.cursor = round.Cursor
	}
	more := !todo.complete || round.Delivered > 0
	return more && !round.Failed && !round.Gone && round.RetryAfter == 0, nil
}

// collect reads the deliveries that are due and the next page of the feed.
func (d *Deliverer) collect(ctx context.Context, connector domain.Connector,
	cursor domain.FeedPosition) (*work, error) {
	todo := &work{next: cursor, complete: true}
	page, due := maxPage, maxDue
	if connector.Failures > 0 {
		page, due = probePage, probeDue
	}
	parked := connector.Waiting + connector.Dead
	if connector.Waiting > 0 {
		if err := d.collectDue(ctx, connector, todo, due); err != nil {
			return nil, err
		}
	}
	if parked >= maxParked {
		return todo, nil
	}
	read, err := d.source.ConnectorPage(ctx, connector.Spec, cursor, page)
	if err != nil {
		return nil, err
	}
	todo.next, todo.complete = read.Next, read.Complete
	var held []domain.ID
	if parked > 0 && len(read.Events) > 0 {
		if held, err = d.records.HeldStreams(ctx, connector.ID, streamsOf(read.Events)); err != nil {
			return nil, err
		}
	}
	byStream := map[domain.ID]int{}
	for i := range read.Events {
		one := &item{event: &read.Events[i]}
		if slices.Contains(held, one.event.Stream) {
			todo.held = append(todo.held, one)
			continue
		}
		todo.items = append(todo.items, one)
		at, known := byStream[one.event.Stream]
		if !known {
			at = len(todo.sequences)
			byStream[one.event.Stream] = at
			todo.sequences = append(todo.sequences, nil)
		}
		todo.sequences[at] = append(todo.sequences[at], one)
	}
	return todo, nil
}

// collectDue reads the events of the deliveries that are due. An event that the connector does not
// send any more needs no delivery.
func (d *Deliverer) collectDue(ctx context.Context, connector domain.Connector, todo *work,
	limit int) error {
	due, err := d.records.DueDeliveries(ctx, connector.ID, limit)
	if err != nil || len(due) == 0 {
		return err
	}
	positions := make([]domain.FeedPosition, 0, len(due))
	for _, row := range due {
		positions = append(positions, row.Position)
	}
	found, err := d.source.ConnectorEvents(ctx, connector.Spec, positions)
	if err != nil {
		return err
	}
	for i := range due {
		at := slices.IndexFunc(found,
			func(e feed.Event) bool { return e.Position == due[i].Position })
		if at < 0 {
			todo.gone = append(todo.gone, due[i].ID)
			continue
		}
		one := &item{event: &found[at], row: &due[i]}
		todo.items = append(todo.items, one)
		todo.sequences = append(todo.sequences, []*item{one})
	}
	return nil
}

func streamsOf(events []feed.Event) []domain.ID {
	seen := map[domain.ID]bool{}
	var streams []domain.ID
	for i := range events {
		if !seen[events[i].Stream] {
			seen[events[i].Stream] = true
			streams = append(streams, events[i].Stream)
		}
	}
	return streams
}
