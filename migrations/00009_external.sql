-- External stages: programs outside lease a stage's run by its topic, for as long as the definition gives them.
-- +goose Up
ALTER TABLE stage_runs
  ADD COLUMN topic      text NOT NULL DEFAULT '',
  ADD COLUMN lease_secs double precision NOT NULL DEFAULT 0;
CREATE INDEX stage_runs_external ON stage_runs (topic, run_after) WHERE status = 'pending' AND queue = 'external';
INSERT INTO roles (name, description) VALUES ('external_worker', 'Programs that do external stages; queues are their topics');

-- +goose Down
SELECT 1 / 0;
