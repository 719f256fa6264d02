-- +goose Up
-- Most archived cases passed without a person. They teach nothing, so they no longer wait to be learned from. A case that is approved
-- later has been opened again before, and is archived again.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_teaching_case() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO vendor_pending (case_id) SELECT NEW.id
    WHERE EXISTS (SELECT FROM votes v WHERE v.case_id = NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT 1 / 0;
