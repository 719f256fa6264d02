-- Passkeys (WebAuthn) by which people sign in and sign approvals. The key of a passkey never changes.
-- +goose Up
CREATE TABLE passkeys (
  id            uuid PRIMARY KEY,
  user_id       uuid NOT NULL REFERENCES users,
  name          text NOT NULL,
  relying_party text NOT NULL,
  credential_id bytea NOT NULL UNIQUE, -- one authenticator's key belongs to one person
  public_key    bytea NOT NULL UNIQUE, -- PKIX, DER
  algorithm     int NOT NULL,          -- COSE
  aaguid        bytea NOT NULL,
  sign_count    bigint NOT NULL,
  synced        boolean NOT NULL,
  at            timestamptz NOT NULL,
  used_at       timestamptz,
  removed_at    timestamptz
);
CREATE INDEX passkeys_user ON passkeys (user_id) WHERE removed_at IS NULL;
GRANT SELECT, INSERT, UPDATE (sign_count, used_at, removed_at) ON passkeys TO countersign_app;

-- Challenges that authenticators are asked to sign, each for one use.
CREATE TABLE passkey_challenges (
  challenge  text PRIMARY KEY, -- base64url
  purpose    text NOT NULL CHECK (purpose IN ('sign_in', 'confirm', 'register')),
  user_id    uuid NOT NULL,    -- zero before the person is known
  data       jsonb NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);
GRANT SELECT, INSERT, DELETE ON passkey_challenges TO countersign_app;

ALTER TABLE decisions ADD COLUMN signature jsonb; -- of an approval signed by a passkey

ALTER TABLE checkpoint_leaves DROP CONSTRAINT checkpoint_leaves_kind_check;
ALTER TABLE checkpoint_leaves ADD CONSTRAINT checkpoint_leaves_kind_check
  CHECK (kind IN ('head', 'decision', 'vote', 'access', 'passkey'));
CREATE INDEX checkpoint_leaves_passkey ON checkpoint_leaves (item, log, idx) WHERE kind = 'passkey';

-- As before, and of the registration of a passkey its id.
DROP FUNCTION checkpoint_window;
-- +goose StatementBegin
CREATE FUNCTION checkpoint_window(after_era int, after_txid xid8, after_id bigint, upto_era int, upto_txid xid8, most int)
RETURNS TABLE (era int, txid xid8, id bigint, case_id uuid, seq bigint, hash bytea, review uuid, passkey uuid) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
  RETURN QUERY SELECT e.era, e.txid, e.id, e.case_id, e.seq, e.hash,
      CASE WHEN e.type = 'review.decided' AND e.body <> '' THEN (e.body::jsonb ->> 'reviewId')::uuid END,
      CASE WHEN e.type = 'passkey.registered' AND e.body <> '' THEN (e.body::jsonb ->> 'passkeyId')::uuid END
    FROM events e
    WHERE (e.era, e.txid, e.id) > (after_era, after_txid, after_id) AND (e.era, e.txid) < (upto_era, upto_txid)
    ORDER BY e.era, e.txid, e.id LIMIT most;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT 1 / 0;
