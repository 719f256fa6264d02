-- Supporting documents: the files of a case beside its document, each of a kind that the process declares.
-- +goose Up
CREATE TABLE supporting_documents (
  case_id    uuid NOT NULL REFERENCES cases,
  number     int NOT NULL CHECK (number BETWEEN 1 AND 100),
  kind       text NOT NULL CHECK (kind ~ '^[a-z][a-z0-9_]{0,62}$'),
  replaces   int NOT NULL DEFAULT 0 CHECK (replaces >= 0 AND replaces < number), -- 0: none
  file_name  text NOT NULL, -- '(erased)' after the erasure of the case
  media_type text NOT NULL,
  size       bigint NOT NULL CHECK (size > 0),
  sha256     bytea NOT NULL CHECK (octet_length(sha256) = 32),
  blob_key   text NOT NULL, -- '' after the erasure of the case
  created_by uuid NOT NULL REFERENCES users,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (case_id, number)
);
CREATE UNIQUE INDEX supporting_replaced_once ON supporting_documents (case_id, replaces) WHERE replaces > 0;

-- +goose StatementBegin
-- Documents are added with the submission, or while the case is returned to its submitter. So no document is
-- added beside a decision that still counts.
CREATE FUNCTION refuse_late_document() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM cases c WHERE c.id = NEW.case_id AND (c.erased_at IS NOT NULL OR c.version > 1 AND c.status <> 'returned')) THEN
    RAISE EXCEPTION 'a supporting document is added only to a returned case' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER documents_are_early BEFORE INSERT ON supporting_documents FOR EACH ROW
  EXECUTE FUNCTION refuse_late_document();
CREATE TRIGGER documents_stay BEFORE UPDATE OR DELETE ON supporting_documents FOR EACH ROW
  EXECUTE FUNCTION refuse_change_unless_erasing();

-- +goose StatementBegin
CREATE FUNCTION erase_supporting() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE supporting_documents SET file_name = '(erased)', blob_key = '' WHERE case_id = NEW.id;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER supporting_erased AFTER UPDATE OF erased_at ON cases FOR EACH ROW
  WHEN (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL) EXECUTE FUNCTION erase_supporting();

GRANT SELECT, INSERT ON supporting_documents TO countersign_app;

-- An upload that a case has as a supporting document.
ALTER TABLE uploads DROP CONSTRAINT uploads_state_check;
ALTER TABLE uploads ADD CONSTRAINT uploads_state_check CHECK (state IN ('open', 'submitted', 'replaced', 'supporting'));

-- +goose Down
SELECT 1 / 0;
