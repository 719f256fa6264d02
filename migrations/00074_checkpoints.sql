-- Checkpoints: a transparency log over the heads of streams, decisions, votes and the access log. The application can only add to it.
-- +goose Up
CREATE TABLE checkpoint_logs (
  id     smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  origin text NOT NULL UNIQUE, -- the name in the signing key; another name begins another log
  since  timestamptz NOT NULL DEFAULT clock()
);

-- The leaves of a log in order. Their meaning is that of audit.Leaf.
CREATE TABLE checkpoint_leaves (
  log        smallint NOT NULL REFERENCES checkpoint_logs,
  idx        bigint NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('head', 'decision', 'vote', 'access')),
  subject    uuid NOT NULL,
  item       uuid NOT NULL,
  person     uuid NOT NULL,
  seq        bigint NOT NULL,
  duty       text NOT NULL,
  after_era  int NOT NULL,
  after_txid bigint NOT NULL,
  after_id   bigint NOT NULL,
  until_era  int NOT NULL,
  until_txid bigint NOT NULL,
  until_id   bigint NOT NULL,
  hash       bytea NOT NULL,
  PRIMARY KEY (log, idx)
);
CREATE INDEX checkpoint_leaves_subject ON checkpoint_leaves (subject, log, idx) WHERE kind <> 'access';

-- Complete nodes of the tree at the levels 8, 16, …, for proofs.
CREATE TABLE checkpoint_nodes (
  log   smallint NOT NULL REFERENCES checkpoint_logs,
  level smallint NOT NULL,
  idx   bigint NOT NULL,
  hash  bytea NOT NULL,
  PRIMARY KEY (log, level, idx)
);

CREATE TABLE checkpoints (
  log   smallint NOT NULL REFERENCES checkpoint_logs,
  size  bigint NOT NULL CHECK (size > 0), -- number of leaves
  at    timestamptz NOT NULL,
  note  text NOT NULL,  -- as it is signed
  state bytea NOT NULL, -- right edge of the tree, from which the next checkpoint follows
  PRIMARY KEY (log, size)
);

-- Which checkpoints were kept outside of the database, and where.
CREATE TABLE checkpoint_copies (
  log       smallint NOT NULL,
  size      bigint NOT NULL,
  place     text NOT NULL, -- 'folder', 'bucket' or 'witness'
  at        timestamptz NOT NULL DEFAULT clock(),
  signature text NOT NULL DEFAULT '', -- the line of the witness
  PRIMARY KEY (log, place, size),
  FOREIGN KEY (log, size) REFERENCES checkpoints
);

GRANT SELECT, INSERT ON checkpoint_logs, checkpoint_leaves, checkpoint_nodes, checkpoints, checkpoint_copies TO countersign_app;

-- A vote is given or revoked, never changed.
REVOKE UPDATE ON votes FROM countersign_app;

-- The events after a position and below a fence, in the order of the feed, without their bodies; of a decision its review. As in
-- feed_window, the index is read in its order.
-- +goose StatementBegin
CREATE FUNCTION checkpoint_window(after_era int, after_txid xid8, after_id bigint, upto_era int, upto_txid xid8, most int)
RETURNS TABLE (era int, txid xid8, id bigint, case_id uuid, seq bigint, hash bytea, review uuid) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
  RETURN QUERY SELECT e.era, e.txid, e.id, e.case_id, e.seq, e.hash,
      CASE WHEN e.type = 'review.decided' AND e.body <> '' THEN (e.body::jsonb ->> 'reviewId')::uuid END
    FROM events e
    WHERE (e.era, e.txid, e.id) > (after_era, after_txid, after_id) AND (e.era, e.txid) < (upto_era, upto_txid)
    ORDER BY e.era, e.txid, e.id LIMIT most;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT 1 / 0;
