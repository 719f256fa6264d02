-- The documents that a file seems to contain, if there are several.
-- +goose Up
ALTER TABLE documents
  ADD COLUMN parts jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(parts) = 'array'); -- [] = one, or not examined

-- +goose Down
SELECT 1 / 0;
