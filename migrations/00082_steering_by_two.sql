-- Delegations between other people, substitutes and skills of other people are confirmed by a second person. The kinds
-- of changes that are added at the same time are contained too, so that the order of the migrations does not matter.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk',
  'rate', 'conflict_end', 'party_leave', 'party_join', 'sample_share', 'draw_mark', 'document_type', 'connector', 'person', 'limit',
  'sign_in', 'queue', 'calendar', 'delegation', 'absence', 'skills', 'proxies', 'erasure', 'legal_hold', 'retention', 'group_role'));

-- +goose Down
SELECT 1 / 0;
