-- Payment orders: what a payer wants to be paid, apart from the document that is its evidence. The application only adds rows;
-- a restatement is another revision. order_uses has what each order takes from its evidence, for the sum of all orders on it.
-- +goose Up
CREATE TABLE orders (
  case_id       uuid NOT NULL REFERENCES cases,
  revision      int NOT NULL CHECK (revision > 0),
  payer         text NOT NULL CHECK (payer <> ''),
  payer_key     text NOT NULL CHECK (payer_key <> ''), -- the name as parties are compared
  payee         text NOT NULL CHECK (payee <> ''),
  account       text NOT NULL CHECK (account <> ''),
  bic           text NOT NULL DEFAULT '',
  country       text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  amount_minor  bigint NOT NULL CHECK (amount_minor > 0),
  currency      text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  purpose       text NOT NULL CHECK (purpose <> ''),
  reference     text NOT NULL CHECK (reference <> ''),
  reference_key text NOT NULL CHECK (reference_key <> ''), -- upper case, without spaces
  stated_by     uuid NOT NULL,
  stated_at     timestamptz NOT NULL,
  PRIMARY KEY (case_id, revision)
);
-- A payer uses a reference once. Restatements keep payer and reference.
CREATE UNIQUE INDEX orders_reference ON orders (payer_key, reference_key) WHERE revision = 1;
CREATE TRIGGER orders_stay BEFORE UPDATE OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- +goose StatementBegin
CREATE FUNCTION refuse_other_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.revision > 1 AND NOT EXISTS (SELECT FROM orders o WHERE o.case_id = NEW.case_id AND o.revision = NEW.revision - 1
      AND o.payer_key = NEW.payer_key AND o.reference_key = NEW.reference_key) THEN
    RAISE EXCEPTION 'a restatement follows the revision before it and keeps payer and reference' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER order_keeps_identity BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION refuse_other_order();

-- Why an order differs from its evidence: stated by one person, confirmed by another.
CREATE TABLE order_grounds (
  case_id        uuid NOT NULL REFERENCES cases,
  number         int NOT NULL CHECK (number > 0),
  kind           text NOT NULL CHECK (kind IN
    ('part_payment', 'several_invoices', 'charges', 'other_currency', 'no_amount', 'other_payee')),
  explanation    text NOT NULL CHECK (explanation <> ''),
  covers         text NOT NULL, -- the difference that it explains; '' until a confirmation, if it was stated before the reading
  stated_by      uuid NOT NULL,
  stated_at      timestamptz NOT NULL,
  confirmed_by   uuid,
  confirmed_at   timestamptz,
  PRIMARY KEY (case_id, number),
  CONSTRAINT order_grounds_four_eyes CHECK (confirmed_by <> stated_by),
  CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL))
);

-- +goose StatementBegin
CREATE FUNCTION refuse_changed_ground() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR OLD.confirmed_by IS NOT NULL
      OR (NEW.case_id, NEW.number, NEW.kind, NEW.explanation, NEW.stated_by, NEW.stated_at)
         <> (OLD.case_id, OLD.number, OLD.kind, OLD.explanation, OLD.stated_by, OLD.stated_at)
      OR NEW.covers <> OLD.covers AND OLD.covers <> '' THEN
    RAISE EXCEPTION 'a ground is only confirmed, once' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER grounds_stay BEFORE UPDATE OR DELETE ON order_grounds FOR EACH ROW EXECUTE FUNCTION refuse_changed_ground();

CREATE TABLE order_uses (
  case_id           uuid PRIMARY KEY REFERENCES cases,
  evidence_keys     text[] NOT NULL,          -- hashes of the file, and payee with number of the document
  minor             bigint NOT NULL CHECK (minor > 0),  -- what the order takes from the evidence
  currency          text NOT NULL,
  base_minor        bigint NOT NULL CHECK (base_minor > 0),
  evidence_minor    bigint,                   -- the smallest amount of the evidence; null while unknown
  evidence_currency text NOT NULL DEFAULT '',
  evidence_base     bigint,
  covered           boolean NOT NULL,         -- equal to the evidence, or every difference has a confirmed ground
  passed_at         timestamptz               -- since then it may be paid or archived
);
CREATE INDEX order_uses_evidence ON order_uses USING gin (evidence_keys);

-- +goose StatementBegin
-- What other orders on the same evidence take from it, and whether this one still fits: in one currency exactly, otherwise in
-- the base currency, where each conversion may round up by one.
CREATE FUNCTION order_fits(u order_uses) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT CASE
    WHEN count(o.case_id) = 0 OR least(u.evidence_base, min(o.evidence_base)) IS NULL THEN true
    WHEN count(*) FILTER (WHERE o.currency <> u.currency OR o.evidence_currency NOT IN ('', u.currency)) = 0
        AND u.evidence_currency IN ('', u.currency)
      THEN u.minor + sum(o.minor) <= least(u.evidence_minor, min(o.evidence_minor))
    ELSE u.base_minor + sum(o.base_minor) <= least(u.evidence_base, min(o.evidence_base)) + count(o.case_id) + 1
  END
  FROM order_uses o JOIN cases c ON c.id = o.case_id
  WHERE o.evidence_keys && u.evidence_keys AND o.case_id <> u.case_id AND o.passed_at IS NOT NULL
    AND c.status NOT IN ('rejected', 'abandoned')
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- Orders on one piece of evidence pass one after the other: each sees those that passed before.
CREATE FUNCTION refuse_unsupported_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  key text;
BEGIN
  FOR key IN SELECT DISTINCT k FROM unnest(NEW.evidence_keys) k ORDER BY k LOOP
    PERFORM pg_advisory_xact_lock(hashtext('evidence'), hashtext(key));
  END LOOP;
  IF NOT NEW.covered THEN
    RAISE EXCEPTION 'the order differs from its evidence without a confirmed ground' USING ERRCODE = 'CS012';
  END IF;
  IF NOT order_fits(NEW) THEN
    RAISE EXCEPTION 'the orders on this evidence exceed its amount' USING ERRCODE = 'CS012';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER order_is_supported BEFORE INSERT OR UPDATE ON order_uses
  FOR EACH ROW WHEN (NEW.passed_at IS NOT NULL) EXECUTE FUNCTION refuse_unsupported_order();

-- 0 = the case has no order; otherwise its newest revision.
ALTER TABLE cases ADD COLUMN order_revision int NOT NULL DEFAULT 0;

-- +goose StatementBegin
-- No case with an order is archived as approved unless its order has passed.
CREATE FUNCTION require_passed_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM order_uses u WHERE u.case_id = NEW.id AND u.passed_at IS NOT NULL) THEN
    RAISE EXCEPTION 'the order of the case has not passed' USING ERRCODE = 'CS012';
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER order_has_passed AFTER UPDATE ON cases DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.order_revision > 0 AND NEW.outcome = 'archived' AND OLD.outcome <> 'archived')
  EXECUTE FUNCTION require_passed_order();

GRANT SELECT, INSERT ON orders TO countersign_app;
GRANT SELECT, INSERT ON order_grounds TO countersign_app;
GRANT UPDATE (covers, confirmed_by, confirmed_at) ON order_grounds TO countersign_app;
GRANT SELECT, INSERT, UPDATE ON order_uses TO countersign_app;

-- +goose Down
SELECT 1 / 0;
