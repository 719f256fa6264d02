-- +goose Up
-- +goose StatementBegin
-- clock() is the one source of time in SQL; tests replace it by one with an offset.
CREATE FUNCTION clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS 'SELECT clock_timestamp()';
-- +goose StatementEnd

-- +goose StatementBegin
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'countersign_app') THEN
    CREATE ROLE countersign_app LOGIN;
  END IF;
END $$;
-- +goose StatementEnd

-- What the program reads at start: a breaking schema refuses older programs.
CREATE TABLE schema_compat (
  version  bigint PRIMARY KEY,
  breaking boolean NOT NULL DEFAULT false
);
INSERT INTO schema_compat VALUES (1, false);

-- One row: the version of all that gives power. Whoever changes rights takes its advisory lock alone
-- and raises it first; deciders hold that lock shared.
CREATE TABLE authority (
  id      int PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  version bigint NOT NULL DEFAULT 1
);
INSERT INTO authority DEFAULT VALUES;

CREATE TABLE users (
  id            uuid PRIMARY KEY,
  email         text NOT NULL CHECK (email = lower(email)),
  name          text NOT NULL CHECK (name <> ''),
  password_hash text NOT NULL DEFAULT '',
  disabled      boolean NOT NULL DEFAULT false,
  locale        text NOT NULL DEFAULT 'en',
  version       bigint NOT NULL DEFAULT 1,
  created_at    timestamptz NOT NULL DEFAULT clock(),
  UNIQUE (email)
);
INSERT INTO users (id, email, name, disabled)
VALUES ('00000000-0000-7000-8000-000000000010', 'system@localhost', 'Countersign', true);

CREATE TABLE roles (
  name        text PRIMARY KEY,
  description text NOT NULL DEFAULT ''
);
INSERT INTO roles (name, description) VALUES
  ('submitter', 'Submits documents and follows their own'),
  ('reviewer_l1', 'Reviews at level 1'),
  ('reviewer_senior', 'Reviews at level 1 under a larger limit'),
  ('reviewer_l2', 'Reviews at level 2'),
  ('reviewer_aml', 'Reviews for money laundering'),
  ('manager', 'Reads all, reassigns, repairs incidents, reviews at both levels'),
  ('auditor', 'Reads all, verifies'),
  ('administrator', 'People, limits, policy, definitions; decides nothing');

CREATE TABLE user_roles (
  user_id uuid NOT NULL REFERENCES users,
  role    text NOT NULL REFERENCES roles,
  PRIMARY KEY (user_id, role)
);

CREATE TABLE user_queues (
  user_id uuid NOT NULL REFERENCES users,
  queue   text NOT NULL CHECK (queue <> ''),
  PRIMARY KEY (user_id, queue)
);
CREATE INDEX ON user_queues (queue);

-- No row = no right to decide; unlimited is a row that says so.
CREATE TABLE limits (
  role          text NOT NULL REFERENCES roles,
  action        text NOT NULL,
  document_type text NOT NULL DEFAULT '',
  unlimited     boolean NOT NULL DEFAULT false,
  base_minor    bigint NOT NULL DEFAULT 0 CHECK (base_minor >= 0),
  PRIMARY KEY (role, action, document_type)
);
INSERT INTO limits (role, action, unlimited, base_minor) VALUES
  ('reviewer_l1', 'decide', false, 50000000),
  ('reviewer_senior', 'decide', false, 200000000),
  ('reviewer_l2', 'decide', true, 0),
  ('reviewer_aml', 'decide', true, 0),
  ('manager', 'decide', true, 0);

CREATE TABLE policies (
  version    bigint PRIMARY KEY,
  rules      jsonb NOT NULL,
  created_by uuid NOT NULL REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT clock()
);

CREATE TABLE parties (
  id       uuid PRIMARY KEY,
  key      text NOT NULL UNIQUE CHECK (key <> ''),
  name     text NOT NULL,
  -- Parties of one company group share it; a party alone is its own group. Conflicts close over it.
  group_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock()
);
CREATE INDEX ON parties (group_id);

CREATE TABLE conflicts (
  id          uuid PRIMARY KEY,
  person      uuid NOT NULL REFERENCES users,
  party_id    uuid NOT NULL REFERENCES parties,
  reason      text NOT NULL DEFAULT '',
  declared_by uuid NOT NULL REFERENCES users,
  created_at  timestamptz NOT NULL DEFAULT clock(),
  ended_at    timestamptz
);
CREATE UNIQUE INDEX ON conflicts (person, party_id) WHERE ended_at IS NULL;
CREATE INDEX ON conflicts (party_id) WHERE ended_at IS NULL;

CREATE TABLE sessions (
  id         uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  user_id    uuid NOT NULL REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT clock(),
  expires_at timestamptz NOT NULL,
  ended_at   timestamptz
);
CREATE INDEX ON sessions (user_id) WHERE ended_at IS NULL;

CREATE TABLE sign_in_failures (
  key          bytea PRIMARY KEY, -- SHA-256 of the e-mail, so that the table lists nobody
  failures     int NOT NULL DEFAULT 0,
  locked_until timestamptz NOT NULL DEFAULT '-infinity',
  last_at      timestamptz NOT NULL DEFAULT clock()
);

CREATE TABLE api_tokens (
  id         uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  user_id    uuid NOT NULL REFERENCES users,
  name       text NOT NULL CHECK (name <> ''),
  scopes     text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT clock(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
CREATE INDEX ON api_tokens (user_id);

-- Micros: millionths of a base minor unit per minor unit of the currency.
CREATE TABLE rates (
  id         uuid PRIMARY KEY,
  currency   text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  micros     bigint NOT NULL CHECK (micros > 0),
  valid_from timestamptz NOT NULL,
  UNIQUE (currency, valid_from)
);
INSERT INTO rates VALUES ('00000000-0000-7000-8000-000000000020', 'USD', 1000000, '-infinity');

CREATE TABLE idempotency_keys (
  person       uuid NOT NULL,
  operation    text NOT NULL,
  key          text NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
  request_hash bytea NOT NULL,
  outcome      jsonb NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (person, operation, key)
);
CREATE INDEX ON idempotency_keys (created_at);

CREATE TABLE process_definitions (
  key          text NOT NULL,
  version      int NOT NULL CHECK (version > 0),
  document     text NOT NULL,
  status       text NOT NULL DEFAULT 'published' CHECK (status IN ('proposed', 'published')),
  published_by uuid NOT NULL REFERENCES users,
  published_at timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (key, version)
);
-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'CS009';
END $$;
-- +goose StatementEnd
CREATE TRIGGER published_is_immutable BEFORE UPDATE OR DELETE ON process_definitions
  FOR EACH ROW WHEN (OLD.status = 'published') EXECUTE FUNCTION refuse_change();

-- Row leases of the processes that must be alone: the sweeper.
CREATE TABLE leaders (
  name   text PRIMARY KEY,
  holder text NOT NULL,
  until  timestamptz NOT NULL
);

-- +goose Down
SELECT 1 / 0; -- the schema is never taken down; restore a backup instead
