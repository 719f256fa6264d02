-- Statements of reviewers why a finding does not stop an approval.
-- +goose Up
CREATE TABLE overrides (
  case_id      uuid NOT NULL REFERENCES cases,
  id           uuid NOT NULL,
  rule         text NOT NULL CHECK (rule <> ''),
  finding_hash bytea NOT NULL CHECK (octet_length(finding_hash) = 32),
  review_id    uuid NOT NULL,
  person       uuid NOT NULL,
  on_behalf_of uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  reason       text NOT NULL CHECK (reason <> ''),
  at           timestamptz NOT NULL,
  PRIMARY KEY (case_id, id)
);
-- One person can state it once for a finding as it was seen, so that nobody counts twice.
CREATE UNIQUE INDEX overrides_once ON overrides (case_id, rule, finding_hash, person);
GRANT SELECT, INSERT ON overrides TO countersign_app;

ALTER TABLE case_interests DROP CONSTRAINT case_interests_reason_check;
ALTER TABLE case_interests ADD CONSTRAINT case_interests_reason_check
  CHECK (reason IN ('submitter', 'set_amount', 'set_payee', 'own_account', 'override'));

-- +goose Down
SELECT 1 / 0;
