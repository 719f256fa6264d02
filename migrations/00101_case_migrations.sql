-- Running cases move to another version of their process: proposed by one person, confirmed by another, with a result for
-- each case.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk',
  'rate', 'conflict_end', 'party_leave', 'party_join', 'sample_share', 'draw_mark', 'document_type', 'connector', 'person', 'limit',
  'sign_in', 'queue', 'calendar', 'delegation', 'absence', 'skills', 'proxies', 'erasure', 'legal_hold', 'retention', 'group_role',
  'case_migration'));

CREATE TABLE case_migrations (
  id           uuid PRIMARY KEY,
  process      text NOT NULL,
  from_version int NOT NULL,
  to_version   int NOT NULL,
  -- The document that two persons carried: mapping, deadlines, and the migration that it undoes.
  plan         text NOT NULL,
  undoes       uuid REFERENCES case_migrations,
  reason       text NOT NULL,
  proposal_id  uuid NOT NULL UNIQUE REFERENCES proposals,
  proposed_by  uuid NOT NULL REFERENCES users,
  confirmed_by uuid NOT NULL REFERENCES users,
  started_at   timestamptz NOT NULL DEFAULT clock(),
  ended_at     timestamptz,
  CHECK (from_version <> to_version)
);
CREATE INDEX case_migrations_process ON case_migrations (process, started_at DESC);
CREATE INDEX case_migrations_running ON case_migrations (started_at) WHERE ended_at IS NULL;

-- What became of each case. A case is moved in the transaction that writes its result.
CREATE TABLE case_migration_results (
  migration_id uuid NOT NULL REFERENCES case_migrations,
  case_id      uuid NOT NULL REFERENCES cases,
  status       text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'moved', 'not_moved')),
  reason       text NOT NULL DEFAULT '', -- of a case that was not moved, or is tried again
  node         text NOT NULL DEFAULT '',
  message      text NOT NULL DEFAULT '',
  tries        int NOT NULL DEFAULT 0,
  due          timestamptz NOT NULL DEFAULT clock(),
  at           timestamptz,
  -- How the case was before, and the number of the event that moved it; with it, the case can be moved back.
  before       jsonb,
  seq          bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (migration_id, case_id),
  CHECK ((status = 'waiting') = (at IS NULL)),
  CHECK (status <> 'not_moved' OR reason <> '')
);
CREATE INDEX case_migration_results_due ON case_migration_results (migration_id, due) WHERE status = 'waiting';

-- +goose StatementBegin
CREATE FUNCTION refuse_unconfirmed_migration() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM proposals p WHERE p.id = NEW.proposal_id AND p.kind = 'case_migration' AND p.key = NEW.process
      AND p.status = 'published' AND p.proposed_by = NEW.proposed_by AND p.decided_by = NEW.confirmed_by
      AND p.proposed_by <> p.decided_by
      AND '00000000-0000-7000-8000-000000000010' NOT IN (p.proposed_by, p.decided_by)
      AND CASE WHEN p.kind = 'case_migration' THEN p.document::jsonb ->> 'after' END = NEW.plan) THEN
    RAISE EXCEPTION 'a migration needs a proposal confirmed by a second person' USING ERRCODE = 'CS011';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER confirmed_migration BEFORE INSERT ON case_migrations
  FOR EACH ROW EXECUTE FUNCTION refuse_unconfirmed_migration();

-- +goose StatementBegin
-- A migration is only ended, once.
CREATE FUNCTION refuse_changed_migration() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.ended_at IS NOT NULL OR to_jsonb(NEW) - 'ended_at' IS DISTINCT FROM to_jsonb(OLD) - 'ended_at' THEN
    RAISE EXCEPTION 'a migration is only ended, once' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER migration_stays BEFORE UPDATE ON case_migrations
  FOR EACH ROW EXECUTE FUNCTION refuse_changed_migration();

-- +goose StatementBegin
-- A result is final.
CREATE FUNCTION refuse_changed_result() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> 'waiting' OR NEW.case_id <> OLD.case_id OR NEW.migration_id <> OLD.migration_id THEN
    RAISE EXCEPTION 'the result of a case is final' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER result_stays BEFORE UPDATE ON case_migration_results
  FOR EACH ROW EXECUTE FUNCTION refuse_changed_result();

-- +goose StatementBegin
-- A case gets another version of its process only by a running migration that contains it.
CREATE FUNCTION refuse_unplanned_version() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.process_key <> OLD.process_key OR OLD.status IN ('archived', 'rejected', 'abandoned') OR NOT EXISTS (
      SELECT FROM case_migrations m JOIN case_migration_results r ON r.migration_id = m.id
      WHERE m.process = NEW.process_key AND m.from_version = OLD.process_version AND m.to_version = NEW.process_version
        AND m.ended_at IS NULL AND r.case_id = NEW.id) THEN
    RAISE EXCEPTION 'a case moves to another version only by a confirmed migration' USING ERRCODE = 'CS011';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER version_stays BEFORE UPDATE ON cases FOR EACH ROW
  WHEN (NEW.process_version <> OLD.process_version OR NEW.process_key <> OLD.process_key)
  EXECUTE FUNCTION refuse_unplanned_version();

GRANT SELECT, INSERT, UPDATE ON case_migrations, case_migration_results TO countersign_app;

-- +goose Down
SELECT 1 / 0;
