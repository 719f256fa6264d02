-- Members of a committee can abstain, where the process allows it. An abstention is a decision with a reason and takes a vote, so that
-- who abstained cannot take another seat.
-- +goose Up
ALTER TABLE decisions DROP CONSTRAINT decisions_verdict_check;
ALTER TABLE decisions ADD CONSTRAINT decisions_verdict_check
  CHECK (verdict IN ('approve', 'reject', 'return', 'escalate', 'repaired', 'abstain'));

-- +goose Down
SELECT 1 / 0;
