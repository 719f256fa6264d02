-- Owners of processes, and what they decided about proposals.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk',
  'rate', 'conflict_end', 'party_leave', 'party_join', 'sample_share', 'draw_mark', 'document_type', 'connector', 'person', 'limit',
  'sign_in', 'queue', 'calendar', 'delegation', 'absence', 'skills', 'proxies', 'erasure', 'legal_hold', 'retention', 'group_role',
  'case_migration', 'process_owners'));

-- The people who approve the next texts of a process, and how many of them must; the newest version is in force.
CREATE TABLE process_owners (
  process     text NOT NULL CHECK (process <> ''),
  version     int NOT NULL CHECK (version > 0),
  owners      uuid[] NOT NULL, -- sorted; empty if the process has none any more
  required    int NOT NULL CHECK (required >= 0 AND required <= cardinality(owners)),
  valid_from  timestamptz NOT NULL DEFAULT clock(),
  reason      text NOT NULL,
  set_by      uuid NOT NULL REFERENCES users,
  proposal_id uuid NOT NULL REFERENCES proposals,
  PRIMARY KEY (process, version),
  CHECK ((required = 0) = (cardinality(owners) = 0))
);
CREATE TRIGGER owners_stay BEFORE UPDATE OR DELETE ON process_owners FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What an owner decided about the text with the hash. The newest decision of an owner counts.
CREATE TABLE owner_decisions (
  id          uuid PRIMARY KEY,
  proposal_id uuid NOT NULL REFERENCES proposals,
  owner       uuid NOT NULL REFERENCES users,
  approved    boolean NOT NULL,
  reason      text NOT NULL CHECK (char_length(reason) <= 2000),
  sha256      text NOT NULL, -- of the document of the proposal
  at          timestamptz NOT NULL DEFAULT clock(),
  CHECK (approved OR reason <> '')
);
CREATE INDEX owner_decisions_proposal ON owner_decisions (proposal_id, owner, id);
CREATE TRIGGER owner_decisions_stay BEFORE UPDATE OR DELETE ON owner_decisions
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- +goose StatementBegin
CREATE FUNCTION refuse_foreign_owner_decision() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM proposals p WHERE p.id = NEW.proposal_id AND p.status = 'proposed'
      AND p.kind IN ('process', 'process_owners', 'case_migration')
      AND NEW.sha256 = encode(sha256(convert_to(p.document, 'UTF8')), 'hex')
      AND NOT same_person(p.proposed_by, NEW.owner)) THEN
    RAISE EXCEPTION 'an owner decides about an open proposal of another person' USING ERRCODE = 'CS011';
  END IF;
  NEW.at := clock();
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER owner_decides_on_open_text BEFORE INSERT ON owner_decisions
  FOR EACH ROW EXECUTE FUNCTION refuse_foreign_owner_decision();

-- +goose StatementBegin
-- owners_approved reports whether enough owners of the process approved the proposal, or it was published without them, with
-- a reason, and none of them had rejected it.
CREATE FUNCTION owners_approved(wanted uuid, wanted_process text) RETURNS boolean LANGUAGE plpgsql STABLE
  SET search_path FROM CURRENT AS $$
DECLARE
  present process_owners;
  approvals int;
  rejections int;
BEGIN
  SELECT * INTO present FROM process_owners o WHERE o.process = wanted_process ORDER BY o.version DESC LIMIT 1;
  IF NOT FOUND OR present.required = 0 THEN
    RETURN true;
  END IF;
  SELECT count(DISTINCT coalesce(u.person, u.id)) FILTER (WHERE d.approved AND NOT u.disabled),
      count(*) FILTER (WHERE NOT d.approved)
    INTO approvals, rejections
    FROM (SELECT DISTINCT ON (d.owner) d.owner, d.approved FROM owner_decisions d WHERE d.proposal_id = wanted
          AND d.owner = ANY (present.owners) ORDER BY d.owner, d.id DESC) d
    JOIN users u ON u.id = d.owner;
  RETURN approvals >= present.required
    OR rejections = 0 AND EXISTS (SELECT FROM proposals p WHERE p.id = wanted AND p.reason <> '');
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION refuse_unowned_text() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT owners_approved(NEW.proposal_id, NEW.key) THEN
    RAISE EXCEPTION 'the owners of the process have not approved the text' USING ERRCODE = 'CS011';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER owners_approve_text BEFORE INSERT ON process_definitions
  FOR EACH ROW EXECUTE FUNCTION refuse_unowned_text();

-- +goose StatementBegin
CREATE FUNCTION refuse_unowned_migration() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT owners_approved(NEW.proposal_id, NEW.process) THEN
    RAISE EXCEPTION 'the owners of the process have not approved the migration' USING ERRCODE = 'CS011';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER owners_approve_migration BEFORE INSERT ON case_migrations
  FOR EACH ROW EXECUTE FUNCTION refuse_unowned_migration();

-- +goose StatementBegin
-- Owners change by a proposal of two persons that the owners before them approved.
CREATE FUNCTION refuse_unconfirmed_owners() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT is_confirmed(NEW.proposal_id, 'process_owners', NEW.process, NEW.version - 1, '{}')
      OR NOT EXISTS (SELECT FROM proposals p WHERE p.id = NEW.proposal_id
        AND CASE WHEN p.kind = 'process_owners' THEN (p.document::jsonb ->> 'after')::jsonb - 'names' END
          = jsonb_build_object('owners', to_jsonb(NEW.owners), 'required', NEW.required))
      OR NOT owners_approved(NEW.proposal_id, NEW.process) THEN
    RAISE EXCEPTION 'owners need a proposal that the present owners approved and a second person confirmed'
      USING ERRCODE = 'CS011';
  END IF;
  NEW.valid_from := clock();
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER confirmed_owners BEFORE INSERT ON process_owners
  FOR EACH ROW EXECUTE FUNCTION refuse_unconfirmed_owners();

GRANT SELECT, INSERT ON process_owners, owner_decisions TO countersign_app;

-- +goose Down
SELECT 1 / 0;
