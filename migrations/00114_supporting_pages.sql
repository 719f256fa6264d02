-- What the pages of supporting documents show. Each document is read once, all pages in one statement.
-- +goose Up
CREATE TABLE supporting_readings (
  case_id uuid NOT NULL,
  number  int NOT NULL, -- of the supporting document
  sha256  bytea NOT NULL, -- of the file that was read
  pages   int NOT NULL CHECK (pages >= 0),
  read_at timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (case_id, number),
  FOREIGN KEY (case_id, number) REFERENCES supporting_documents
);
CREATE TABLE supporting_pages (
  case_id    uuid NOT NULL,
  document   int NOT NULL,
  number     int NOT NULL CHECK (number >= 1),
  raster_key text NOT NULL,
  width      int NOT NULL,
  height     int NOT NULL,
  dpi        int NOT NULL,
  rotation   int NOT NULL,
  source     text NOT NULL,
  engine     text NOT NULL,
  text       text NOT NULL,
  words      jsonb NOT NULL,
  PRIMARY KEY (case_id, document, number),
  FOREIGN KEY (case_id, document) REFERENCES supporting_readings
);

-- +goose StatementBegin
CREATE FUNCTION refuse_other_reading() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM supporting_documents d JOIN cases c ON c.id = d.case_id WHERE d.case_id = NEW.case_id
      AND d.number = NEW.number AND d.sha256 = NEW.sha256 AND c.erased_at IS NULL) THEN
    RAISE EXCEPTION 'the reading is of another file, or the case was erased' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION refuse_late_page() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM supporting_readings r WHERE r.case_id = NEW.case_id AND r.number = NEW.document
      AND NEW.number <= r.pages AND r.xmin = pg_current_xact_id()::xid) THEN
    RAISE EXCEPTION 'a page is added only with its reading' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION refuse_changed_reading() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'CS009';
END $$;
-- +goose StatementEnd
CREATE TRIGGER readings_are_of_the_file BEFORE INSERT ON supporting_readings FOR EACH ROW EXECUTE FUNCTION refuse_other_reading();
CREATE TRIGGER readings_stay BEFORE UPDATE ON supporting_readings FOR EACH ROW EXECUTE FUNCTION refuse_changed_reading();
CREATE TRIGGER readings_are_kept BEFORE DELETE ON supporting_readings FOR EACH ROW WHEN (NOT is_erasing())
  EXECUTE FUNCTION refuse_changed_reading();
CREATE TRIGGER supporting_pages_stay BEFORE UPDATE ON supporting_pages FOR EACH ROW EXECUTE FUNCTION refuse_changed_reading();
CREATE TRIGGER supporting_pages_are_kept BEFORE DELETE ON supporting_pages FOR EACH ROW WHEN (NOT is_erasing())
  EXECUTE FUNCTION refuse_changed_reading();
CREATE TRIGGER supporting_pages_come_together BEFORE INSERT ON supporting_pages FOR EACH ROW EXECUTE FUNCTION refuse_late_page();

-- +goose StatementBegin
-- Documents are added with the submission, while the case is returned to its submitter, or in place of one that could not be
-- read. So no document is added beside a decision that still counts.
CREATE OR REPLACE FUNCTION refuse_late_document() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM cases c WHERE c.id = NEW.case_id AND (c.erased_at IS NOT NULL OR c.version > 1 AND c.status <> 'returned'
      AND (NEW.replaces = 0 OR c.status IN ('archived', 'rejected', 'abandoned')
        OR EXISTS (SELECT FROM supporting_readings r WHERE r.case_id = NEW.case_id AND r.number = NEW.replaces)))) THEN
    RAISE EXCEPTION 'a supporting document is added only to a returned case' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION erase_supporting() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM supporting_pages WHERE case_id = NEW.id;
  DELETE FROM supporting_readings WHERE case_id = NEW.id;
  UPDATE supporting_documents SET file_name = '(erased)', blob_key = '' WHERE case_id = NEW.id;
  RETURN NULL;
END $$;
-- +goose StatementEnd

GRANT SELECT, INSERT ON supporting_readings, supporting_pages TO countersign_app;

-- +goose Down
SELECT 1 / 0;
