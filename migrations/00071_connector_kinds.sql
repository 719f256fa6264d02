-- Connectors of the kinds kafka and smtp.
-- +goose Up
ALTER TABLE connectors DROP CONSTRAINT connectors_kind_check,
  ADD CONSTRAINT connectors_kind_check CHECK (kind IN ('webhook', 'kafka', 'smtp'));

-- +goose Down
SELECT 1 / 0;
