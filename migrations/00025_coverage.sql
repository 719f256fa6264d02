-- What a vote covers, and the cases that must be evaluated again after a change of control data.
-- +goose Up
ALTER TABLE votes ADD COLUMN covered jsonb NOT NULL DEFAULT '{}'; -- '{}' = a vote from before, or of an older program

-- Changes of control data after which cases are evaluated again, in batches: those after the cursor, twice, because a step
-- that had read the earlier data may be recorded after the first pass. A row is deleted after the second pass.
CREATE TABLE control_changes (
  id         uuid PRIMARY KEY,
  kind       text NOT NULL CHECK (kind IN ('country', 'currency', 'party')),
  key        text NOT NULL,
  pass       int NOT NULL DEFAULT 1 CHECK (pass IN (1, 2)),
  cursor     uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000', -- the last case of this pass
  due        timestamptz NOT NULL DEFAULT clock(),
  created_at timestamptz NOT NULL DEFAULT clock()
);
GRANT SELECT, INSERT, UPDATE, DELETE ON control_changes TO countersign_app;

-- +goose Down
SELECT 1 / 0;
