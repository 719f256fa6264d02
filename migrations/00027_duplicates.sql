-- Duplicates by content, and the sums by which documents below a mark are found that together reach it.
-- +goose Up
ALTER TABLE cases
  ADD COLUMN document_kind text NOT NULL DEFAULT '' CHECK (document_kind IN ('', 'credit', 'proforma')),
  ADD COLUMN document_time text NOT NULL DEFAULT '', -- printed time of day, HH:MM
  ADD COLUMN image_hash bigint NOT NULL DEFAULT 0, -- of the first page; 0 = none
  ADD COLUMN accounts text[] NOT NULL DEFAULT '{}', -- of the risk basis
  ADD COLUMN summed boolean NOT NULL DEFAULT false; -- its amount is contained in document_sums

-- The form in which document numbers are compared: without spaces and punctuation, and characters alike that are misread alike.
CREATE FUNCTION number_key(number text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT translate(upper(regexp_replace(number, '[[:space:][:punct:]]', '', 'g')), 'OIL', '011')
$$;
CREATE INDEX cases_number_key ON cases (number_key(document_number), party_id) WHERE document_number <> '';
CREATE INDEX cases_total ON cases (party_id, amount_minor)
  WHERE amount_known AND party_id <> '00000000-0000-0000-0000-000000000000';
CREATE INDEX cases_without_total ON cases (party_id, id)
  WHERE NOT amount_known AND party_id <> '00000000-0000-0000-0000-000000000000';
CREATE INDEX cases_other_parties ON cases USING gin (other_party_ids) WHERE other_party_ids <> '{}';

-- Two cases with the same document. The carrier has the finding, and so exactly one of the two; a pair that a reviewer has
-- cleared has none.
CREATE TABLE duplicate_pairs (
  first_id    uuid NOT NULL, -- no foreign keys: their checks would lock the other case
  second_id   uuid NOT NULL,
  carrier     uuid NOT NULL CHECK (carrier IN (first_id, second_id)),
  cleared_by  uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  cleared_at  timestamptz,
  reason      text NOT NULL DEFAULT '',
  compared    bytea, -- hash of what was compared when it was cleared; other contents are another question
  PRIMARY KEY (first_id, second_id),
  CONSTRAINT ordered CHECK (first_id < second_id),
  CONSTRAINT cleared_has_reason CHECK ((cleared_at IS NULL) = (reason = '')
    AND (cleared_at IS NULL) = (cleared_by = '00000000-0000-0000-0000-000000000000'))
);
CREATE INDEX duplicate_pairs_second ON duplicate_pairs (second_id);

-- What a reviewer has cleared stays cleared while both documents state the same.
-- +goose StatementBegin
CREATE FUNCTION keep_cleared_pair() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.compared IS DISTINCT FROM OLD.compared THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'a pair that a reviewer has cleared stays cleared' USING ERRCODE = 'CS009';
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_cleared_pair BEFORE UPDATE OR DELETE ON duplicate_pairs
  FOR EACH ROW WHEN (OLD.cleared_at IS NOT NULL) EXECUTE FUNCTION keep_cleared_pair();

-- The amounts at risk of the documents submitted within an hour, by whom they concern and by size: amounts whose first two
-- digits and length are equal are in one band, so that those below a mark of two significant digits can be summed. A case is counted while it is not
-- rejected or abandoned; the statement that changes the case changes its sums.
CREATE FUNCTION sum_band(base_minor bigint) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN base_minor < 10 THEN base_minor::int
    ELSE (length(base_minor::text) - 2) * 90 + left(base_minor::text, 2)::int END
$$;
CREATE TABLE document_sums (
  kind       text NOT NULL CHECK (kind IN ('counterparty', 'account', 'submitter')),
  subject    text NOT NULL, -- party id, account or user id
  hour       timestamptz NOT NULL,
  band       int NOT NULL, -- of the single amounts
  base_minor numeric NOT NULL,
  documents  bigint NOT NULL,
  PRIMARY KEY (kind, subject, hour, band)
) WITH (fillfactor = 50);

UPDATE cases c SET summed = true, accounts = ARRAY(SELECT f.normalised FROM fields f
    WHERE f.case_id = c.id AND f.name = 'iban' AND f.normalised <> '')
  WHERE id >= month_bound(clock() - interval '31 days') AND amount_known
  AND status NOT IN ('rejected', 'abandoned');
INSERT INTO document_sums
  SELECT kind, subject, date_trunc('hour', created_at, 'UTC'), sum_band(base_minor), sum(base_minor), count(*) FROM (
    SELECT 'submitter' AS kind, submitter::text AS subject, created_at, base_minor FROM cases WHERE summed
    UNION ALL
    SELECT 'counterparty', p::text, created_at, base_minor
      FROM cases, unnest(array_append(other_party_ids, party_id)) AS p
      WHERE summed AND p <> '00000000-0000-0000-0000-000000000000'
    UNION ALL
    SELECT 'account', a, created_at, base_minor FROM cases, unnest(accounts) AS a WHERE summed) x
  GROUP BY 1, 2, 3, 4;

GRANT SELECT, INSERT, UPDATE, DELETE ON duplicate_pairs TO countersign_app;
GRANT SELECT, INSERT, UPDATE ON document_sums TO countersign_app;

-- +goose Down
SELECT 1 / 0; -- the schema is never taken down; restore a backup instead
