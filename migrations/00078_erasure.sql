-- Erasure of the personal data of ended cases by two persons, how long cases are retained, and legal holds.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk',
  'rate', 'conflict_end', 'party_leave', 'party_join', 'sample_share', 'draw_mark', 'document_type', 'connector', 'person', 'limit',
  'sign_in', 'queue', 'calendar', 'erasure', 'legal_hold', 'retention', 'absence', 'delegation', 'skills', 'break_glass', 'proxies',
  'group_role'));

ALTER TABLE cases
  ADD COLUMN erased_at timestamptz,
  ADD COLUMN erasure_id uuid REFERENCES proposals; -- by which the case was erased

-- What is left of an erased decision proves the rest: its hash covers reason, evidence and statement through a salted hash.
ALTER TABLE decisions
  ADD COLUMN salt bytea CHECK (octet_length(salt) = 16), -- null in decisions of earlier programs; erased with the content
  ADD COLUMN erased jsonb; -- hashes of what was erased
-- +goose StatementBegin
DO $$ DECLARE name text; BEGIN
  SELECT conname INTO name FROM pg_constraint WHERE conrelid = 'decisions'::regclass AND contype = 'c'
    AND pg_get_constraintdef(oid) LIKE '%reason <>%';
  EXECUTE format('ALTER TABLE decisions DROP CONSTRAINT %I', name);
END $$;
-- +goose StatementEnd
ALTER TABLE decisions ADD CONSTRAINT decision_has_reason
  CHECK (verdict IN ('approve', 'repaired') OR reason <> '' OR erased IS NOT NULL);

-- How long ended cases of a document type are kept before they may be erased; '' = of every other type.
CREATE TABLE retention_periods (
  document_type text NOT NULL,
  version       int NOT NULL CHECK (version > 0),
  days          int NOT NULL CHECK (days BETWEEN 1 AND 36500),
  valid_from    timestamptz NOT NULL DEFAULT clock(),
  reason        text NOT NULL,
  set_by        uuid NOT NULL REFERENCES users,
  proposal_id   uuid REFERENCES proposals, -- of a shorter period
  PRIMARY KEY (document_type, version)
);
INSERT INTO retention_periods VALUES ('', 1, 3650, '-infinity', 'default', '00000000-0000-7000-8000-000000000010');
CREATE TRIGGER periods_stay BEFORE UPDATE OR DELETE ON retention_periods FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- +goose StatementBegin
-- The period in force, in days.
CREATE FUNCTION retention_days(wanted text) RETURNS int LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT days FROM retention_periods WHERE document_type IN (wanted, '') AND valid_from <= clock()
  ORDER BY document_type = wanted DESC, version DESC LIMIT 1
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- A shorter period needs two persons and takes effect after 30 days, so that a hold can be placed before.
CREATE FUNCTION refuse_shorter_period() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  longest int;
BEGIN
  SELECT max(d) INTO longest FROM (SELECT retention_days(NEW.document_type) AS d UNION ALL SELECT days FROM retention_periods
    WHERE document_type = NEW.document_type AND valid_from > clock()) x;
  NEW.valid_from := clock();
  IF NEW.days < longest THEN
    IF NOT is_confirmed(NEW.proposal_id, 'retention', CASE NEW.document_type WHEN '' THEN '*' ELSE NEW.document_type END,
        NEW.version - 1, jsonb_build_object('after', NEW.days::text)) THEN
      RAISE EXCEPTION 'a shorter retention period needs a proposal confirmed by a second person' USING ERRCODE = 'CS011';
    END IF;
    NEW.valid_from := clock() + interval '30 days';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER confirmed_first BEFORE INSERT ON retention_periods FOR EACH ROW EXECUTE FUNCTION refuse_shorter_period();
GRANT SELECT, INSERT ON retention_periods TO countersign_app;

-- Legal holds: while a case has one, it is not erased. One person places it, two lift it.
CREATE TABLE legal_holds (
  id        uuid PRIMARY KEY,
  case_id   uuid NOT NULL REFERENCES cases,
  reason    text NOT NULL CHECK (reason <> ''),
  placed_by uuid NOT NULL REFERENCES users,
  placed_at timestamptz NOT NULL DEFAULT clock(),
  lifted_at timestamptz,
  lift_id   uuid REFERENCES proposals,
  CONSTRAINT lifted_by_proposal CHECK ((lifted_at IS NULL) = (lift_id IS NULL))
);
CREATE INDEX legal_holds_case ON legal_holds (case_id) WHERE lifted_at IS NULL;

-- +goose StatementBegin
CREATE FUNCTION refuse_changed_hold() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'DELETE' OR OLD.lifted_at IS NOT NULL OR (NEW.id, NEW.case_id, NEW.reason, NEW.placed_by, NEW.placed_at)
      <> (OLD.id, OLD.case_id, OLD.reason, OLD.placed_by, OLD.placed_at)
      OR NOT is_confirmed(NEW.lift_id, 'legal_hold', NEW.id::text, 1, '{}') THEN
    RAISE EXCEPTION 'a legal hold is only lifted, by a proposal confirmed by a second person' USING ERRCODE = 'CS011';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER holds_stay BEFORE UPDATE OR DELETE ON legal_holds FOR EACH ROW EXECUTE FUNCTION refuse_changed_hold();
GRANT SELECT, INSERT ON legal_holds TO countersign_app;
GRANT UPDATE (lifted_at, lift_id) ON legal_holds TO countersign_app;

-- +goose StatementBegin
-- The cases that are erased together: the case to which a file was submitted, its parts, and the corrections of them.
CREATE FUNCTION erased_together(root uuid) RETURNS SETOF uuid LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  WITH RECURSIVE family (id) AS (SELECT root UNION SELECT n.id FROM family f CROSS JOIN LATERAL (
    SELECT c.id FROM cases c WHERE c.parent_id = f.id UNION ALL SELECT k.case_id FROM case_corrections k WHERE k.corrects = f.id) n)
  SELECT id FROM family
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- Whether a person acted on a case: in an event, a decision, a statement, or as its submitter.
CREATE FUNCTION acted_on(wanted uuid, person uuid) RETURNS boolean LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT EXISTS (SELECT FROM cases c WHERE c.id = wanted AND c.submitter = person)
    OR EXISTS (SELECT FROM events e WHERE e.case_id = wanted AND person IN (e.actor, e.on_behalf_of))
    OR EXISTS (SELECT FROM decisions d WHERE d.case_id = wanted AND person IN (d.actor, d.on_behalf_of))
    OR EXISTS (SELECT FROM assertions a WHERE a.case_id = wanted AND a.asserted_by = person)
    OR EXISTS (SELECT FROM case_interests i WHERE i.case_id = wanted AND i.person = acted_on.person)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- When a case ended for the last time; null if it has not ended.
CREATE FUNCTION ended_at(wanted uuid) RETURNS timestamptz LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT max(e.at) FROM events e JOIN cases c ON c.id = e.case_id AND c.status IN ('archived', 'rejected', 'abandoned')
  WHERE e.case_id = wanted AND e.status_after IN ('archived', 'rejected', 'abandoned') AND e.status_after <> e.status_before
$$;
-- +goose StatementEnd

-- Records that are never changed, except that an erasure removes their personal data.
-- +goose StatementBegin
CREATE FUNCTION is_erasing() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(current_setting('countersign.erasing', true), '') = 'on'
    AND current_user::regrole = (SELECT relowner FROM pg_class WHERE oid = 'cases'::regclass)::regrole
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION refuse_change_unless_erasing() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND is_erasing() THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'CS009';
END $$;
-- +goose StatementEnd
DROP TRIGGER orders_stay ON orders;
CREATE TRIGGER orders_stay BEFORE UPDATE OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION refuse_change_unless_erasing();
DROP TRIGGER checks_stay ON quality_checks;
CREATE TRIGGER checks_stay BEFORE UPDATE OR DELETE ON quality_checks FOR EACH ROW EXECUTE FUNCTION refuse_change_unless_erasing();
DROP TRIGGER grounds_stay ON order_grounds;
CREATE TRIGGER grounds_stay BEFORE UPDATE ON order_grounds FOR EACH ROW WHEN (NOT is_erasing())
  EXECUTE FUNCTION refuse_changed_ground();
CREATE TRIGGER grounds_are_kept BEFORE DELETE ON order_grounds FOR EACH ROW EXECUTE FUNCTION refuse_changed_ground();
DROP TRIGGER keep_cleared_pair ON duplicate_pairs;
CREATE TRIGGER keep_cleared_pair BEFORE UPDATE ON duplicate_pairs FOR EACH ROW
  WHEN (OLD.cleared_at IS NOT NULL AND NOT is_erasing()) EXECUTE FUNCTION keep_cleared_pair();
CREATE TRIGGER keep_cleared_pair_row BEFORE DELETE ON duplicate_pairs FOR EACH ROW
  WHEN (OLD.cleared_at IS NOT NULL) EXECUTE FUNCTION keep_cleared_pair();
DROP TRIGGER order_is_supported ON order_uses;
CREATE TRIGGER order_is_supported BEFORE INSERT ON order_uses
  FOR EACH ROW WHEN (NEW.passed_at IS NOT NULL) EXECUTE FUNCTION refuse_unsupported_order();
CREATE TRIGGER order_stays_supported BEFORE UPDATE ON order_uses
  FOR EACH ROW WHEN (NEW.passed_at IS NOT NULL AND NOT is_erasing()) EXECUTE FUNCTION refuse_unsupported_order();

-- +goose StatementBegin
-- Only an erasure marks a case as erased, and an erased case stays ended.
CREATE FUNCTION refuse_changed_erasure() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF OLD.erased_at IS NULL AND is_erasing() THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'an erased case stays erased and ended' USING ERRCODE = 'CS009';
END $$;
-- +goose StatementEnd
CREATE TRIGGER erasure_stays BEFORE UPDATE ON cases FOR EACH ROW
  WHEN ((NEW.erased_at, NEW.erasure_id) IS DISTINCT FROM (OLD.erased_at, OLD.erasure_id)
    OR (OLD.erased_at IS NOT NULL AND NEW.status <> OLD.status))
  EXECUTE FUNCTION refuse_changed_erasure();

-- +goose StatementBegin
-- Erases one case by a confirmed proposal. The event case.erased is its newest one and names the erased events. The hashes of the
-- decisions are computed by the program, because they are over canonical JSON.
CREATE FUNCTION erase_case(wanted uuid, by_proposal uuid, decision_ids uuid[], decision_hashes jsonb[], decision_signatures jsonb[],
  vote_persons uuid[], vote_duties text[], vote_hashes text[])
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  p proposals; c cases; last_event events; named bigint[]; bodies bigint[];
  gone CONSTANT text := '(erased)';
  nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  SELECT * INTO p FROM proposals WHERE id = by_proposal;
  SELECT * INTO c FROM cases WHERE id = wanted FOR UPDATE;
  IF p.id IS NULL OR NOT is_confirmed(p.id, 'erasure', p.key, p.base_version, '{}')
      OR wanted NOT IN (SELECT erased_together(p.key::uuid)) THEN
    RAISE EXCEPTION 'an erasure needs a proposal confirmed by a second person' USING ERRCODE = 'CS011';
  END IF;
  IF c.id IS NULL OR c.erased_at IS NOT NULL OR ended_at(wanted) IS NULL
      OR ended_at(wanted) + make_interval(days => retention_days(c.document_type)) > clock()
      OR EXISTS (SELECT FROM legal_holds h WHERE h.case_id = wanted AND h.lifted_at IS NULL) THEN
    RAISE EXCEPTION 'the case has not ended, is retained, is on hold or was erased' USING ERRCODE = 'CS009';
  END IF;
  SELECT * INTO last_event FROM events WHERE case_id = wanted AND seq = c.last_seq;
  IF last_event.type <> 'case.erased' OR last_event.actor <> p.decided_by THEN
    RAISE EXCEPTION 'the newest event does not record the erasure' USING ERRCODE = 'CS009';
  END IF;
  -- The event of the erasure itself is by the person who confirmed.
  IF acted_on(wanted, p.proposed_by) OR EXISTS (SELECT FROM events e WHERE e.case_id = wanted AND e.seq < c.last_seq
      AND p.decided_by IN (e.actor, e.on_behalf_of)) OR c.submitter = p.decided_by
      OR EXISTS (SELECT FROM case_interests i WHERE i.case_id = wanted AND i.person = p.decided_by) THEN
    RAISE EXCEPTION 'who acted on a case does not erase it' USING ERRCODE = 'CS002';
  END IF;
  SELECT array_agg(n::bigint ORDER BY n::bigint) INTO named FROM jsonb_array_elements_text(last_event.body::jsonb -> 'events') n;
  SELECT array_agg(seq ORDER BY seq) INTO bodies FROM events WHERE case_id = wanted AND seq < c.last_seq AND body <> '';
  IF named IS DISTINCT FROM bodies THEN
    RAISE EXCEPTION 'the event of the erasure does not name the erased events' USING ERRCODE = 'CS009';
  END IF;

  PERFORM set_config('countersign.erasing', 'on', true);
  UPDATE events SET body = '', salt = '' WHERE case_id = wanted AND seq < c.last_seq;
  UPDATE assertions SET body = '', salt = '' WHERE case_id = wanted;
  UPDATE decisions d SET reason = '', evidence = '{}', salt = NULL, erased = x.hashes, signature = nullif(x.signature, 'null')
    FROM unnest(decision_ids, decision_hashes, decision_signatures) AS x(id, hashes, signature)
    WHERE d.case_id = wanted AND d.id = x.id;
  UPDATE votes v SET covered = jsonb_build_object('erasedSha256', x.hash)
    FROM unnest(vote_persons, vote_duties, vote_hashes) AS x(person, duty, hash)
    WHERE v.case_id = wanted AND v.person = x.person AND v.duty = x.duty;
  DELETE FROM vendor_lessons WHERE case_id = wanted;
  DELETE FROM vendor_pending WHERE case_id = wanted;
  DELETE FROM pages WHERE case_id = wanted;
  DELETE FROM fields WHERE case_id = wanted;
  DELETE FROM findings WHERE case_id = wanted;
  DELETE FROM line_items WHERE case_id = wanted;
  UPDATE documents SET file_name = gone, blob_key = '', structured_key = '', features = NULL, not_printed = '{}', parts = '[]',
    line_sum_minor = 0, line_sum_currency = '' WHERE case_id = wanted;
  UPDATE overrides SET reason = gone WHERE case_id = wanted;
  UPDATE orders SET payer = gone, payer_key = gone || wanted::text, payee = gone, account = gone, bic = '', purpose = gone,
    reference = gone, reference_key = gone || wanted::text WHERE case_id = wanted;
  UPDATE order_grounds SET explanation = gone, covers = '' WHERE case_id = wanted;
  UPDATE order_uses SET evidence_keys = '{}' WHERE case_id = wanted;
  UPDATE duplicate_pairs SET reason = gone WHERE wanted IN (first_id, second_id) AND reason <> '';
  UPDATE quality_checks k SET compared = '[]', reason = CASE k.reason WHEN '' THEN '' ELSE gone END
    FROM quality_samples s WHERE s.id = k.sample_id AND s.case_id = wanted;
  UPDATE reviews SET party_id = nobody, other_party_ids = '{}', draft = NULL, pause_reason = '' WHERE case_id = wanted;
  UPDATE stage_runs SET error_text = '' WHERE case_id = wanted;
  UPDATE saga_steps SET error_text = '' WHERE case_id = wanted;
  UPDATE uploads SET name = gone WHERE case_id = wanted;
  UPDATE connector_deliveries SET answer = '', error = '' WHERE stream = wanted;
  UPDATE cases SET counterparty = '', party_id = nobody, other_party_ids = '{}', document_number = '', other_numbers = '{}',
    accounts = '{}', document_account = '', document_time = '', image_hash = 0, outcome_reason = '', differing_fields = '{}',
    erased_at = clock(), erasure_id = p.id WHERE id = wanted;
  -- Counterparties that nothing else names, and sums of accounts that no rule reads any more.
  DELETE FROM parties y WHERE y.group_id IN (SELECT group_id FROM parties WHERE id = ANY (array_append(c.other_party_ids, c.party_id)))
    AND NOT EXISTS (SELECT FROM parties g WHERE g.group_id = y.group_id AND (g.join_proposal_id IS NOT NULL
      OR EXISTS (SELECT FROM cases o WHERE o.party_id = g.id OR o.other_party_ids @> ARRAY[g.id])
      OR EXISTS (SELECT FROM conflicts k WHERE k.party_id = g.id)));
  DELETE FROM document_sums WHERE kind = 'account' AND subject = ANY (c.accounts) AND hour < clock() - interval '62 days';
  PERFORM set_config('countersign.erasing', '', true);
END $$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION erase_case FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_case TO countersign_app;

-- +goose Down
SELECT 1 / 0;
