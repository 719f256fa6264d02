package store

import (
	"context"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/audit"
	"countersign/domain"
	"countersign/store/bulk"
)

// CheckpointLog is a log of checkpoints in the database.
type CheckpointLog struct {
	ID     int16
	Origin string
}

// CheckpointLogs reads all logs, the newest last.
func (r Reader) CheckpointLogs(ctx context.Context) ([]CheckpointLog, error) {
	return queryAll(ctx, r.q, "checkpoint logs", `SELECT id, origin FROM checkpoint_logs ORDER BY id`,
		pgx.RowToStructByPos[CheckpointLog])
}

// CheckpointLog reads a log by its name; NotFound if there is none.
func (r Reader) CheckpointLog(ctx context.Context, origin string) (CheckpointLog, error) {
	return queryOne(ctx, r.q, "checkpoint log", `SELECT id, origin FROM checkpoint_logs
		WHERE origin = $1`, pgx.RowToStructByPos[CheckpointLog], origin)
}

// OpenCheckpointLog reads a log by its name, and begins it if there is none.
func (t *Tx) OpenCheckpointLog(ctx context.Context, origin string) (CheckpointLog, error) {
	if _, err := t.exec(ctx, "checkpoint log", `INSERT INTO checkpoint_logs (origin) VALUES ($1)
		ON CONFLICT DO NOTHING`, origin); err != nil {
		return CheckpointLog{}, err
	}
	return t.CheckpointLog(ctx, origin)
}

// StoredCheckpoint is a checkpoint without its leaves.
type StoredCheckpoint struct {
	Size  int64
	At    time.Time
	Note  string
	State []byte
}

// CheckpointsAfter reads the checkpoints of a log with more leaves than after, in order.
func (r Reader) CheckpointsAfter(ctx context.Context, log int16, after int64,
	limit int) ([]StoredCheckpoint, error) {
	return queryAll(ctx, r.q, "checkpoints", `SELECT size, at, note, state FROM checkpoints
		WHERE log = $1 AND size > $2 ORDER BY size LIMIT $3`,
		pgx.RowToStructByPos[StoredCheckpoint], log, after, limit)
}

// checkpointPage is how many checkpoints SealedCheckpoints reads at a time.
const checkpointPage = 500

// SealedCheckpoints reads all checkpoints of a log in order, with their leaves.
func (r Reader) SealedCheckpoints(ctx context.Context, log int16) iter.Seq2[audit.SealedCheckpoint,
	error] {
	return func(yield func(audit.SealedCheckpoint, error) bool) {
		for after := int64(0); ; {
			page, err := r.CheckpointsAfter(ctx, log, after, checkpointPage)
			if err != nil {
				yield(audit.SealedCheckpoint{}, err)
				return
			}
			for _, stored := range page {
				leaves, err := r.CheckpointLeaves(ctx, log, after, int(stored.Size-after))
				if !yield(audit.SealedCheckpoint{Note: []byte(stored.Note), Leaves: leaves}, err) ||
					err != nil {
					return
				}
				after = stored.Size
			}
			if len(page) < checkpointPage {
				return
			}
		}
	}
}

// NewestCheckpoint reads the newest checkpoint of a log; NotFound if there is none.
func (r Reader) NewestCheckpoint(ctx context.Context, log int16) (StoredCheckpoint, error) {
	return queryOne(ctx, r.q, "newest checkpoint", `SELECT size, at, note, state FROM checkpoints
		WHERE log = $1 ORDER BY size DESC LIMIT 1`, pgx.RowToStructByPos[StoredCheckpoint], log)
}

const leafColumns = `kind, subject, item, person, seq, duty, after_era, after_txid, after_id,
	until_era, until_txid, until_id, hash`

func leafTargets(l *audit.Leaf) []any {
	return []any{&l.Kind, &l.Subject, &l.Item, &l.Person, &l.Seq, &l.Duty, &l.After.Era,
		&l.After.TxID, &l.After.ID, &l.Until.Era, &l.Until.TxID, &l.Until.ID, &l.Hash}
}

func scanLeaf(row pgx.CollectableRow) (audit.Leaf, error) {
	var l audit.Leaf
	err := row.Scan(leafTargets(&l)...)
	return l, err
}

// CheckpointLeaves reads the leaves from an index on, in order, at most limit.
func (r Reader) CheckpointLeaves(ctx context.Context, log int16, from int64,
	limit int) ([]audit.Leaf, error) {
	return queryAll(ctx, r.q, "checkpoint leaves", `SELECT `+leafColumns+` FROM checkpoint_leaves
		WHERE log = $1 AND idx >= $2 ORDER BY idx LIMIT $3`, scanLeaf, log, from, limit)
}

// IndexedLeaf is a leaf and its index in the log.
type IndexedLeaf struct {
	Index int64
	audit.Leaf
}

// CheckpointLeavesOf reads the leaves of a case or another stream, in order.
func (r Reader) CheckpointLeavesOf(ctx context.Context, log int16, subject domain.ID) ([]IndexedLeaf,
	error) {
	return queryAll(ctx, r.q, "leaves of stream", `SELECT idx, `+leafColumns+` FROM checkpoint_leaves
		WHERE log = $1 AND subject = $2 AND kind <> 'access' ORDER BY idx`, scanIndexedLeaf, log, subject)
}

func scanIndexedLeaf(row pgx.CollectableRow) (IndexedLeaf, error) {
	var l IndexedLeaf
	err := row.Scan(append([]any{&l.Index}, leafTargets(&l.Leaf)...)...)
	return l, err
}

// PasskeyLeaves reads the leaves of the registrations of passkeys, in order.
func (r Reader) PasskeyLeaves(ctx context.Context, log int16, passkeys []domain.ID) ([]IndexedLeaf,
	error) {
	return queryAll(ctx, r.q, "leaves of passkeys", `SELECT idx, `+leafColumns+` FROM checkpoint_leaves
		WHERE log = $1 AND item = ANY($2) AND kind = $3 ORDER BY idx`, scanIndexedLeaf, log, passkeys,
		audit.LeafPasskey)
}

// CheckpointHashes reads hashes of complete nodes, as audit.NodeReader describes.
func (r Reader) CheckpointHashes(ctx context.Context, log int16, level uint, index uint64,
	count int) ([][]byte, error) {
	if level > 0 {
		return queryAll(ctx, r.q, "checkpoint nodes", `SELECT hash FROM checkpoint_nodes
			WHERE log = $1 AND level = $2 AND idx >= $3 AND idx < $3 + $4 ORDER BY idx`,
			pgx.RowTo[[]byte], log, level, int64(index), int64(count))
	}
	leaves, err := r.CheckpointLeaves(ctx, log, int64(index), count)
	hashes := make([][]byte, len(leaves))
	for i := range leaves {
		hashes[i] = leaves[i].Digest()
	}
	return hashes, err
}

// AddCheckpoint writes a checkpoint and its leaves, of which the first has the index. Busy if
// another program wrote one meanwhile.
func (t *Tx) AddCheckpoint(ctx context.Context, log CheckpointLog, first int64,
	sealed audit.SealedCheckpoint, at time.Time) error {
	s := &bulk.Statement{}
	id := s.Arg(log.ID)
	leaves := bulk.NewRows(s, sealed.Leaves)
	bulk.Column(leaves, "kind", "text", func(l *audit.Leaf) string { return string(l.Kind) })
	bulk.Column(leaves, "subject", "uuid", func(l *audit.Leaf) domain.ID { return l.Subject })
	bulk.Column(leaves, "item", "uuid", func(l *audit.Leaf) domain.ID { return l.Item })
	bulk.Column(leaves, "person", "uuid", func(l *audit.Leaf) domain.ID { return l.Person })
	bulk.Column(leaves, "seq", "bigint", func(l *audit.Leaf) int64 { return l.Seq })
	bulk.Column(leaves, "duty", "text", func(l *audit.Leaf) string { return l.Duty })
	bulk.Column(leaves, "after_era", "int", func(l *audit.Leaf) int32 { return l.After.Era })
	bulk.Column(leaves, "after_txid", "bigint", func(l *audit.Leaf) int64 { return l.After.TxID })
	bulk.Column(leaves, "after_id", "bigint", func(l *audit.Leaf) int64 { return l.After.ID })
	bulk.Column(leaves, "until_era", "int", func(l *audit.Leaf) int32 { return l.Until.Era })
	bulk.Column(leaves, "until_txid", "bigint", func(l *audit.Leaf) int64 { return l.Until.TxID })
	bulk.Column(leaves, "until_id", "bigint", func(l *audit.Leaf) int64 { return l.Until.ID })
	bulk.Column(leaves, "hash", "bytea", func(l *audit.Leaf) []byte { return l.Hash })
	nodes := bulk.NewRows(s, sealed.Nodes)
	bulk.Column(nodes, "level", "smallint", func(n *audit.StoredNode) int16 { return int16(n.Level) })
	bulk.Column(nodes, "idx", "bigint", func(n *audit.StoredNode) int64 { return int64(n.Index) })
	bulk.Column(nodes, "hash", "bytea", func(n *audit.StoredNode) []byte { return n.Hash })
	from := s.Arg(first)
	s.AddCTE("l", `INSERT INTO checkpoint_leaves (log, idx, %s)
		SELECT %s::smallint, %s::bigint + x.n - 1, %s FROM %s`, leafColumns, id, from,
		leaves.List("x"), leaves.NumberedFrom("x"))
	s.AddCTE("n", `INSERT INTO checkpoint_nodes (log, level, idx, hash)
		SELECT %s::smallint, %s FROM %s`, id, nodes.List("y"), nodes.From("y"))
	size := first + int64(len(sealed.Leaves))
	_, err := t.exec(ctx, "checkpoint", s.With()+`INSERT INTO checkpoints (log, size, at, note, state)
		VALUES (`+id+`::smallint, `+s.Arg(size)+`, `+s.Arg(at)+`, `+s.Arg(string(sealed.Note))+`, `+
		s.Arg(sealed.State)+`)`, s.Args()...)
	return err
}

// AddCheckpointCopy records that a checkpoint is kept in a place, once.
func (t *Tx) AddCheckpointCopy(ctx context.Context, log int16, size int64, place,
	signature string) error {
	_, err := t.exec(ctx, "checkpoint copy", `INSERT INTO checkpoint_copies (log, size, place, signature)
		VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, log, size, place, signature)
	return err
}

// CheckpointCopy is the newest copy of a log in a place.
type CheckpointCopy struct {
	Place     string
	Size      int64
	At        time.Time // when it was copied
	SignedAt  time.Time // of the checkpoint
	Signature string
}

// NewestCheckpointCopies reads the newest copy in each place.
func (r Reader) NewestCheckpointCopies(ctx context.Context, log int16) ([]CheckpointCopy, error) {
	return queryAll(ctx, r.q, "checkpoint copies", `SELECT DISTINCT ON (c.place) c.place, c.size, c.at,
		k.at, c.signature FROM checkpoint_copies c JOIN checkpoints k ON k.log = c.log AND k.size = c.size
		WHERE c.log = $1 ORDER BY c.place, c.size DESC`, pgx.RowToStructByPos[CheckpointCopy], log)
}
