-- The search index contains names of people, so the cases of a renamed person are indexed again in the background.
-- +goose Up
-- People who were renamed, whose cases are not yet in search_due.
CREATE TABLE search_renames (
  person uuid PRIMARY KEY,
  at     timestamptz NOT NULL DEFAULT clock()
);
-- Cases to index again.
CREATE TABLE search_due (
  case_id uuid PRIMARY KEY,
  at      timestamptz NOT NULL DEFAULT clock()
);

-- +goose StatementBegin
CREATE FUNCTION search_renamed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  -- The update locks the row, so that the index does not take it before the new name is committed.
  INSERT INTO search_renames (person) VALUES (NEW.id) ON CONFLICT (person) DO UPDATE SET at = clock();
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER search_renamed AFTER UPDATE OF name ON users FOR EACH ROW
  WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION search_renamed();

GRANT SELECT, INSERT, DELETE ON search_renames, search_due TO countersign_app;

-- +goose Down
SELECT 1 / 0;
