-- What each case added to the sums of amounts and took from them, and when. The rows of a subject say which documents a
-- sum had at an earlier time, so that the page of a finding can list exactly these (ADR 0141).
-- +goose Up
CREATE TABLE sum_entries (
  case_id    uuid NOT NULL,
  kind       text NOT NULL,
  subject    text NOT NULL, -- as in document_sums
  hour       timestamptz NOT NULL,
  band       int NOT NULL,
  base_minor bigint NOT NULL,
  documents  int NOT NULL CHECK (documents BETWEEN -1 AND 1),
  at         timestamptz NOT NULL DEFAULT clock()
);
CREATE INDEX sum_entries_of ON sum_entries (kind, subject, hour);
CREATE INDEX sum_entries_hour ON sum_entries USING brin (hour); -- for an erasure

-- +goose StatementBegin
CREATE FUNCTION refuse_changed_sum_entry() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  RAISE EXCEPTION 'an entry of a sum is not changed' USING ERRCODE = 'CS009';
END $$;
CREATE FUNCTION erase_sum_entries() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM sum_entries WHERE case_id = NEW.id AND hour = date_trunc('hour', NEW.created_at, 'UTC');
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER sum_entries_stay BEFORE UPDATE ON sum_entries FOR EACH ROW EXECUTE FUNCTION refuse_changed_sum_entry();
CREATE TRIGGER sum_entries_erased AFTER UPDATE OF erased_at ON cases FOR EACH ROW
  WHEN (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL) EXECUTE FUNCTION erase_sum_entries();

-- Sums of cases that are in document_sums already; their time is that of the submission.
INSERT INTO sum_entries SELECT id, kind, subject, date_trunc('hour', created_at, 'UTC'), sum_band(base_minor), base_minor, 1,
    created_at FROM (
    SELECT id, 'submitter' AS kind, submitter::text AS subject, created_at, base_minor FROM cases
      WHERE summed AND id >= month_bound(clock() - interval '31 days')
    UNION ALL SELECT id, 'counterparty', p::text, created_at, base_minor
      FROM cases, unnest(array_append(other_party_ids, party_id)) AS p
      WHERE summed AND id >= month_bound(clock() - interval '31 days') AND p <> '00000000-0000-0000-0000-000000000000'
    UNION ALL SELECT id, 'account', a, created_at, base_minor FROM cases, unnest(accounts) AS a
      WHERE summed AND id >= month_bound(clock() - interval '31 days')) x;

GRANT SELECT, INSERT ON sum_entries TO countersign_app;

-- +goose Down
SELECT 1 / 0; -- the schema is never taken down; restore a backup instead
