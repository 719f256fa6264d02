-- What a vote covers, and the cases that must be evaluated again after a change of control data.
-- +goose Up
ALTER TABLE votes ADD COLUMN covered jsonb NOT NULL DEFAULT '{}'; -- '{}' = a vote from before, or of an older program

-- +goose Down
SELECT 1 / 0;
