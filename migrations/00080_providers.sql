-- Signing in through OIDC providers, and accounts that count as one person.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk',
  'rate', 'conflict_end', 'party_leave', 'party_join', 'sample_share', 'draw_mark', 'document_type', 'connector', 'person', 'limit',
  'sign_in', 'queue', 'calendar', 'erasure', 'legal_hold', 'absence', 'delegation', 'skills', 'break_glass', 'proxies', 'retention',
  'group_role'));

ALTER TABLE users
  ADD COLUMN employee_id text UNIQUE CHECK (employee_id = lower(btrim(employee_id)) AND employee_id <> ''),
  ADD COLUMN person uuid; -- the same for all accounts of one person
UPDATE users SET person = id;
CREATE INDEX users_person ON users (person);

-- +goose StatementBegin
CREATE FUNCTION own_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.person := coalesce(NEW.person, NEW.id);
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER own_person BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION own_person();
ALTER TABLE users ALTER COLUMN person SET NOT NULL;

-- What identifies the person behind an account. A mark stays when the account loses the value, because a person who has acted
-- remains the same person. The value is a SHA-256, so that the table lists nothing about anyone.
CREATE TABLE person_marks (
  kind    text NOT NULL CHECK (kind IN ('employee_id', 'email', 'own_account', 'authenticator')),
  value   bytea NOT NULL CHECK (octet_length(value) = 32),
  user_id uuid NOT NULL REFERENCES users,
  at      timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (kind, value, user_id)
);
GRANT SELECT, INSERT ON person_marks TO countersign_app;

-- +goose StatementBegin
-- One mailbox has many addresses: of the part before the @ only what is before a + counts, and at Gmail no dot.
CREATE FUNCTION mailbox(address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN domain IN ('gmail.com', 'googlemail.com') THEN replace(name, '.', '') || '@gmail.com'
    ELSE name || '@' || domain END
  FROM (SELECT coalesce(nullif(split_part(split_part(lower(btrim(address)), '@', 1), '+', 1), ''),
      split_part(lower(btrim(address)), '@', 1)) AS name, split_part(lower(btrim(address)), '@', 2) AS domain) a
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION mark_person(mark_kind text, mark_value text, account uuid) RETURNS void LANGUAGE sql AS $$
  INSERT INTO person_marks (kind, value, user_id) VALUES (mark_kind, sha256(convert_to(mark_value, 'UTF8')), account)
  ON CONFLICT DO NOTHING
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- Accounts with the same mark become one person. One at a time, because two concurrent marks could each miss the other.
CREATE FUNCTION join_person() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  joined uuid[];
BEGIN
  PERFORM pg_advisory_xact_lock(x'436f756e74506572'::bigint);
  SELECT array_agg(DISTINCT u.person ORDER BY u.person) INTO joined FROM person_marks m JOIN users u ON u.id = m.user_id
    WHERE m.kind = NEW.kind AND m.value = NEW.value;
  IF cardinality(joined) > 1 THEN
    UPDATE users SET person = joined[1] WHERE person = ANY (joined[2:]);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER join_person AFTER INSERT ON person_marks FOR EACH ROW EXECUTE FUNCTION join_person();

-- +goose StatementBegin
CREATE FUNCTION mark_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mark_person('email', mailbox(NEW.email), NEW.id);
  IF NEW.employee_id IS NOT NULL THEN
    PERFORM mark_person('employee_id', NEW.employee_id, NEW.id);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER mark_user AFTER INSERT OR UPDATE OF email, employee_id ON users FOR EACH ROW EXECUTE FUNCTION mark_user();

-- +goose StatementBegin
CREATE FUNCTION mark_own_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mark_person('own_account', NEW.account, NEW.person);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER mark_own_account AFTER INSERT ON own_accounts FOR EACH ROW EXECUTE FUNCTION mark_own_account();

-- +goose StatementBegin
CREATE FUNCTION mark_authenticator() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mark_person('authenticator', encode(NEW.credential_id, 'hex'), NEW.user_id);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER mark_authenticator AFTER INSERT ON passkeys FOR EACH ROW EXECUTE FUNCTION mark_authenticator();

SELECT mark_person('email', mailbox(email), id) FROM users;
SELECT mark_person('own_account', account, person) FROM own_accounts;
SELECT mark_person('authenticator', encode(credential_id, 'hex'), user_id) FROM passkeys;

-- +goose StatementBegin
CREATE FUNCTION same_person(one uuid, other uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT one = other OR EXISTS (SELECT FROM users a JOIN users b ON b.person = a.person WHERE a.id = one AND b.id = other)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION accounts_of(account uuid) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
  SELECT account UNION SELECT b.id FROM users a JOIN users b ON b.person = a.person WHERE a.id = account
$$;
-- +goose StatementEnd

-- As before, and for all accounts of the person: interests, conflicts and votes.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refuse_barred_voter() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  mine uuid[] := ARRAY(SELECT accounts_of(NEW.person));
BEGIN
  IF EXISTS (SELECT FROM case_interests i WHERE i.case_id = NEW.case_id AND i.person = ANY (mine)) THEN
    RAISE EXCEPTION 'the person has an interest in the case' USING ERRCODE = 'CS002';
  END IF;
  IF EXISTS (SELECT FROM cases c JOIN parties p ON p.id = c.party_id OR p.id = ANY (c.other_party_ids)
             JOIN parties g ON g.group_id = p.group_id
             JOIN conflicts k ON k.party_id = g.id AND k.ended_at IS NULL
             WHERE c.id = NEW.case_id AND k.person = ANY (mine)) THEN
    RAISE EXCEPTION 'the person has a conflict with the party' USING ERRCODE = 'CS001';
  END IF;
  IF EXISTS (SELECT FROM votes v WHERE v.case_id = NEW.case_id AND v.duty = NEW.duty AND v.person <> NEW.person
             AND v.person = ANY (mine)) THEN
    RAISE EXCEPTION 'the person has voted with another account' USING ERRCODE = 'CS014';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refuse_barred_checker() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  mine uuid[] := ARRAY(SELECT accounts_of(NEW.person));
BEGIN
  IF NOT EXISTS (SELECT FROM quality_samples s WHERE s.id = NEW.sample_id AND s.assignee = NEW.person
      AND s.assigned_until > clock() AND s.status = CASE WHEN NEW.settles THEN 'disputed' ELSE 'open' END) THEN
    RAISE EXCEPTION 'the checker was not assigned the sample' USING ERRCODE = 'CS004';
  END IF;
  IF EXISTS (SELECT FROM quality_samples s JOIN case_interests i ON i.case_id = s.case_id
             WHERE s.id = NEW.sample_id AND i.person = ANY (mine))
     OR EXISTS (SELECT FROM quality_samples s JOIN decisions d ON d.case_id = s.case_id
             WHERE s.id = NEW.sample_id AND mine && ARRAY[d.actor, d.on_behalf_of, s.submitter]) THEN
    RAISE EXCEPTION 'the checker has an interest in the case or decided it' USING ERRCODE = 'CS002';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd

-- As before, with any account of the person.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION acted_on(wanted uuid, person uuid) RETURNS boolean LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  WITH mine AS (SELECT ARRAY(SELECT accounts_of(acted_on.person)) AS ids)
  SELECT EXISTS (SELECT FROM cases c WHERE c.id = wanted AND c.submitter = ANY (ids))
    OR EXISTS (SELECT FROM events e WHERE e.case_id = wanted AND ids && ARRAY[e.actor, e.on_behalf_of])
    OR EXISTS (SELECT FROM decisions d WHERE d.case_id = wanted AND ids && ARRAY[d.actor, d.on_behalf_of])
    OR EXISTS (SELECT FROM assertions a WHERE a.case_id = wanted AND a.asserted_by = ANY (ids))
    OR EXISTS (SELECT FROM case_interests i WHERE i.case_id = wanted AND i.person = ANY (ids)) FROM mine
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION refuse_own_confirmation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF same_person(NEW.proposed_by, NEW.decided_by) THEN
    RAISE EXCEPTION 'the proposer has confirmed with another account' USING ERRCODE = 'CS011';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER confirmed_by_another BEFORE UPDATE OF status, decided_by ON proposals
  FOR EACH ROW WHEN (NEW.status = 'published' AND NEW.decided_by <> NEW.proposed_by)
  EXECUTE FUNCTION refuse_own_confirmation();

-- An identity at a provider, and the account that it signs in to. It is fixed at the first sign-in.
CREATE TABLE external_identities (
  issuer       text NOT NULL,
  subject      text NOT NULL,
  user_id      uuid NOT NULL REFERENCES users,
  provider     text NOT NULL,
  wanted_roles text[] NOT NULL DEFAULT '{}', -- roles that groups grant and the account lacks
  linked_at    timestamptz NOT NULL DEFAULT clock(),
  used_at      timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (issuer, subject),
  UNIQUE (user_id, issuer)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON external_identities TO countersign_app;

ALTER TABLE sessions
  ADD COLUMN issuer   text NOT NULL DEFAULT '', -- of the provider through which it began
  ADD COLUMN subject  text NOT NULL DEFAULT '',
  ADD COLUMN provider_session text NOT NULL DEFAULT ''; -- sid
CREATE INDEX sessions_external ON sessions (issuer, subject) WHERE ended_at IS NULL AND issuer <> '';

-- Sign-ins that a browser has begun at a provider, each for one use.
CREATE TABLE provider_requests (
  state_hash   bytea PRIMARY KEY CHECK (octet_length(state_hash) = 32),
  browser_hash bytea NOT NULL CHECK (octet_length(browser_hash) = 32), -- of the browser's cookie
  provider     text NOT NULL,
  nonce        text NOT NULL,
  verifier     text NOT NULL, -- PKCE
  return_to    text NOT NULL,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX provider_requests_expiry ON provider_requests (expires_at);

-- Logout tokens that have been used, until they expire.
CREATE TABLE logout_tokens (
  issuer     text NOT NULL,
  token_id   text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (issuer, token_id)
);
CREATE INDEX logout_tokens_expiry ON logout_tokens (expires_at);
GRANT SELECT, INSERT, DELETE ON provider_requests, logout_tokens TO countersign_app;

-- Roles that members of a provider's group have to have. A role that is a target and that no group of a person grants is taken
-- away; none is ever given.
CREATE TABLE group_roles (
  provider    text NOT NULL,
  group_name  text NOT NULL CHECK (group_name <> ''),
  role        text NOT NULL REFERENCES roles CHECK (role <> 'administrator'),
  proposal_id uuid NOT NULL REFERENCES proposals,
  at          timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (provider, group_name, role)
);
GRANT SELECT, INSERT, DELETE ON group_roles TO countersign_app;
-- +goose StatementBegin
CREATE FUNCTION refuse_unconfirmed_group() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM proposals p WHERE p.id = NEW.proposal_id AND p.kind = 'group_role' AND p.status = 'published'
      AND NOT same_person(p.proposed_by, p.decided_by)
      AND CASE WHEN p.kind = 'group_role' THEN p.document::jsonb ->> 'after' END
        = NEW.provider || '/' || NEW.role || '/' || NEW.group_name) THEN
    RAISE EXCEPTION 'a group needs a proposal confirmed by a second person' USING ERRCODE = 'CS011';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER confirmed_first BEFORE INSERT OR UPDATE ON group_roles FOR EACH ROW EXECUTE FUNCTION refuse_unconfirmed_group();

-- How the person proved that they may add the passkey: with the password, another passkey, or a sign-in through a provider.
ALTER TABLE passkeys ADD COLUMN proof text NOT NULL DEFAULT 'password' CHECK (proof IN ('password', 'passkey', 'provider'));

-- +goose Down
SELECT 1 / 0;
