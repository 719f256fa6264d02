-- What the operator raises by the command line waits for a second operator's key or a delay, ends by itself, and is reviewed.
-- +goose Up

-- When the setup of the installation ends: one hour after it first had two active administrators. Until then the operator
-- makes accounts alone. It is set once and never changed.
CREATE TABLE installation_setup (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  ends_at  timestamptz
);
INSERT INTO installation_setup (ends_at)
  SELECT CASE WHEN count(*) >= 2 THEN clock() END FROM users u JOIN user_roles r ON r.user_id = u.id
  WHERE r.role = 'administrator' AND NOT u.disabled;
GRANT SELECT, UPDATE (ends_at) ON installation_setup TO countersign_app;
-- +goose StatementBegin
CREATE FUNCTION installation_setup_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.ends_at IS NOT NULL OR NEW.ends_at IS NULL OR NEW.ends_at > clock() + interval '1 hour' THEN
    RAISE EXCEPTION 'the end of the setup is set once' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER installation_setup_guard BEFORE UPDATE ON installation_setup
  FOR EACH ROW EXECUTE FUNCTION installation_setup_guard();

-- Public keys of operators (Ed25519).
CREATE TABLE operator_keys (
  id          uuid PRIMARY KEY,
  name        text NOT NULL UNIQUE,
  public_key  bytea NOT NULL UNIQUE CHECK (length(public_key) = 32),
  enrolled_at timestamptz NOT NULL DEFAULT clock(),
  revoked_at  timestamptz
);
GRANT SELECT, INSERT, UPDATE (revoked_at) ON operator_keys TO countersign_app;

CREATE TABLE break_glass (
  id           uuid PRIMARY KEY,
  command      text NOT NULL CHECK (command IN ('person', 'limit', 'token', 'key')),
  subject      text NOT NULL,
  person       uuid REFERENCES users, -- whom it concerns, if the account exists
  document     text NOT NULL,         -- JSON: what it changes
  before       text NOT NULL,         -- in words, as the page shows it
  after        text NOT NULL,
  reason       text NOT NULL,
  status       text NOT NULL DEFAULT 'requested' CHECK (status IN ('requested', 'in_effect', 'ended', 'withdrawn')),
  requested_at timestamptz NOT NULL,
  effect_at    timestamptz NOT NULL,  -- without a second key
  lifetime     interval NOT NULL CHECK (lifetime BETWEEN '1 minute' AND '7 days'),
  effective_at timestamptz,
  expires_at   timestamptz,           -- when it is taken back; NULL = never
  ended_at     timestamptz,
  undo         text NOT NULL DEFAULT '', -- JSON: what is taken back
  reviewed_at  timestamptz            -- when the second administrator reviewed it
);
CREATE INDEX break_glass_due ON break_glass (status, effect_at, expires_at) WHERE status IN ('requested', 'in_effect');
GRANT SELECT, INSERT, UPDATE ON break_glass TO countersign_app;

CREATE TABLE break_glass_signatures (
  request_id uuid NOT NULL REFERENCES break_glass,
  key_id     uuid NOT NULL REFERENCES operator_keys,
  signature  bytea NOT NULL CHECK (length(signature) = 64),
  signed_at  timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (request_id, key_id)
);
GRANT SELECT, INSERT ON break_glass_signatures TO countersign_app;

CREATE TABLE break_glass_reviews (
  request_id uuid NOT NULL REFERENCES break_glass,
  reviewer   uuid NOT NULL REFERENCES users,
  note       text NOT NULL,
  at         timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (request_id, reviewer)
);
GRANT SELECT, INSERT ON break_glass_reviews TO countersign_app;

-- A request takes effect with two keys, or after at least eight hours; what it asks for never changes.
-- +goose StatementBegin
CREATE FUNCTION break_glass_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.requested_at := clock();
    IF NEW.status <> 'requested' OR NEW.effect_at < NEW.requested_at + interval '8 hours' - interval '1 minute' THEN
      RAISE EXCEPTION 'a request of the operator waits for eight hours or more' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END IF;
  IF (NEW.id, NEW.command, NEW.subject, NEW.document, NEW.requested_at, NEW.effect_at, NEW.lifetime)
     IS DISTINCT FROM (OLD.id, OLD.command, OLD.subject, OLD.document, OLD.requested_at, OLD.effect_at, OLD.lifetime) THEN
    RAISE EXCEPTION 'a request of the operator does not change' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.status <> OLD.status THEN
    IF (OLD.status, NEW.status) NOT IN (('requested', 'in_effect'), ('requested', 'withdrawn'), ('in_effect', 'ended')) THEN
      RAISE EXCEPTION 'a request of the operator cannot go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status = 'in_effect' AND clock() < OLD.effect_at AND 2 > (SELECT count(*) FROM break_glass_signatures s
        JOIN operator_keys k ON k.id = s.key_id WHERE s.request_id = OLD.id AND k.revoked_at IS NULL) THEN
      RAISE EXCEPTION 'a request of the operator needs two keys or its delay' USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  IF NEW.reviewed_at IS NOT NULL AND OLD.reviewed_at IS NULL
     AND 2 > (SELECT count(*) FROM break_glass_reviews v WHERE v.request_id = OLD.id) THEN
    RAISE EXCEPTION 'two administrators review what the operator did' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER break_glass_guard BEFORE INSERT OR UPDATE ON break_glass FOR EACH ROW EXECUTE FUNCTION break_glass_guard();

-- The networks of proxies that report the client's address, confirmed by two. Without a row the setting of the server
-- becomes the first version when it starts.
CREATE TABLE trusted_proxies (
  version     int PRIMARY KEY,
  networks    text[] NOT NULL,
  set_by      uuid NOT NULL,
  proposal_id uuid,
  at          timestamptz NOT NULL DEFAULT clock()
);
GRANT SELECT, INSERT ON trusted_proxies TO countersign_app;

-- +goose Down
SELECT 1 / 0;
