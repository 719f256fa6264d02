-- What is to become the next version of a process, a rule set or the policy: proposed by one, published by another.
-- +goose Up
CREATE TABLE proposals (
  id           uuid PRIMARY KEY,
  kind         text NOT NULL CHECK (kind IN ('process', 'rule_set', 'policy')),
  key          text NOT NULL CHECK (key <> ''),
  -- The newest version when it was proposed, 0 for none; it is published as the next one, or never.
  base_version int NOT NULL CHECK (base_version >= 0),
  -- The earlier version that it repeats, 0 for none.
  restores     int NOT NULL DEFAULT 0 CHECK (restores >= 0),
  document     text NOT NULL,
  report       jsonb NOT NULL DEFAULT '{}',
  note         text NOT NULL DEFAULT '',
  status       text NOT NULL DEFAULT 'proposed' CHECK (status IN ('proposed', 'published', 'withdrawn')),
  proposed_by  uuid NOT NULL REFERENCES users,
  proposed_at  timestamptz NOT NULL DEFAULT clock(),
  decided_by   uuid REFERENCES users,
  decided_at   timestamptz,
  reason       text NOT NULL DEFAULT '',
  CHECK ((status = 'proposed') = (decided_by IS NULL)),
  CONSTRAINT proposals_four_eyes CHECK (status <> 'published' OR decided_by <> proposed_by)
);
CREATE INDEX ON proposals (kind, key, proposed_at DESC);

-- +goose StatementBegin
-- What was proposed never changes; it can only be ended, once.
CREATE FUNCTION refuse_other_than_ending() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> 'proposed' OR (NEW.id, NEW.kind, NEW.key, NEW.base_version, NEW.restores, NEW.document, NEW.proposed_by, NEW.proposed_at)
      IS DISTINCT FROM (OLD.id, OLD.kind, OLD.key, OLD.base_version, OLD.restores, OLD.document, OLD.proposed_by, OLD.proposed_at) THEN
    RAISE EXCEPTION 'a proposal is only ended, once' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER proposal_stands BEFORE UPDATE ON proposals FOR EACH ROW EXECUTE FUNCTION refuse_other_than_ending();
CREATE TRIGGER proposal_stays BEFORE DELETE ON proposals FOR EACH ROW EXECUTE FUNCTION refuse_change();

ALTER TABLE process_definitions ADD COLUMN proposal_id uuid REFERENCES proposals;

-- +goose StatementBegin
-- A version is the system's own, or the very text of a proposal that the publisher has just published.
CREATE FUNCTION refuse_unproposed_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.published_by = '00000000-0000-7000-8000-000000000010' AND NEW.proposal_id IS NULL THEN
    RETURN NEW;
  END IF;
  IF NOT EXISTS (SELECT FROM proposals p WHERE p.id = NEW.proposal_id AND p.kind = TG_ARGV[0] AND p.key = NEW.key
                 AND p.base_version = NEW.version - 1 AND p.document = NEW.document AND p.status = 'published'
                 AND p.decided_by = NEW.published_by) THEN
    RAISE EXCEPTION 'a version needs a proposal published by a second person' USING ERRCODE = 'CS010';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER proposed_first BEFORE INSERT ON process_definitions
  FOR EACH ROW EXECUTE FUNCTION refuse_unproposed_version('process');

-- Whether there are enough people for the version in force, as last asked.
CREATE TABLE staffing (
  key      text PRIMARY KEY,
  version  int NOT NULL,
  problems jsonb NOT NULL DEFAULT '[]',
  asked_at timestamptz NOT NULL DEFAULT clock()
);

GRANT SELECT, INSERT, UPDATE ON proposals, staffing TO countersign_app;

-- +goose Down
SELECT 1 / 0;
