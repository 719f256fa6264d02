-- +goose Up
-- A statement that reads or changes rows of one month's cases names that month's partitions itself, so the application needs its
-- rights there too: those that it has on the whole. It adds rows to the whole alone.
-- +goose StatementBegin
CREATE FUNCTION grant_month(parent text, child text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  EXECUTE format('GRANT SELECT%s ON %I TO countersign_app',
    CASE WHEN parent IN ('events', 'decisions') THEN '' ELSE ', UPDATE, DELETE' END, child);
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ensure_partitions(until timestamptz) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
DECLARE
  parent text; month timestamptz; child text; made int := 0;
BEGIN
  FOREACH parent IN ARRAY ARRAY['documents', 'pages', 'fields', 'findings', 'stage_runs', 'events', 'decisions'] LOOP
    IF to_regclass(parent || '_streams') IS NULL THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (MINVALUE) TO (%L)',
        parent || '_streams', parent, '00000001-0000-0000-0000-000000000000');
      EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', parent || '_rest', parent);
    END IF;
    month := date_trunc('month', clock(), 'UTC');
    WHILE month < until LOOP
      child := parent || to_char(month AT TIME ZONE 'UTC', '_YYYY_MM');
      IF to_regclass(child) IS NULL THEN
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', child, parent,
          month_bound(month), month_bound(date_trunc('month', month + interval '32 days', 'UTC')));
        PERFORM grant_month(parent, child);
        made := made + 1;
      END IF;
      month := date_trunc('month', month + interval '32 days', 'UTC');
    END LOOP;
  END LOOP;
  RETURN made;
END $$;
-- +goose StatementEnd
SELECT grant_month(p.relname, c.relname) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
  WHERE i.inhparent = ANY (ARRAY['documents', 'pages', 'fields', 'findings', 'stage_runs', 'events', 'decisions']::regclass[])
  AND c.relname ~ '_\d{4}_\d{2}$';

-- Which cases hold a file of these bytes is asked of every document, over all months: one row a case, in one place.
CREATE TABLE file_hashes (
  sha256  bytea NOT NULL CHECK (octet_length(sha256) = 32),
  case_id uuid NOT NULL,
  PRIMARY KEY (sha256, case_id)
);
GRANT SELECT, INSERT ON file_hashes TO countersign_app;
INSERT INTO file_hashes SELECT DISTINCT sha256, case_id FROM documents;
-- +goose StatementBegin
CREATE FUNCTION keep_file_hash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO file_hashes (sha256, case_id) VALUES (NEW.sha256, NEW.case_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER file_hash AFTER INSERT ON documents FOR EACH ROW EXECUTE FUNCTION keep_file_hash();
DROP INDEX documents_sha256;

-- +goose Down
SELECT 1 / 0;
