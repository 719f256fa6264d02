-- What raises power is proposed by one administrator and confirmed by another: people, limits, and ways to sign in.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk',
  'rate', 'conflict_end', 'party_leave', 'party_join', 'sample_share', 'draw_mark', 'document_type', 'connector', 'person', 'limit',
  'sign_in'));

-- Who made the account or its present way to sign in. They and the account do not confirm for each other until the person has
-- signed up alone and a day has passed.
ALTER TABLE users
  ADD COLUMN vouched_by uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN vouched_at timestamptz,
  ADD COLUMN signed_up_at timestamptz; -- when the person chose the present password by a link

-- One-time links by which people choose their password.
CREATE TABLE sign_in_links (
  token_hash  bytea PRIMARY KEY, -- SHA-256 of the secret in the link
  user_id     uuid NOT NULL REFERENCES users,
  proposal_id uuid NOT NULL REFERENCES proposals,
  made_at     timestamptz NOT NULL DEFAULT clock(),
  expires_at  timestamptz NOT NULL,
  used_at     timestamptz
);
CREATE INDEX sign_in_links_user ON sign_in_links (user_id) WHERE used_at IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_links TO countersign_app;

-- +goose Down
SELECT 1 / 0;
