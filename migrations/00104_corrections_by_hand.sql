-- +goose Up
-- A person who finds an archived case wrong can submit its correction without a quality sample.
ALTER TABLE case_corrections ALTER COLUMN sample_id DROP NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION refuse_correction_of_open_case() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM cases c WHERE c.id = NEW.corrects AND c.status = 'archived') THEN
    RAISE EXCEPTION 'only an archived case is corrected by another case' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER corrected_case_is_archived BEFORE INSERT ON case_corrections
  FOR EACH ROW EXECUTE FUNCTION refuse_correction_of_open_case();

-- +goose Down
SELECT 1 / 0;
