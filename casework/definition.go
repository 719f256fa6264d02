package casework

import (
	"context"
	"fmt"

	"countersign/audit"
	"countersign/domain"
	"countersign/events"
	"countersign/store"
	"countersign/workflow"
)

// get returns the version of the process, parsed once. Inside a transaction the reader must be the transaction's: a command
// that waited for a second connection while it holds one would wait for ever when all do.
func (d *definitions) get(ctx context.Context, r store.Reader, key string, version int) (*workflow.Definition, error) {
	if def, ok := d.known.load(definitionKey{key, version}); ok {
		return def, nil
	}
	if err := d.load(ctx, r, definitionKey{key, version}); err != nil {
		return nil, err
	}
	if def, ok := d.known.load(definitionKey{key, version}); ok {
		return def, nil
	}
	return nil, domain.Fail(domain.ProcessorNotFound, "the process %s version %d is not published", key, version)
}

// load parses what was published meanwhile. One that cannot be read any more stops its own cases, no others.
func (d *definitions) load(ctx context.Context, r store.Reader, wanted definitionKey) error {
	rows, err := r.Definitions(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		key := definitionKey{row.Key, row.Version}
		if _, ok := d.known.load(key); ok {
			continue
		}
		def, err := workflow.Parse([]byte(row.Document))
		if err != nil && key == wanted {
			return fmt.Errorf("casework: published definition %s version %d: %w", row.Key, row.Version, err)
		}
		if err != nil {
			continue
		}
		d.known.store(key, def)
	}
	return nil
}

// onStream runs a change that is told on a system stream, in one transaction.
func (h *Hall) onStream(ctx context.Context, stream domain.SystemStream, actor domain.Actor, fn func(*store.Tx) ([]events.Body, error)) error {
	var hint domain.Hint
	err := h.db.InTx(ctx, func(tx *store.Tx) error {
		bodies, err := fn(tx)
		if err != nil || len(bodies) == 0 {
			return err
		}
		hint, err = h.append(ctx, tx, stream, actor, bodies)
		return err
	})
	if err == nil && hint.Seq > 0 {
		h.ports.Bell.Changed(ctx, []domain.Hint{hint})
	}
	return err
}

// append adds events to a system stream inside the transaction.
func (h *Hall) append(ctx context.Context, tx *store.Tx, stream domain.SystemStream, actor domain.Actor, bodies []events.Body) (domain.Hint, error) {
	head, err := tx.LockStream(ctx, stream)
	if err != nil {
		return domain.Hint{}, err
	}
	now, err := tx.Clock(ctx)
	if err != nil {
		return domain.Hint{}, err
	}
	list := make([]domain.Event, len(bodies))
	batch := make([]*domain.Event, len(bodies))
	for i, body := range bodies {
		list[i] = domain.Event{Stream: stream.ID, Actor: actor.UserID, OnBehalfOf: actor.OnBehalfOf, CorrelationID: actor.RequestID, At: now}
		if err := events.Fill(&list[i], body); err != nil {
			return domain.Hint{}, err
		}
		batch[i] = &list[i]
	}
	after, err := audit.Chain(audit.Head{Seq: head.Seq, Hash: head.Hash}, h.salts, batch...)
	if err != nil {
		return domain.Hint{}, err
	}
	return domain.Hint{Stream: stream.ID, Seq: after.Seq}, tx.AppendStream(ctx, list)
}
