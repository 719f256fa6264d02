-- Everything that was asserted about a case, and the risk basis that follows from it in the rows of cases and reviews.
-- +goose Up
CREATE TABLE assertions (
  case_id           uuid NOT NULL,
  revision          bigint NOT NULL CHECK (revision > 0), -- facts revision of the case that the set led to
  source            text NOT NULL CHECK (source IN ('declared', 'xml', 'text', 'ocr', 'llm', 'external', 'human')),
  asserted_by       uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  document_revision int NOT NULL DEFAULT 0,
  at                timestamptz NOT NULL,
  body              text NOT NULL, -- canonical JSON, hashed as it stands; '' after its erasure
  salt              bytea NOT NULL,
  hash              bytea NOT NULL CHECK (octet_length(hash) = 32),
  PRIMARY KEY (case_id, revision, source)
) PARTITION BY RANGE (case_id);

-- The risk basis besides amount, country and party_id of the row; base_minor is the amount at risk.
ALTER TABLE cases
  ADD COLUMN risk_minor bigint NOT NULL DEFAULT 0,
  ADD COLUMN risk_currency text NOT NULL DEFAULT '', -- '' = the amount at risk is the amount
  ADD COLUMN other_countries text[] NOT NULL DEFAULT '{}',
  ADD COLUMN other_party_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN other_numbers text[] NOT NULL DEFAULT '{}',
  ADD COLUMN differing_fields text[] NOT NULL DEFAULT '{}';
ALTER TABLE reviews
  ADD COLUMN other_countries text[] NOT NULL DEFAULT '{}',
  ADD COLUMN other_party_ids uuid[] NOT NULL DEFAULT '{}';

-- Assertions are added, never changed.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION grant_month(parent text, child text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  EXECUTE format('GRANT SELECT%s ON %I TO countersign_app',
    CASE WHEN parent IN ('events', 'decisions', 'assertions') THEN '' ELSE ', UPDATE, DELETE' END, child);
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ensure_partitions(until timestamptz) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
DECLARE
  parent text; month timestamptz; child text; made int := 0;
BEGIN
  FOREACH parent IN ARRAY ARRAY['documents', 'pages', 'fields', 'findings', 'stage_runs', 'events', 'decisions', 'assertions'] LOOP
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

-- Months that already have partitions of the other tables get theirs of this one, so that every month has all of them.
-- +goose StatementBegin
DO $$
DECLARE
  month text; first timestamptz;
BEGIN
  FOR month IN SELECT right(c.relname, 8) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'events'::regclass AND c.relname ~ '_\d{4}_\d{2}$' LOOP
    first := to_timestamp(month || '_01 +00', '_YYYY_MM_DD TZH');
    EXECUTE format('CREATE TABLE %I PARTITION OF assertions FOR VALUES FROM (%L) TO (%L)', 'assertions' || month,
      month_bound(first), month_bound(date_trunc('month', first + interval '32 days', 'UTC')));
    PERFORM grant_month('assertions', 'assertions' || month);
  END LOOP;
  CREATE TABLE assertions_streams PARTITION OF assertions FOR VALUES FROM (MINVALUE) TO ('00000001-0000-0000-0000-000000000000');
  CREATE TABLE assertions_rest PARTITION OF assertions DEFAULT;
END $$;
-- +goose StatementEnd
GRANT SELECT, INSERT ON assertions TO countersign_app;

-- A conflict with any party that was asserted about the case excludes the person, whichever is in force now.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refuse_barred_voter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM case_interests i WHERE i.case_id = NEW.case_id AND i.person = NEW.person) THEN
    RAISE EXCEPTION 'the person has an interest in the case' USING ERRCODE = 'CS002';
  END IF;
  IF EXISTS (SELECT FROM cases c JOIN parties p ON p.id = c.party_id OR p.id = ANY (c.other_party_ids)
             JOIN parties g ON g.group_id = p.group_id
             JOIN conflicts k ON k.party_id = g.id AND k.ended_at IS NULL
             WHERE c.id = NEW.case_id AND k.person = NEW.person) THEN
    RAISE EXCEPTION 'the person has a conflict with the party' USING ERRCODE = 'CS001';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT 1 / 0;
