-- The spans of changes, so that one document can be followed through all programs. A trace is no part of the record: the hash
-- chain leaves it out, and no rule reads it.
-- +goose Up
ALTER TABLE cases
  ADD COLUMN traceparent text NOT NULL DEFAULT '' CHECK (octet_length(traceparent) IN (0, 55)); -- of the latest change
ALTER TABLE stage_runs
  ADD COLUMN traceparent text NOT NULL DEFAULT '' CHECK (octet_length(traceparent) IN (0, 55)); -- of the change that added the run
ALTER TABLE events
  ADD COLUMN traceparent text NOT NULL DEFAULT '' CHECK (octet_length(traceparent) IN (0, 55)); -- of the change

-- +goose Down
SELECT 1 / 0;
