-- Facts that a process needs and nobody stated, and the queue where people name them.
-- +goose Up
ALTER TABLE cases
  ADD COLUMN missing text[] NOT NULL DEFAULT '{}', -- needed facts without a value
  ADD COLUMN unstated text[] NOT NULL DEFAULT '{}'; -- those, and needed facts that only a reviewer named or found impossible to determine

-- A review with the duty repair ends in "repaired": it is not an approval, and no limit applies.
ALTER TABLE decisions DROP CONSTRAINT decisions_verdict_check;
ALTER TABLE decisions ADD CONSTRAINT decisions_verdict_check
  CHECK (verdict IN ('approve', 'reject', 'return', 'escalate', 'repaired'));
ALTER TABLE decisions DROP CONSTRAINT refusal_has_reason;
ALTER TABLE decisions ADD CONSTRAINT refusal_has_reason CHECK (verdict IN ('approve', 'repaired') OR reason <> '');
ALTER TABLE case_interests DROP CONSTRAINT case_interests_reason_check;
ALTER TABLE case_interests ADD CONSTRAINT case_interests_reason_check
  CHECK (reason IN ('submitter', 'set_amount', 'set_payee', 'set_country', 'own_account', 'override'));

-- No vote counts from a repair, whatever the program does.
ALTER TABLE votes ADD CONSTRAINT repair_has_no_vote CHECK (duty <> 'repair') NOT VALID;

-- Whoever reviews at level 1 also repairs, so that the queue is staffed from the start.
INSERT INTO user_queues (user_id, queue) SELECT user_id, 'repair' FROM user_queues WHERE queue = 'L1' ON CONFLICT DO NOTHING;
UPDATE authority SET version = version + 1 WHERE EXISTS (SELECT FROM user_queues WHERE queue = 'repair');

-- +goose Down
SELECT 1 / 0;
