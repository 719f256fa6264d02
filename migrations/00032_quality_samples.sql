-- Quality sample: archived cases are drawn by a keyed hash, checked by another person without their values, and corrected by a
-- case of their own if they were archived wrongly.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check
  CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk', 'rate', 'conflict_end', 'party_leave', 'sample_share'));

-- Random keys of the installation, from 366 random bits. No view or query of the API reads them.
CREATE TABLE installation_keys (
  name text PRIMARY KEY,
  key  bytea NOT NULL CHECK (octet_length(key) = 32)
);
INSERT INTO installation_keys VALUES ('quality', sha256(convert_to(
  gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));
GRANT SELECT ON installation_keys TO countersign_app;

-- Shares of archived cases that are drawn, in millionths, from valid_from on. Without a row the default of the program applies.
CREATE TABLE sample_shares (
  process     text NOT NULL CHECK (process <> ''),
  stratum     text NOT NULL CHECK (stratum IN ('straight', 'approved')),
  version     int NOT NULL CHECK (version > 0),
  millionths  int NOT NULL CHECK (millionths BETWEEN 0 AND 1000000),
  valid_from  timestamptz NOT NULL DEFAULT clock(),
  reason      text NOT NULL,
  set_by      uuid NOT NULL REFERENCES users,
  proposal_id uuid NOT NULL REFERENCES proposals,
  PRIMARY KEY (process, stratum, version)
);
CREATE TRIGGER shares_stay BEFORE UPDATE OR DELETE ON sample_shares FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- +goose StatementBegin
CREATE FUNCTION refuse_unconfirmed_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT is_confirmed(NEW.proposal_id, 'sample_share', NEW.process || '/' || NEW.stratum, NEW.version - 1,
                      jsonb_build_object('after', NEW.millionths::text)) THEN
    RAISE EXCEPTION 'a sample share needs a proposal confirmed by a second person' USING ERRCODE = 'CS011';
  END IF;
  NEW.valid_from := clock();
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER confirmed_first BEFORE INSERT ON sample_shares FOR EACH ROW EXECUTE FUNCTION refuse_unconfirmed_share();
GRANT SELECT, INSERT ON sample_shares TO countersign_app;

-- Archived cases that are not drawn yet. The statement that archives a case adds it, whichever program runs it.
CREATE TABLE quality_pending (
  case_id     uuid PRIMARY KEY,
  archived_at timestamptz NOT NULL DEFAULT clock()
);
GRANT SELECT, INSERT, DELETE ON quality_pending TO countersign_app;
-- A lock of a row to be drawn.
GRANT UPDATE ON quality_pending TO countersign_app;

-- +goose StatementBegin
CREATE FUNCTION note_archived_case() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO quality_pending (case_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER archived_case_is_drawn AFTER UPDATE ON cases
  FOR EACH ROW WHEN (NEW.status = 'archived' AND OLD.status <> 'archived') EXECUTE FUNCTION note_archived_case();

-- How many cases were archived, of which the samples are drawn.
CREATE TABLE quality_days (
  day      date NOT NULL,
  process  text NOT NULL,
  stratum  text NOT NULL CHECK (stratum IN ('straight', 'approved')),
  archived bigint NOT NULL,
  drawn    bigint NOT NULL,
  PRIMARY KEY (day, process, stratum)
);
GRANT SELECT, INSERT, UPDATE ON quality_days TO countersign_app;

CREATE TABLE quality_samples (
  id              uuid PRIMARY KEY,
  case_id         uuid NOT NULL UNIQUE REFERENCES cases, -- a case is drawn once
  process         text NOT NULL,
  stratum         text NOT NULL CHECK (stratum IN ('straight', 'approved')),
  queue           text NOT NULL, -- of the last approval; '' if there was none
  confidential    boolean NOT NULL, -- the process has confidential reviews, whichever review the case was in
  submitter       uuid NOT NULL,
  share           int NOT NULL CHECK (share BETWEEN 0 AND 1000000), -- when the case was archived, in millionths
  reasons         text[] NOT NULL,
  probability     double precision NOT NULL CHECK (probability > 0 AND probability <= 1),
  archived_at     timestamptz NOT NULL,
  drawn_at        timestamptz NOT NULL DEFAULT clock(),
  status          text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'disputed', 'agreed', 'confirmed', 'wrong')),
  assignee        uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  assigned_until  timestamptz NOT NULL DEFAULT '-infinity',
  correction_id   uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  ended_at        timestamptz,
  CONSTRAINT ended_has_time CHECK ((status IN ('agreed', 'confirmed', 'wrong')) = (ended_at IS NOT NULL)),
  CONSTRAINT wrong_has_correction
    CHECK ((status = 'wrong') = (correction_id <> '00000000-0000-0000-0000-000000000000'))
);
CREATE INDEX quality_samples_waiting ON quality_samples (drawn_at, id) WHERE ended_at IS NULL;
CREATE INDEX quality_samples_archived ON quality_samples (archived_at);

-- +goose StatementBegin
CREATE FUNCTION refuse_changed_sample() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR OLD.ended_at IS NOT NULL
      OR (NEW.id, NEW.case_id, NEW.process, NEW.stratum, NEW.queue, NEW.confidential, NEW.submitter, NEW.share,
          NEW.reasons, NEW.probability, NEW.archived_at, NEW.drawn_at)
         <> (OLD.id, OLD.case_id, OLD.process, OLD.stratum, OLD.queue, OLD.confidential, OLD.submitter, OLD.share,
          OLD.reasons, OLD.probability, OLD.archived_at, OLD.drawn_at)
      OR NOT (NEW.status = OLD.status OR (OLD.status = 'open' AND NEW.status IN ('agreed', 'disputed'))
        OR (OLD.status = 'disputed' AND NEW.status IN ('confirmed', 'wrong')))
      OR (NEW.status <> OLD.status AND NOT EXISTS (SELECT FROM quality_checks k WHERE k.sample_id = NEW.id
        AND k.settles = (OLD.status = 'disputed'))) THEN
    RAISE EXCEPTION 'a sample keeps its draw, and ends by a check' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER samples_stay BEFORE UPDATE OR DELETE ON quality_samples
  FOR EACH ROW EXECUTE FUNCTION refuse_changed_sample();
GRANT SELECT, INSERT ON quality_samples TO countersign_app;
GRANT UPDATE (status, assignee, assigned_until, correction_id, ended_at) ON quality_samples TO countersign_app;

-- What a checker read, and what a third person decided. A person counts once for a sample.
CREATE TABLE quality_checks (
  sample_id uuid NOT NULL REFERENCES quality_samples,
  settles   boolean NOT NULL,
  person    uuid NOT NULL,
  blind     boolean NOT NULL, -- could not read the case otherwise, and had not opened it
  approves  boolean NOT NULL, -- the check: would approve; the settlement: was archived rightly
  compared  jsonb NOT NULL,   -- each field: archived, checked, source, agrees
  rules     text[] NOT NULL,  -- of the findings of the archived case
  reason    text NOT NULL,
  at        timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (sample_id, settles),
  UNIQUE (sample_id, person),
  CONSTRAINT settlement_has_reason CHECK (NOT settles OR reason <> '')
);
CREATE TRIGGER checks_stay BEFORE UPDATE OR DELETE ON quality_checks FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- +goose StatementBegin
CREATE FUNCTION refuse_barred_checker() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM quality_samples s WHERE s.id = NEW.sample_id AND s.assignee = NEW.person
      AND s.assigned_until > clock() AND s.status = CASE WHEN NEW.settles THEN 'disputed' ELSE 'open' END) THEN
    RAISE EXCEPTION 'the checker was not assigned the sample' USING ERRCODE = 'CS004';
  END IF;
  IF EXISTS (SELECT FROM quality_samples s JOIN case_interests i ON i.case_id = s.case_id
             WHERE s.id = NEW.sample_id AND i.person = NEW.person)
     OR EXISTS (SELECT FROM quality_samples s JOIN decisions d ON d.case_id = s.case_id
             WHERE s.id = NEW.sample_id AND NEW.person IN (d.actor, d.on_behalf_of, s.submitter)) THEN
    RAISE EXCEPTION 'the checker has an interest in the case or decided it' USING ERRCODE = 'CS002';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER barred_checker BEFORE INSERT ON quality_checks FOR EACH ROW EXECUTE FUNCTION refuse_barred_checker();
GRANT SELECT, INSERT ON quality_checks TO countersign_app;

-- A correction case and the case whose archived values it corrects.
CREATE TABLE case_corrections (
  case_id   uuid PRIMARY KEY REFERENCES cases,
  corrects  uuid NOT NULL UNIQUE REFERENCES cases,
  sample_id uuid NOT NULL REFERENCES quality_samples
);
CREATE TRIGGER corrections_stay BEFORE UPDATE OR DELETE ON case_corrections FOR EACH ROW EXECUTE FUNCTION refuse_change();
GRANT SELECT, INSERT ON case_corrections TO countersign_app;

-- +goose Down
SELECT 1 / 0;
