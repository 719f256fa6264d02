-- What people confirmed on archived documents of a vendor, by which later documents are read: a projection of archived cases.
-- +goose Up
-- Cases from which is to be learned, or whose lesson is to be computed again.
CREATE TABLE vendor_pending (
  case_id uuid PRIMARY KEY,
  since   timestamptz NOT NULL DEFAULT clock()
);
GRANT SELECT, INSERT, DELETE ON vendor_pending TO countersign_app;
-- A lock of a row to be learned from.
GRANT UPDATE ON vendor_pending TO countersign_app;

CREATE TABLE vendor_lessons (
  id         uuid PRIMARY KEY,
  case_id    uuid NOT NULL UNIQUE REFERENCES cases ON DELETE CASCADE,
  vendor_key text NOT NULL, -- domain.PartyKey of the confirmed name
  keys       text[] NOT NULL, -- words and numbers by which the lesson is found
  body       jsonb NOT NULL, -- extraction.Lesson
  learned_at timestamptz NOT NULL DEFAULT clock(),
  revoked_at timestamptz,
  revoked_by uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  reason     text NOT NULL DEFAULT '',
  CONSTRAINT revoked_has_reason CHECK ((revoked_at IS NULL) = (reason = ''))
);
CREATE INDEX vendor_lessons_keys ON vendor_lessons USING gin (keys) WHERE revoked_at IS NULL;
CREATE INDEX vendor_lessons_vendor ON vendor_lessons (vendor_key, learned_at DESC);
GRANT SELECT, INSERT, DELETE ON vendor_lessons TO countersign_app;
GRANT UPDATE (vendor_key, keys, body, learned_at, revoked_at, revoked_by, reason) ON vendor_lessons TO countersign_app;

-- +goose StatementBegin
-- Whether a case may teach at all: it is archived, a person other than its submitter approved it, and nobody found it wrong. Which of
-- its values were confirmed by another person than the one who entered them is decided by package facts.
CREATE FUNCTION may_teach(wanted uuid) RETURNS boolean LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT EXISTS (SELECT FROM cases c WHERE c.id = wanted AND c.status = 'archived'
    AND NOT EXISTS (SELECT FROM case_corrections k WHERE k.corrects = c.id)
    AND NOT EXISTS (SELECT FROM quality_samples s WHERE s.case_id = c.id AND s.status IN ('disputed', 'wrong'))
    AND EXISTS (SELECT FROM decisions d JOIN votes v ON v.case_id = d.case_id AND v.review_id = d.review_id
      WHERE d.case_id = c.id AND d.verdict = 'approve' AND c.submitter NOT IN (d.actor, d.on_behalf_of)))
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION refuse_unapproved_lesson() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT may_teach(NEW.case_id) THEN
    RAISE EXCEPTION 'only an archived case that another person approved teaches' USING ERRCODE = 'CS009';
  END IF;
  IF TG_OP = 'UPDATE' AND (OLD.revoked_at IS NOT NULL OR (NEW.id, NEW.case_id) <> (OLD.id, OLD.case_id)) THEN
    RAISE EXCEPTION 'a revoked lesson stays revoked' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER lesson_is_approved BEFORE INSERT OR UPDATE ON vendor_lessons
  FOR EACH ROW EXECUTE FUNCTION refuse_unapproved_lesson();

-- +goose StatementBegin
CREATE FUNCTION note_teaching_case() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO vendor_pending (case_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER archived_case_teaches AFTER UPDATE ON cases
  FOR EACH ROW WHEN (NEW.status = 'archived' AND OLD.status <> 'archived') EXECUTE FUNCTION note_teaching_case();

-- A case that is opened again, found wrong or erased no longer teaches, from the same transaction on. A disputed sample that is
-- settled as right teaches again.
-- +goose StatementBegin
CREATE FUNCTION forget_lesson() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  forgotten uuid := CASE TG_ARGV[0] WHEN 'id' THEN (to_jsonb(OLD)->>'id')::uuid
    WHEN 'corrects' THEN (to_jsonb(NEW)->>'corrects')::uuid ELSE (to_jsonb(OLD)->>'case_id')::uuid END;
BEGIN
  DELETE FROM vendor_lessons WHERE case_id = forgotten AND (revoked_at IS NULL OR TG_ARGV[1] = 'erased');
  IF TG_ARGV[1] = 'again' THEN
    INSERT INTO vendor_pending (case_id) VALUES (forgotten) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER reopened_case_is_forgotten AFTER UPDATE ON cases
  FOR EACH ROW WHEN (OLD.status = 'archived' AND NEW.status <> 'archived') EXECUTE FUNCTION forget_lesson('id', '');
CREATE TRIGGER wrong_case_is_forgotten AFTER UPDATE ON quality_samples
  FOR EACH ROW WHEN (NEW.status IN ('disputed', 'wrong') AND NEW.status <> OLD.status)
  EXECUTE FUNCTION forget_lesson('case_id', '');
CREATE TRIGGER settled_case_teaches AFTER UPDATE ON quality_samples
  FOR EACH ROW WHEN (NEW.status = 'confirmed' AND OLD.status = 'disputed') EXECUTE FUNCTION forget_lesson('case_id', 'again');
CREATE TRIGGER corrected_case_is_forgotten AFTER INSERT ON case_corrections
  FOR EACH ROW EXECUTE FUNCTION forget_lesson('corrects', '');
CREATE TRIGGER erased_case_is_forgotten AFTER UPDATE ON assertions
  FOR EACH ROW WHEN (NEW.body = '' AND OLD.body <> '') EXECUTE FUNCTION forget_lesson('case_id', 'erased');
CREATE TRIGGER case_without_pages_is_forgotten AFTER DELETE ON pages
  FOR EACH ROW EXECUTE FUNCTION forget_lesson('case_id', 'erased');

-- Cases that were archived before.
INSERT INTO vendor_pending (case_id) SELECT id FROM cases WHERE status = 'archived';

-- +goose Down
SELECT 1 / 0;
