-- The search index: a tsvector of every case, made by the program because Postgres splits no Chinese, and the distinct words of all
-- cases, for typos only.
-- +goose Up
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE search_cases (
  case_id      uuid PRIMARY KEY, -- no foreign key: its check would wait for an erasure that waits for the index
  words        tsvector NOT NULL, -- weights A to C: everyone who may read the case finds it; D: staff who see all of its reviews
  confidential boolean NOT NULL,  -- the process has confidential reviews, so only people with clearance see all of its reviews
  indexed_at   timestamptz NOT NULL DEFAULT clock()
) WITH (toast_tuple_target = 8160); -- a usual row stays uncompressed in its page, because a search reads the words of a thousand
CREATE INDEX search_cases_words ON search_cases USING gin (words) WITH (gin_pending_list_limit = 1024);

CREATE TABLE search_words (word text PRIMARY KEY);
CREATE INDEX search_words_similar ON search_words USING gin (word gin_trgm_ops);

CREATE TABLE search_state (
  one     boolean PRIMARY KEY DEFAULT true CHECK (one),
  era     int NOT NULL, -- the cases of every event up to this position are indexed
  txid    xid8 NOT NULL,
  event   bigint NOT NULL,
  version int NOT NULL, -- of the rules by which texts are split into words
  filled  uuid          -- cases up to this one were indexed again; null when all are
);
INSERT INTO search_state (era, txid, event, version, filled)
  SELECT end_era, end_txid, 0, 0, '00000000-0000-0000-0000-000000000000' FROM feed_end();

-- Cases that a reviewer decided are found from their decisions.
CREATE INDEX decisions_actor ON decisions (actor, case_id);

-- Serializes writes of the index and erasures, so that no text of an erased case is indexed afterwards.
-- +goose StatementBegin
CREATE FUNCTION lock_search() RETURNS void LANGUAGE sql VOLATILE AS $$ SELECT pg_advisory_xact_lock(7840001) $$;
-- +goose StatementEnd

-- Removes words that occur in no case any more. The newest cases are compared first, because most words occur in one of them.
-- +goose StatementBegin
CREATE FUNCTION forget_words(candidates text[]) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  common text[];
BEGIN
  SELECT array_agg(DISTINCT l.word) INTO common FROM (SELECT s.words FROM search_cases s ORDER BY s.case_id DESC LIMIT 100) s,
    unnest(tsvector_to_array(s.words)) AS l(word);
  DELETE FROM search_words w WHERE w.word = ANY (candidates) AND (common IS NULL OR w.word <> ALL (common))
    AND NOT EXISTS (SELECT FROM search_cases s WHERE s.words @@ quote_literal(w.word)::tsquery);
END $$;
-- +goose StatementEnd

-- An erasure removes the case from the index, and the words that only it had.
-- +goose StatementBegin
CREATE FUNCTION erase_search() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  gone text[];
BEGIN
  PERFORM lock_search();
  DELETE FROM search_cases WHERE case_id = NEW.id RETURNING tsvector_to_array(words) INTO gone;
  PERFORM forget_words(gone);
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER erase_search AFTER UPDATE ON cases FOR EACH ROW
  WHEN (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL) EXECUTE FUNCTION erase_search();

GRANT SELECT, INSERT, UPDATE, DELETE ON search_cases, search_words TO countersign_app;
GRANT SELECT, UPDATE ON search_state TO countersign_app;

-- +goose Down
SELECT 1 / 0;
