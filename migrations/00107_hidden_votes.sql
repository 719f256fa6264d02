-- Votes that are hidden until the committee is complete. The flag is on the review, because decisions are append-only: it is set by the
-- vote and removed by the disclosure. Until then the events have only the hash of the decision (vote.cast).
-- +goose Up
ALTER TABLE reviews ADD COLUMN vote_hidden boolean NOT NULL DEFAULT false;
ALTER TABLE reviews ADD CONSTRAINT hidden_vote_is_decided CHECK (NOT vote_hidden OR status = 'decided');

-- As before; of a hidden vote its review, too. Its leaf is the salted hash of the decision, which does not show the verdict.
DROP FUNCTION checkpoint_window;
-- +goose StatementBegin
CREATE FUNCTION checkpoint_window(after_era int, after_txid xid8, after_id bigint, upto_era int, upto_txid xid8, most int)
RETURNS TABLE (era int, txid xid8, id bigint, case_id uuid, seq bigint, hash bytea, review uuid, passkey uuid) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
  RETURN QUERY SELECT e.era, e.txid, e.id, e.case_id, e.seq, e.hash,
      CASE WHEN e.type IN ('review.decided', 'vote.cast') AND e.body <> '' THEN (e.body::jsonb ->> 'reviewId')::uuid END,
      CASE WHEN e.type = 'passkey.registered' AND e.body <> '' THEN (e.body::jsonb ->> 'passkeyId')::uuid END
    FROM events e
    WHERE (e.era, e.txid, e.id) > (after_era, after_txid, after_id) AND (e.era, e.txid) < (upto_era, upto_txid)
    ORDER BY e.era, e.txid, e.id LIMIT most;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT 1 / 0;
