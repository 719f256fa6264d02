-- Cases that are a part of the file of another case.
-- +goose Up
ALTER TABLE cases
  ADD COLUMN parent_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000', -- the case that was split; the null id = none
  ADD COLUMN origin_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000', -- the case to which the file was submitted
  ADD COLUMN part jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(part) = 'object');  -- pages of the file, and reviews that the case keeps
CREATE INDEX cases_parent ON cases (parent_id, id) WHERE parent_id <> '00000000-0000-0000-0000-000000000000';

ALTER TABLE case_interests DROP CONSTRAINT case_interests_reason_check;
ALTER TABLE case_interests ADD CONSTRAINT case_interests_reason_check
  CHECK (reason IN ('submitter', 'set_amount', 'set_payee', 'set_country', 'own_account', 'override', 'split'));

-- What a part inherits never changes, whatever the program does.
-- +goose StatementBegin
CREATE FUNCTION refuse_changed_part() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a part keeps its parent, its pages and its reviews' USING ERRCODE = 'CS009';
END $$;
-- +goose StatementEnd
CREATE TRIGGER part_stays BEFORE UPDATE OF parent_id, origin_id, part ON cases FOR EACH ROW
  WHEN ((NEW.parent_id, NEW.origin_id, NEW.part) IS DISTINCT FROM (OLD.parent_id, OLD.origin_id, OLD.part))
  EXECUTE FUNCTION refuse_changed_part();

-- +goose Down
SELECT 1 / 0;
