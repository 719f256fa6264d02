-- +goose Up
-- A delegation lets the taker act in the giver's name, from valid_from up to and not including valid_until.
CREATE TABLE delegations (
  id             uuid PRIMARY KEY,
  giver          uuid NOT NULL REFERENCES users,
  taker          uuid NOT NULL REFERENCES users,
  valid_from     timestamptz NOT NULL,
  valid_until    timestamptz NOT NULL,
  queues         text[] NOT NULL DEFAULT '{}', -- none = all of the giver's
  document_types text[] NOT NULL DEFAULT '{}', -- none = all
  base_minor     bigint CHECK (base_minor >= 0), -- NULL = the giver's limit
  reason         text NOT NULL DEFAULT '',
  created_by     uuid NOT NULL REFERENCES users,
  created_at     timestamptz NOT NULL DEFAULT clock(),
  ended_at       timestamptz,
  -- That it began and that it was over has been told to those who watch.
  begun          boolean NOT NULL DEFAULT false,
  over           boolean NOT NULL DEFAULT false,
  CONSTRAINT nobody_stands_in_for_themselves CHECK (giver <> taker),
  CONSTRAINT delegation_has_a_span CHECK (valid_from < valid_until)
);
CREATE INDEX ON delegations (taker) WHERE ended_at IS NULL;
CREATE INDEX ON delegations (giver) WHERE ended_at IS NULL;
CREATE INDEX ON delegations (valid_from) WHERE NOT begun AND ended_at IS NULL;
CREATE INDEX ON delegations (valid_until) WHERE NOT over AND ended_at IS NULL;

CREATE TABLE absences (
  id          uuid PRIMARY KEY,
  person      uuid NOT NULL REFERENCES users,
  substitute  uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000', -- nobody
  valid_from  timestamptz NOT NULL,
  valid_until timestamptz NOT NULL,
  reason      text NOT NULL DEFAULT '',
  created_by  uuid NOT NULL REFERENCES users,
  created_at  timestamptz NOT NULL DEFAULT clock(),
  ended_at    timestamptz,
  CONSTRAINT nobody_is_their_own_substitute CHECK (person <> substitute),
  CONSTRAINT absence_has_a_span CHECK (valid_from < valid_until)
);
CREATE INDEX ON absences (valid_until) WHERE ended_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON delegations, absences TO countersign_app;

ALTER TABLE policies ADD COLUMN proposal_id uuid REFERENCES proposals;

-- +goose StatementBegin
-- A version of the policy is the system's own, or the very rules of a proposal that the publisher has just published.
CREATE FUNCTION refuse_unproposed_policy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.created_by = '00000000-0000-7000-8000-000000000010' AND NEW.proposal_id IS NULL THEN
    RETURN NEW;
  END IF;
  IF NOT EXISTS (SELECT FROM proposals p WHERE p.id = NEW.proposal_id AND p.kind = 'policy' AND p.base_version = NEW.version - 1
                 AND p.document::jsonb -> 'rules' = NEW.rules AND p.status = 'published' AND p.decided_by = NEW.created_by) THEN
    RAISE EXCEPTION 'a policy needs a proposal published by a second person' USING ERRCODE = 'CS010';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER proposed_first BEFORE INSERT ON policies FOR EACH ROW EXECUTE FUNCTION refuse_unproposed_policy();

-- +goose StatementBegin
-- A decision needs its decider's own live claim; in another's name a live delegation; and, for an approval, limits that
-- cover the case's base amount.
CREATE OR REPLACE FUNCTION refuse_unlawful_decision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  person uuid;
BEGIN
  IF NOT EXISTS (SELECT FROM reviews r WHERE r.id = NEW.review_id AND r.case_id = NEW.case_id AND r.status = 'claimed'
                 AND r.assignee = NEW.actor AND r.claim_until > clock()) THEN
    RAISE EXCEPTION 'the decider holds no live claim' USING ERRCODE = 'CS004';
  END IF;
  IF NEW.on_behalf_of <> '00000000-0000-0000-0000-000000000000'
     AND NOT EXISTS (SELECT FROM delegations d WHERE d.giver = NEW.on_behalf_of AND d.taker = NEW.actor AND d.ended_at IS NULL
                     AND d.valid_from <= clock() AND clock() < d.valid_until) THEN
    RAISE EXCEPTION 'nobody lent the decider this name' USING ERRCODE = 'CS006';
  END IF;
  IF NEW.verdict = 'approve' THEN
    FOREACH person IN ARRAY ARRAY[NEW.actor, NEW.on_behalf_of] LOOP
      CONTINUE WHEN person = '00000000-0000-0000-0000-000000000000';
      IF NOT EXISTS (SELECT FROM cases c JOIN limits l ON l.action = 'decide' AND l.document_type IN ('', c.document_type)
                     JOIN user_roles u ON u.role = l.role AND u.user_id = person
                     LEFT JOIN process_definitions d ON d.key = c.process_key AND d.version = c.process_version
                     WHERE c.id = NEW.case_id AND (l.unlimited OR NOT coalesce(d.has_amount, true)
                       OR (c.amount_known AND c.base_minor <= l.base_minor))) THEN
        RAISE EXCEPTION 'the amount is above the decider''s limit' USING ERRCODE = 'CS003';
      END IF;
    END LOOP;
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT 1 / 0;
