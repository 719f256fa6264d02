-- Queues and calendars are proposed by one person and confirmed by another.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk',
  'rate', 'conflict_end', 'party_leave', 'party_join', 'sample_share', 'draw_mark', 'document_type', 'connector', 'person', 'limit',
  'sign_in', 'queue', 'calendar'));

-- +goose Down
SELECT 1 / 0;
