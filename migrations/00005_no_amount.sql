-- +goose Up
-- A process without an amount asks for no limit, but its approver must still have one: no row is no right.
ALTER TABLE process_definitions ADD COLUMN has_amount boolean NOT NULL DEFAULT true;

-- +goose StatementBegin
-- A decision needs its decider's own live claim and, for an approval, a limit that covers the case's base amount.
CREATE OR REPLACE FUNCTION refuse_unlawful_decision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  person uuid;
BEGIN
  IF NOT EXISTS (SELECT FROM reviews r WHERE r.id = NEW.review_id AND r.case_id = NEW.case_id AND r.status = 'claimed'
                 AND r.assignee = NEW.actor AND r.claim_until > clock()) THEN
    RAISE EXCEPTION 'the decider holds no live claim' USING ERRCODE = 'CS004';
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
