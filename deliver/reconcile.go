package deliver

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
)

// Receiver can be asked which events it has; NotFound if it offers no such list.
type Receiver interface {
	Received(ctx context.Context, spec domain.ConnectorSpec, from, to time.Time,
		visit func(id string) error) error
}

// Reconciler compares what a connector delivered with what its receiver has.
type Reconciler struct {
	source   Source
	receiver Receiver
}

// NewReconciler returns a Reconciler.
func NewReconciler(source Source, receiver Receiver) *Reconciler {
	return &Reconciler{source: source, receiver: receiver}
}

const (
	reconcilePage = 500
	// maxTransaction is how much later than events that follow it in the feed an event can have happened.
	maxTransaction = time.Hour
)

// Reconcile asks the receiver for its events of the period and compares them with the feed. An event
// that is being delivered, or needs a person, is no difference on either side.
func (r *Reconciler) Reconcile(ctx context.Context, query domain.ReconcileQuery) (
	domain.Reconciliation, error) {
	result := domain.Reconciliation{From: query.From, To: query.To}
	received := map[string]bool{}
	err := r.receiver.Received(ctx, query.Connector.Spec, query.From, query.To, func(id string) error {
		received[id] = true
		return checkSize(len(received))
	})
	if err != nil {
		return result, err
	}
	undelivered := map[string]bool{}
	for _, id := range query.Undelivered {
		undelivered[id] = true
	}
	for at, more := query.Start, true; more; {
		page, err := r.source.ConnectorPage(ctx, query.Connector.Spec, at, reconcilePage)
		if err != nil {
			return result, err
		}
		for i := range page.Events {
			event := &page.Events[i]
			if event.At.Before(query.From) || !event.At.Before(query.To) {
				continue
			}
			id := event.ID()
			delivered := !query.Connector.Cursor.Before(event.Position) && !undelivered[id]
			if delivered {
				result.Compared++
			}
			if delivered && !received[id] {
				result.MissingCount++
				result.Missing = append(result.Missing, id)[:min(result.MissingCount, domain.MaxDifferences)]
			}
			delete(received, id)
		}
		if err := checkSize(result.Compared); err != nil {
			return result, err
		}
		last := len(page.Events) - 1
		at, more = page.Next, !page.Complete &&
			(last < 0 || page.Events[last].At.Before(query.To.Add(maxTransaction)))
	}
	for id := range received {
		result.Unknown = append(result.Unknown, id)
	}
	slices.Sort(result.Unknown)
	result.UnknownCount = len(result.Unknown)
	result.Unknown = result.Unknown[:min(result.UnknownCount, domain.MaxDifferences)]
	return result, nil
}

func checkSize(events int) error {
	if events <= domain.MaxReconciled {
		return nil
	}
	return domain.Invalid("from", "There are more than %d events in this period.", domain.MaxReconciled).
		WithRemedy("Choose a shorter period.")
}
