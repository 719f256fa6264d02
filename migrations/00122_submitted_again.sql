-- The earlier of two equal documents has a finding too, and one account of two vendors (ADR 0130).
-- +goose Up

-- Cases that are to be evaluated again, because another case has claimed a pair with them. The statement that claims the pair
-- inserts the row; the evaluation of the case deletes it.
CREATE TABLE pair_evaluations (
  id      uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  case_id uuid NOT NULL, -- no foreign key: its check would lock the other case
  due     timestamptz NOT NULL DEFAULT clock()
);
CREATE INDEX pair_evaluations_case ON pair_evaluations (case_id);
CREATE INDEX pair_evaluations_due ON pair_evaluations (due);
GRANT SELECT, INSERT, UPDATE, DELETE ON pair_evaluations TO countersign_app;

-- The accounts of the risk basis of all cases whose vendor is known, so that the vendors of one account are read without
-- reading its cases.
CREATE TABLE account_cases (
  account  text NOT NULL,
  party_id uuid NOT NULL,
  case_id  uuid NOT NULL,
  PRIMARY KEY (account, party_id, case_id)
);
GRANT SELECT, INSERT, DELETE ON account_cases TO countersign_app;
INSERT INTO account_cases SELECT DISTINCT a, c.party_id, c.id FROM cases c, unnest(c.accounts) AS a
  WHERE c.party_id <> '00000000-0000-0000-0000-000000000000';

-- +goose StatementBegin
CREATE FUNCTION keep_account_cases() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM account_cases
      WHERE account = ANY (OLD.accounts) AND party_id = OLD.party_id AND case_id = NEW.id;
  END IF;
  IF NEW.party_id <> '00000000-0000-0000-0000-000000000000' THEN
    INSERT INTO account_cases SELECT a, NEW.party_id, NEW.id FROM unnest(NEW.accounts) AS a ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER new_account_cases AFTER INSERT ON cases FOR EACH ROW WHEN (NEW.accounts <> '{}')
  EXECUTE FUNCTION keep_account_cases();
CREATE TRIGGER changed_account_cases AFTER UPDATE ON cases FOR EACH ROW
  WHEN (NEW.accounts <> OLD.accounts OR NEW.party_id <> OLD.party_id AND NEW.accounts <> '{}')
  EXECUTE FUNCTION keep_account_cases();

-- +goose Down
SELECT 1 / 0;
