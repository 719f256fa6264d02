-- +goose Up
-- Allowances of failed attempts to sign in: of an account over all addresses, of an address over all accounts. A row says up
-- to which moment the allowance is spent; one whose moment has passed is whole again and may be removed.
CREATE TABLE sign_in_allowances (
  key         bytea PRIMARY KEY CHECK (octet_length(key) = 32), -- a SHA-256, so that the table lists nobody
  spent_until timestamptz NOT NULL
);
CREATE INDEX sign_in_allowances_spent ON sign_in_allowances (spent_until);
CREATE INDEX sign_in_failures_last ON sign_in_failures (last_at);

-- Browsers in which a person signed in before. A row gives no right: it only gives attempts from there a counter of their own.
CREATE TABLE sign_in_devices (
  token_hash bytea NOT NULL CHECK (octet_length(token_hash) = 32),
  user_id    uuid NOT NULL REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT clock(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (token_hash, user_id)
);
CREATE INDEX sign_in_devices_user ON sign_in_devices (user_id, expires_at);

-- A new password, and being disabled, makes every device of the person unknown.
-- +goose StatementBegin
CREATE FUNCTION forget_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sign_in_devices WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER forget_devices AFTER UPDATE OF password_hash, disabled ON users
  FOR EACH ROW WHEN (OLD.password_hash IS DISTINCT FROM NEW.password_hash OR NEW.disabled) EXECUTE FUNCTION forget_devices();

-- Requests a minute of one token, where an administrator gave it a number of its own.
ALTER TABLE api_tokens ADD COLUMN requests_per_minute int CHECK (requests_per_minute BETWEEN 1 AND 1000000);

GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_allowances, sign_in_devices TO countersign_app;

-- +goose Down
SELECT 1 / 0; -- the schema is never taken down; restore a backup instead
