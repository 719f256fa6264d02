-- Which images of pages a language model was sent. The bytes are not kept.
-- +goose Up
ALTER TABLE model_runs ADD COLUMN input text NOT NULL DEFAULT 'text' CHECK (input IN ('text', 'images')),
  -- the images that were sent, by page with their hashes, and the pages whose images were not, by reason
  ADD COLUMN images jsonb NOT NULL DEFAULT '{}';

-- +goose StatementBegin
-- The erasure of a case removes the hashes too, because the hash of a known image would show that it was sent.
CREATE OR REPLACE FUNCTION erase_model_runs() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE model_runs SET prompt = '', answer = '', prompt_hash = '', error_text = '', images = '{}' WHERE case_id = NEW.id;
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
-- A call that ends after the erasure of its case leaves its tokens and its cost only.
CREATE FUNCTION model_run_of_erased() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  erased timestamptz;
BEGIN
  SELECT erased_at INTO erased FROM cases WHERE id = NEW.case_id FOR SHARE; -- waits for an erasure under way
  IF erased IS NOT NULL THEN
    NEW.prompt := ''; NEW.answer := ''; NEW.prompt_hash := ''; NEW.error_text := ''; NEW.images := '{}';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER model_runs_of_erased BEFORE INSERT ON model_runs FOR EACH ROW EXECUTE FUNCTION model_run_of_erased();

-- +goose Down
SELECT 1 / 0;
