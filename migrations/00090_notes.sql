-- Notes about cases with their attachments, and who watches cases.
-- +goose Up
CREATE TABLE case_notes (
  id           uuid PRIMARY KEY,
  case_id      uuid NOT NULL REFERENCES cases,
  seq          bigint NOT NULL, -- event of the case that records the note
  author       uuid NOT NULL REFERENCES users,
  audience     text NOT NULL CHECK (audience IN ('everyone', 'reviewers', 'aml')),
  text         text NOT NULL CHECK (char_length(text) <= 4000), -- '' after the erasure of the case
  mentions     uuid[] NOT NULL,
  at           timestamptz NOT NULL,
  salt         bytea NOT NULL, -- '' after the erasure of the case
  hash         bytea NOT NULL, -- SHA-256 of the note with its salt, as its event contains it
  withdrawn_at timestamptz,
  withdrawn_seq bigint,
  CHECK ((withdrawn_at IS NULL) = (withdrawn_seq IS NULL)),
  UNIQUE (case_id, seq)
);
CREATE INDEX case_notes_author ON case_notes (author, at);

CREATE TABLE note_attachments (
  note_id    uuid NOT NULL REFERENCES case_notes,
  number     int NOT NULL CHECK (number BETWEEN 1 AND 5),
  case_id    uuid NOT NULL REFERENCES cases,
  name       text NOT NULL,
  size       bigint NOT NULL CHECK (size > 0),
  sha256     bytea NOT NULL,
  blob_key   text NOT NULL, -- '' after the erasure of the case
  PRIMARY KEY (note_id, number)
);
CREATE INDEX note_attachments_case ON note_attachments (case_id);

CREATE TABLE case_watchers (
  case_id uuid NOT NULL REFERENCES cases,
  person  uuid NOT NULL REFERENCES users,
  since   timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (case_id, person)
);
CREATE INDEX case_watchers_person ON case_watchers (person);

-- The note that a notice is about, so that it is shown only to people who may read the note.
ALTER TABLE notices ADD COLUMN note_id uuid;

-- +goose StatementBegin
-- No account of the submitter's person writes a note that the submitter cannot read, and no note is added to an erased case.
CREATE FUNCTION refuse_wrong_note() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM cases c WHERE c.id = NEW.case_id AND c.erased_at IS NOT NULL) THEN
    RAISE EXCEPTION 'no note is added to an erased case' USING ERRCODE = 'CS009';
  END IF;
  IF NEW.audience <> 'everyone' AND EXISTS (SELECT FROM cases c WHERE c.id = NEW.case_id
      AND (c.submitter = NEW.author OR same_person(c.submitter, NEW.author))) THEN
    RAISE EXCEPTION 'the submitter writes notes for everyone only' USING ERRCODE = 'CS002';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER notes_are_for_readers BEFORE INSERT ON case_notes FOR EACH ROW EXECUTE FUNCTION refuse_wrong_note();

-- +goose StatementBegin
-- A note is only withdrawn, once.
CREATE FUNCTION refuse_changed_note() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND (is_erasing() OR (OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NOT NULL
      AND to_jsonb(NEW) - 'withdrawn_at' - 'withdrawn_seq' = to_jsonb(OLD) - 'withdrawn_at' - 'withdrawn_seq')) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'a note is only withdrawn' USING ERRCODE = 'CS009';
END $$;
-- +goose StatementEnd
CREATE TRIGGER notes_stay BEFORE UPDATE OR DELETE ON case_notes FOR EACH ROW EXECUTE FUNCTION refuse_changed_note();
CREATE TRIGGER attachments_stay BEFORE UPDATE OR DELETE ON note_attachments FOR EACH ROW EXECUTE FUNCTION refuse_change_unless_erasing();

-- +goose StatementBegin
-- The erasure of a case removes the texts of its notes and ends its watches.
CREATE FUNCTION erase_notes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE note_attachments SET name = '(erased)', blob_key = '' WHERE case_id = NEW.id;
  UPDATE case_notes SET text = '', salt = '', mentions = '{}' WHERE case_id = NEW.id;
  DELETE FROM case_watchers WHERE case_id = NEW.id;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER notes_erased AFTER UPDATE OF erased_at ON cases FOR EACH ROW
  WHEN (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL) EXECUTE FUNCTION erase_notes();

GRANT SELECT, INSERT ON case_notes, note_attachments TO countersign_app;
GRANT UPDATE (withdrawn_at, withdrawn_seq) ON case_notes TO countersign_app;
GRANT SELECT, INSERT, DELETE ON case_watchers TO countersign_app;

-- +goose Down
SELECT 1 / 0;
