package casework

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"countersign/audit"
	"countersign/authz"
	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
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

// PublishBuiltins publishes the definitions and the policy that come with the program, as the system; what stands
// already stays. It runs with the rights of migrate or of the application.
func (h *Hall) PublishBuiltins(ctx context.Context) error {
	sources, err := workflow.Builtin()
	if err != nil {
		return err
	}
	for _, source := range sources {
		if err := h.publishBuiltin(ctx, source); err != nil {
			return err
		}
	}
	if err := h.publishRules(ctx); err != nil {
		return err
	}
	return h.publishPolicy(ctx)
}

func (h *Hall) publishBuiltin(ctx context.Context, source workflow.Source) error {
	def, err := workflow.Parse(source.YAML)
	if err != nil {
		return err
	}
	if proof := workflow.Prove(def); len(proof.Problems) > 0 {
		return domain.Fail(domain.Internal, "The built-in process %s is not sound: %v.", source.Key, proof.Problems[0])
	}
	return h.onStream(ctx, domain.DefinitionStream(source.Key), domain.SystemActor(), func(tx *store.Tx) ([]events.Body, error) {
		fresh, err := tx.PublishDefinition(ctx, store.PublishedDefinition{Key: source.Key, Version: source.Version,
			Document: string(source.YAML), HasAmount: def.HasAmount, By: domain.SystemUserID})
		if err != nil || !fresh {
			return nil, err
		}
		hash := sha256.Sum256(source.YAML)
		return []events.Body{generated.DefinitionPublishedV2{Kind: string(domain.ProposeProcess), DefinitionVersion: int64(source.Version),
			Key: source.Key, Base: int64(source.Version - 1), SHA256: hex.EncodeToString(hash[:]), By: domain.SystemUserID}}, nil
	})
}

func (h *Hall) publishPolicy(ctx context.Context) error {
	return h.onStream(ctx, domain.PolicyStream, domain.SystemActor(), func(tx *store.Tx) ([]events.Body, error) {
		policy := authz.DefaultPolicy()
		encoded, err := domain.CanonicalJSON(policy.Rules)
		if err != nil {
			return nil, err
		}
		next, err := nextBuiltinPolicy(ctx, tx, encoded)
		if err != nil || next == 0 {
			return nil, err
		}
		if err := tx.PutPolicy(ctx, next, encoded, domain.SystemUserID); err != nil {
			return nil, err
		}
		if _, err := tx.RaiseAuthority(ctx); err != nil {
			return nil, err
		}
		hash := sha256.Sum256(encoded)
		return []events.Body{generated.PolicyPublishedV1{PolicyVersion: next, Rules: int64(len(policy.Rules)), SHA256: hex.EncodeToString(hash[:])}}, nil
	})
}

// nextBuiltinPolicy is the version under which the program's own rules come into force: the first, or the one after those
// of an older program that nobody has changed. 0 when they hold already, or people have made rules of their own.
func nextBuiltinPolicy(ctx context.Context, tx *store.Tx, encoded []byte) (int64, error) {
	present, by, err := tx.PolicyBy(ctx)
	if domain.HasCode(err, domain.NotFound) {
		return 1, nil
	}
	if err != nil || by != domain.SystemUserID {
		return 0, err
	}
	policy, err := loadPolicy(ctx, tx.Reader)
	if err != nil {
		return 0, err
	}
	held, err := domain.CanonicalJSON(policy.Rules)
	if err != nil || bytes.Equal(held, encoded) {
		return 0, err
	}
	return present + 1, nil
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
