-- The feed: one order over the events of all streams, (era, txid, id). An era is the time in which transaction ids of this database
-- rise and none is used twice: a restore or a failover begins a new one.
-- +goose Up
CREATE TABLE feed_eras (
  era   int PRIMARY KEY CHECK (era > 0),
  world text NOT NULL, -- feed_world() while the era lasts; '' = before the feed existed
  tag   uuid NOT NULL DEFAULT gen_random_uuid(), -- a restored database may begin an era of the same number again
  since timestamptz NOT NULL DEFAULT clock()
);
GRANT SELECT ON feed_eras TO countersign_app;

-- The database cluster and its timeline.
-- +goose StatementBegin
CREATE FUNCTION feed_world() RETURNS text LANGUAGE sql STABLE PARALLEL RESTRICTED AS $$
  SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
$$;
-- +goose StatementEnd

-- Events before this migration are in era 1, which ends with it: changing the table waits for the transactions that write them.
INSERT INTO feed_eras (era, world) VALUES (1, ''), (2, feed_world());

-- The era of an event that is written now. The first write in another world begins the next era, whichever program writes.
-- +goose StatementBegin
CREATE FUNCTION feed_era() RETURNS int LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
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
  RETURN newest.era;
END $$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION feed_era() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION feed_era() TO countersign_app;

ALTER TABLE events ALTER COLUMN era SET DEFAULT feed_era();
CREATE INDEX events_feed ON events (era, txid, id);

-- The end of the feed in this snapshot: positions from (era, txid) on are not complete yet. In another world than the newest era's,
-- the newest era has ended.
-- +goose StatementBegin
CREATE FUNCTION feed_end(OUT era int, OUT tag uuid, OUT end_era int, OUT end_txid xid8) LANGUAGE sql STABLE PARALLEL RESTRICTED AS $$
  SELECT f.era, f.tag, CASE WHEN f.current THEN f.era ELSE f.era + 1 END,
         CASE WHEN f.current THEN pg_snapshot_xmin(pg_current_snapshot()) ELSE '0'::xid8 END
  FROM (SELECT e.era, e.tag, CASE WHEN pg_is_in_recovery() THEN true ELSE e.world = feed_world() END AS current
        FROM feed_eras e ORDER BY e.era DESC LIMIT 1) f
$$;
-- +goose StatementEnd

-- The events after a position up to the end of the feed, in order, at most so many. A plan made while the tables are small must not
-- sort everything after the position, so the index of each partition is read in its order, however few the rows are.
-- +goose StatementBegin
CREATE FUNCTION feed_window(after_era int, after_txid xid8, after_id bigint, most int) RETURNS SETOF events LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
  upto_era int; upto_txid xid8;
BEGIN
  SELECT f.end_era, f.end_txid INTO STRICT upto_era, upto_txid FROM feed_end() f;
  RETURN QUERY SELECT e.* FROM events e
    WHERE (e.era, e.txid, e.id) > (after_era, after_txid, after_id) AND (e.era, e.txid) < (upto_era, upto_txid)
    ORDER BY e.era, e.txid, e.id LIMIT most;
END $$;
-- +goose StatementEnd

INSERT INTO installation_keys VALUES ('feed', sha256(convert_to(
  gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

-- +goose Down
SELECT 1 / 0;
