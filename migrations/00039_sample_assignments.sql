-- Quality sample: who had which sample and how that ended, how many archived cases could not be drawn, and no call of a
-- correction case to another system.
-- +goose Up
CREATE TABLE quality_assignments (
  sample_id   uuid NOT NULL REFERENCES quality_samples,
  person      uuid NOT NULL,
  settles     boolean NOT NULL, -- to settle a disagreement; otherwise to check
  assigned_at timestamptz NOT NULL,
  ended_at    timestamptz,
  ended       text CHECK (ended IN ('checked', 'released', 'expired')),
  PRIMARY KEY (sample_id, person, assigned_at),
  CHECK ((ended IS NULL) = (ended_at IS NULL))
);
GRANT SELECT ON quality_assignments TO countersign_app;

-- +goose StatementBegin
-- Only this function, which runs as the owner, writes the table: a program cannot leave an assignment out.
CREATE FUNCTION note_assignment() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE quality_assignments SET ended_at = least(clock(), OLD.assigned_until), ended = CASE
      WHEN NEW.status <> OLD.status THEN 'checked'
      WHEN OLD.assigned_until <= clock() THEN 'expired'
      ELSE 'released' END
    WHERE sample_id = OLD.id AND ended IS NULL;
  IF NEW.assignee <> '00000000-0000-0000-0000-000000000000' THEN
    INSERT INTO quality_assignments (sample_id, person, settles, assigned_at)
      VALUES (NEW.id, NEW.assignee, NEW.status = 'disputed', clock());
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER assignment_is_noted AFTER UPDATE ON quality_samples FOR EACH ROW
  WHEN ((NEW.assignee, NEW.assigned_until) IS DISTINCT FROM (OLD.assignee, OLD.assigned_until))
  EXECUTE FUNCTION note_assignment();

-- Archived cases that could not be drawn, because the share was 0 when they were archived.
ALTER TABLE quality_days ADD COLUMN without_share bigint NOT NULL DEFAULT 0;

-- +goose StatementBegin
-- The archived case has made its calls to other systems. Its correction makes none, so that nothing is paid twice.
CREATE FUNCTION refuse_call_of_correction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM case_corrections k WHERE k.case_id = NEW.case_id) THEN
    RAISE EXCEPTION 'a correction case makes no calls to other systems' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER corrections_pay_nothing BEFORE INSERT ON saga_steps
  FOR EACH ROW EXECUTE FUNCTION refuse_call_of_correction();

-- +goose Down
SELECT 1 / 0;
