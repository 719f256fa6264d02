-- Country risks, exchange rates, conflicts of interest and party groups: a change that eases a control is proposed by one
-- person and confirmed by another. A change that only restricts takes effect immediately.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check
  CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk', 'rate', 'conflict_end', 'party_leave'));

-- One row, which only the owner of the schema changes.
CREATE TABLE control_settings (
  id           int PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  -- A rate that differs by more than this from the present or the last confirmed rate needs a second person.
  rate_percent numeric NOT NULL DEFAULT 5 CHECK (rate_percent >= 0)
);
INSERT INTO control_settings DEFAULT VALUES;
GRANT SELECT ON control_settings TO countersign_app;

-- +goose StatementBegin
-- Whether the proposal is one of this kind, key and base version, with these values, that two persons carried.
CREATE FUNCTION is_confirmed(wanted uuid, wanted_kind text, wanted_key text, base int, content jsonb)
  RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT EXISTS (SELECT FROM proposals p WHERE p.id = wanted AND p.kind = wanted_kind AND p.key = wanted_key
    AND p.base_version = base AND p.status = 'published' AND p.proposed_by <> p.decided_by
    AND '00000000-0000-7000-8000-000000000010' NOT IN (p.proposed_by, p.decided_by)
    AND CASE WHEN p.kind = wanted_kind THEN p.document::jsonb @> content ELSE false END)
$$;
-- +goose StatementEnd

-- A country that loses its risk keeps its row, so that its version never starts again.
ALTER TABLE country_risk DROP CONSTRAINT country_risk_level_check;
ALTER TABLE country_risk ADD CONSTRAINT country_risk_level_check CHECK (level IN ('', 'elevated', 'high'));
ALTER TABLE country_risk
  ADD COLUMN version int NOT NULL DEFAULT 1,
  ADD COLUMN reason text NOT NULL DEFAULT '',
  ADD COLUMN changed_by uuid NOT NULL DEFAULT '00000000-0000-7000-8000-000000000010' REFERENCES users,
  ADD COLUMN changed_at timestamptz NOT NULL DEFAULT clock(),
  ADD COLUMN proposal_id uuid REFERENCES proposals;

-- +goose StatementBegin
CREATE FUNCTION risk_rank(level text) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE level WHEN 'high' THEN 2 WHEN 'elevated' THEN 1 ELSE 0 END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION refuse_eased_country() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR NEW.country <> OLD.country OR (risk_rank(NEW.level) < risk_rank(OLD.level)
      AND NOT is_confirmed(NEW.proposal_id, 'country_risk', NEW.country, OLD.version,
                           jsonb_build_object('after', NEW.level))) THEN
    RAISE EXCEPTION 'a lower country risk needs a proposal confirmed by a second person' USING ERRCODE = 'CS011';
  END IF;
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER confirmed_first BEFORE UPDATE OR DELETE ON country_risk
  FOR EACH ROW EXECUTE FUNCTION refuse_eased_country();

ALTER TABLE rates
  ADD COLUMN version int NOT NULL DEFAULT 1,
  -- The last rate of the currency that two persons carried, or its first one. Changes by one person add up from it.
  ADD COLUMN confirmed_micros bigint,
  ADD COLUMN reason text NOT NULL DEFAULT '',
  ADD COLUMN set_by uuid NOT NULL DEFAULT '00000000-0000-7000-8000-000000000010' REFERENCES users,
  ADD COLUMN proposal_id uuid REFERENCES proposals;
UPDATE rates r SET confirmed_micros = r.micros, version = n.version
  FROM (SELECT id, row_number() OVER (PARTITION BY currency ORDER BY valid_from) AS version FROM rates) n WHERE n.id = r.id;
ALTER TABLE rates ALTER COLUMN confirmed_micros SET NOT NULL;

-- +goose StatementBegin
-- Whether one person may not set this rate alone. The trigger and the program both ask this function.
CREATE FUNCTION rate_needs_confirmation(wanted_currency text, wanted bigint) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT coalesce((SELECT abs(wanted::numeric - r.micros) * 100 > s.rate_percent * r.micros
      OR abs(wanted::numeric - r.confirmed_micros) * 100 > s.rate_percent * r.confirmed_micros
    FROM rates r CROSS JOIN control_settings s WHERE r.currency = wanted_currency ORDER BY r.valid_from DESC LIMIT 1), true)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- A rate begins after the one before it and not in the future. The system may set the first rate of a currency until a person
-- has set any rate: that is the first installation.
CREATE FUNCTION refuse_unconfirmed_rate() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before rates;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('rates'), hashtext(NEW.currency));
  SELECT * INTO before FROM rates WHERE currency = NEW.currency ORDER BY valid_from DESC LIMIT 1;
  IF NEW.valid_from > clock() OR NEW.valid_from <= before.valid_from THEN
    RAISE EXCEPTION 'a rate begins now, after the one before it' USING ERRCODE = 'CS009';
  END IF;
  NEW.version := coalesce(before.version, 0) + 1;
  NEW.confirmed_micros := NEW.micros;
  IF NEW.proposal_id IS NOT NULL THEN
    IF is_confirmed(NEW.proposal_id, 'rate', NEW.currency, NEW.version - 1,
                    jsonb_build_object('after', NEW.micros::text)) THEN
      RETURN NEW;
    END IF;
  ELSIF before.id IS NOT NULL AND NOT rate_needs_confirmation(NEW.currency, NEW.micros) THEN
    NEW.confirmed_micros := before.confirmed_micros;
    RETURN NEW;
  ELSIF before.id IS NULL AND NEW.set_by = '00000000-0000-7000-8000-000000000010'
      AND NOT EXISTS (SELECT FROM rates WHERE set_by <> '00000000-0000-7000-8000-000000000010') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'this rate needs a proposal confirmed by a second person' USING ERRCODE = 'CS011';
END $$;
-- +goose StatementEnd
CREATE TRIGGER confirmed_first BEFORE INSERT ON rates FOR EACH ROW EXECUTE FUNCTION refuse_unconfirmed_rate();
CREATE TRIGGER rate_stays BEFORE UPDATE ON rates FOR EACH ROW EXECUTE FUNCTION refuse_change();
REVOKE DELETE ON rates FROM countersign_app;

ALTER TABLE conflicts ADD COLUMN end_proposal_id uuid REFERENCES proposals;
-- +goose StatementBegin
-- A conflict ends by two persons, neither of whom is its subject. It moves only within its group.
CREATE FUNCTION refuse_eased_conflict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.ended_at IS NOT NULL OR NEW.person <> OLD.person OR NEW.id <> OLD.id THEN
    RAISE EXCEPTION 'a conflict is only ended, once' USING ERRCODE = 'CS009';
  END IF;
  IF (NEW.party_id <> OLD.party_id
        AND (SELECT group_id FROM parties WHERE id = NEW.party_id) <> (SELECT group_id FROM parties WHERE id = OLD.party_id))
     OR (NEW.ended_at IS NOT NULL
        AND NOT (is_confirmed(NEW.end_proposal_id, 'conflict_end', NEW.id::text, 0, '{}')
          AND EXISTS (SELECT FROM proposals p WHERE p.id = NEW.end_proposal_id AND p.decided_by = NEW.ended_by
                      AND NEW.person NOT IN (p.proposed_by, p.decided_by)))) THEN
    RAISE EXCEPTION 'a conflict ends by two persons who are not its subject' USING ERRCODE = 'CS011';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER confirmed_first BEFORE UPDATE ON conflicts FOR EACH ROW EXECUTE FUNCTION refuse_eased_conflict();
REVOKE DELETE ON conflicts FROM countersign_app;

ALTER TABLE parties
  ADD COLUMN group_version int NOT NULL DEFAULT 0,
  ADD COLUMN leave_proposal_id uuid REFERENCES proposals;
-- +goose StatementBegin
CREATE FUNCTION raise_group_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.group_version := OLD.group_version + 1;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER group_changes BEFORE UPDATE OF group_id ON parties
  FOR EACH ROW WHEN (NEW.group_id IS DISTINCT FROM OLD.group_id) EXECUTE FUNCTION raise_group_version();

-- +goose StatementBegin
-- A group only grows: a party that is separated from another one of its group needs a proposal of two persons.
CREATE FUNCTION refuse_split_group() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM before_rows o JOIN after_rows n ON n.id = o.id WHERE n.group_id <> o.group_id
      AND (EXISTS (SELECT FROM parties p WHERE p.group_id = o.group_id)
        OR EXISTS (SELECT FROM before_rows o2 JOIN after_rows n2 ON n2.id = o2.id
                   WHERE o2.group_id = o.group_id AND n2.group_id <> n.group_id))
      AND NOT is_confirmed(n.leave_proposal_id, 'party_leave', n.id::text, o.group_version, '{}')) THEN
    RAISE EXCEPTION 'leaving a group needs a proposal confirmed by a second person' USING ERRCODE = 'CS011';
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER confirmed_first AFTER UPDATE ON parties REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_split_group();

-- +goose Down
SELECT 1 / 0;
