-- What a submitter states about the attributes that the process declares. It never changes, and an erasure removes it.
-- +goose Up
ALTER TABLE cases ADD COLUMN attributes jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(attributes) = 'array');

-- +goose StatementBegin
CREATE FUNCTION keep_attributes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL THEN
    NEW.attributes := '[]';
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the attributes of a case never change' USING ERRCODE = 'CS009';
END $$;
-- +goose StatementEnd
CREATE TRIGGER attributes_stay BEFORE UPDATE ON cases FOR EACH ROW
  WHEN (NEW.attributes IS DISTINCT FROM OLD.attributes OR (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL))
  EXECUTE FUNCTION keep_attributes();

-- +goose Down
SELECT 1 / 0;
