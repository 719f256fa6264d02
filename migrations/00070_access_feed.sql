-- The access log in the order of the feed, (era, txid, id), and a cheaper era for what is written.
-- +goose Up

-- The era is determined once for each connection, because the call costs about a twelfth of a small change of a case. That is right: the
-- database cluster and its timeline cannot change while a connection lasts, and a new era begins only with them.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION feed_era() RETURNS int LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  newest feed_eras; world_now text := feed_world();
BEGIN
  SELECT * INTO STRICT newest FROM feed_eras ORDER BY era DESC LIMIT 1;
  IF newest.world <> world_now THEN
    INSERT INTO feed_eras (era, world) VALUES (newest.era + 1, world_now) ON CONFLICT (era) DO NOTHING;
    SELECT * INTO STRICT newest FROM feed_eras ORDER BY era DESC LIMIT 1;
    IF newest.world <> world_now THEN
      RAISE EXCEPTION 'another world began era %', newest.era USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  PERFORM set_config('countersign.era', newest.era::text, false); -- a rollback takes it back, as it does a new era
  RETURN newest.era;
END $$;
-- +goose StatementEnd

ALTER TABLE events ALTER COLUMN era SET DEFAULT coalesce(nullif(current_setting('countersign.era', true), '')::int, feed_era());

-- Lines from before this migration are in era 1, in the order of their ids: changing the table waits for the transactions that write them.
ALTER TABLE access_log
  ADD COLUMN era  int NOT NULL DEFAULT 1,
  ADD COLUMN txid xid8 NOT NULL DEFAULT '0';
ALTER TABLE access_log
  ALTER COLUMN era SET DEFAULT coalesce(nullif(current_setting('countersign.era', true), '')::int, feed_era()),
  ALTER COLUMN txid SET DEFAULT pg_current_xact_id();
CREATE INDEX access_log_feed ON access_log (era, txid, id);

-- The lines after a position up to the end of the feed, in order, at most so many. As in feed_window, the index is read in its order.
-- +goose StatementBegin
CREATE FUNCTION access_window(after_era int, after_txid xid8, after_id bigint, most int) RETURNS SETOF access_log LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
  upto_era int; upto_txid xid8;
BEGIN
  SELECT f.end_era, f.end_txid INTO STRICT upto_era, upto_txid FROM feed_end() f;
  RETURN QUERY SELECT l.* FROM access_log l
    WHERE (l.era, l.txid, l.id) > (after_era, after_txid, after_id) AND (l.era, l.txid) < (upto_era, upto_txid)
    ORDER BY l.era, l.txid, l.id LIMIT most;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT 1 / 0;
