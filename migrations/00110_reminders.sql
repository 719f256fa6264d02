-- Reminders before the deadlines of a review.
-- +goose Up
ALTER TABLE stage_runs DROP CONSTRAINT stage_runs_kind_check;
ALTER TABLE stage_runs ADD CONSTRAINT stage_runs_kind_check CHECK (kind IN ('stage', 'timer', 'claim_by',
  'at_risk', 'decide_by', 'saga', 'assign', 'undo_by', 'remind'));

-- +goose Down
SELECT 1 / 0;
