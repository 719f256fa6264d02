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

// get returns a version of a process, parsed once. Inside a transaction the caller must pass the
// reader of the transaction: waiting for a second connection could deadlock the pool.
func (d *definitionCache) get(
	ctx context.Context, r store.Reader, key string, version int,
) (*workflow.Definition, error) {
	if def, ok := d.parsed.Load(key, version); ok {
		return def, nil
	}
	if err := d.load(ctx, r, key, version); err != nil {
		return nil, err
	}
	if def, ok := d.parsed.Load(key, version); ok {
		return def, nil
	}
	return nil, domain.Errorf(domain.ProcessorNotFound, "Process %s version %d is not published.",
		key, version)
}

// exists reports whether any version of the process is published.
func (d *definitionCache) exists(ctx context.Context, r store.Reader, key string) (bool, error) {
	if _, known := d.seen(key); known {
		return true, nil
	}
	version, err := r.NewestDefinition(ctx, key)
	if err != nil || version == 0 {
		return false, err
	}
	d.newest.Store(key, version)
	return true, nil
}

// seen returns the newest version of the process that this program has seen; newer ones may have
// been published since.
func (d *definitionCache) seen(key string) (version int, known bool) {
	found, known := d.newest.Load(key)
	if known {
		version = found.(int)
	}
	return version, known
}

// note remembers the version in which a case was created.
func (d *definitionCache) note(def *workflow.Definition) {
	if version, known := d.seen(def.Key); !known || version < def.Version {
		d.newest.Store(def.Key, def.Version)
	}
}

// load parses the definitions that were published since the last call. A definition that fails to
// parse stops only its own cases.
func (d *definitionCache) load(
	ctx context.Context, r store.Reader, key string, version int,
) error {
	rows, err := r.Definitions(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		_, err := d.parsed.Parse(row.Key, row.Version, func() (*workflow.Definition, error) {
			return workflow.Parse([]byte(row.Document))
		})
		if err != nil && row.Key == key && row.Version == version {
			return fmt.Errorf("casework: published definition %s version %d: %w", key, version, err)
		}
	}
	return nil
}

// appendEvents appends events to a system stream inside the transaction.
func (svc *Service) appendEvents(
	ctx context.Context, tx *store.Tx, stream domain.SystemStream, actor domain.Actor,
	bodies []events.Body,
) (domain.Hint, error) {
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
		list[i] = domain.Event{Stream: stream.ID, Actor: actor.UserID, OnBehalfOf: actor.OnBehalfOf,
			CorrelationID: actor.RequestID, At: now}
		if err := events.SetBody(&list[i], body); err != nil {
			return domain.Hint{}, err
		}
		batch[i] = &list[i]
	}
	after, err := audit.Chain(audit.ChainHead{Seq: head.Seq, Hash: head.Hash}, svc.salts, batch...)
	if err != nil {
		return domain.Hint{}, err
	}
	return domain.Hint{Stream: stream.ID, Seq: after.Seq}, tx.AppendStream(ctx, list)
}
