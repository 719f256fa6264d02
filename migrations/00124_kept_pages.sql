-- Pages of a long file that an attempt of the stage read has read. A later attempt continues after them. They are removed when the
-- file was read completely, and by an erasure.
-- +goose Up
CREATE TABLE kept_pages (
  case_id    uuid NOT NULL,
  document   int NOT NULL,   -- the number of the supporting document; 0 for the document
  revision   int NOT NULL,   -- of the document; 0 for a supporting document
  number     int NOT NULL CHECK (number >= 1), -- in the file
  sha256     bytea NOT NULL, -- of the file
  reader     text NOT NULL,  -- hash of the program, the engines and their settings
  raster_key text NOT NULL CHECK (raster_key = '' OR raster_key LIKE case_id || '/%'),
  page       text NOT NULL CHECK (octet_length(page) <= 4000000), -- JSON
  at         timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (case_id, document, revision, number)
);

-- +goose StatementBegin
CREATE FUNCTION refuse_foreign_kept_page() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM cases c WHERE c.id = NEW.case_id AND c.erased_at IS NULL
      AND (EXISTS (SELECT FROM documents d WHERE d.case_id = c.id AND NEW.document = 0 AND d.revision = NEW.revision
          AND d.sha256 = NEW.sha256)
        OR EXISTS (SELECT FROM supporting_documents d WHERE d.case_id = c.id AND NEW.revision = 0
          AND d.number = NEW.document AND d.sha256 = NEW.sha256))) THEN
    RAISE EXCEPTION 'the page is of another file, or the case was erased' USING ERRCODE = 'CS009';
  END IF;
  NEW.at := clock();
  RETURN NEW;
END $$;
CREATE FUNCTION refuse_changed_kept_page() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  RAISE EXCEPTION 'a kept page is not changed' USING ERRCODE = 'CS009';
END $$;
CREATE FUNCTION drop_kept_pages_of_document() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM kept_pages WHERE case_id = NEW.case_id AND document = 0 AND revision = NEW.revision;
  RETURN NULL;
END $$;
CREATE FUNCTION drop_kept_pages_of_supporting() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM kept_pages WHERE case_id = NEW.case_id AND document = NEW.number;
  RETURN NULL;
END $$;
CREATE FUNCTION erase_kept_pages() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM kept_pages WHERE case_id = NEW.id;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER kept_pages_are_of_the_file BEFORE INSERT ON kept_pages FOR EACH ROW EXECUTE FUNCTION refuse_foreign_kept_page();
CREATE TRIGGER kept_pages_stay BEFORE UPDATE ON kept_pages FOR EACH ROW EXECUTE FUNCTION refuse_changed_kept_page();
CREATE TRIGGER read_document_drops_kept_pages AFTER UPDATE OF read_at ON documents FOR EACH ROW
  WHEN (NEW.read_at IS NOT NULL AND OLD.read_at IS DISTINCT FROM NEW.read_at) EXECUTE FUNCTION drop_kept_pages_of_document();
CREATE TRIGGER reading_drops_kept_pages AFTER INSERT ON supporting_readings FOR EACH ROW EXECUTE FUNCTION drop_kept_pages_of_supporting();
CREATE TRIGGER kept_pages_erased AFTER UPDATE OF erased_at ON cases FOR EACH ROW
  WHEN (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL) EXECUTE FUNCTION erase_kept_pages();

GRANT SELECT, INSERT, DELETE ON kept_pages TO countersign_app;

-- +goose Down
SELECT 1 / 0;
