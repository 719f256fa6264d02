-- The earlier of two vendors with one account has the finding when the later document is read (ADR 0138).
-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION request_account_evaluations(of_accounts text[], of_party uuid, of_case uuid, itself boolean)
RETURNS SETOF uuid LANGUAGE sql SET search_path FROM CURRENT AS $$
  -- Open cases of other vendors with one of the accounts: of at most 20 vendors the newest 100 cases each, and of
  -- these the newest 50 without the finding. It reads an entry of the key for each vendor and each of these
  -- cases, however many cases have the account. With itself, the case too if there is a case of another vendor.
  INSERT INTO pair_evaluations (case_id) SELECT k.id FROM (
    (SELECT c.id FROM (SELECT DISTINCT o.case_id FROM unnest(of_accounts) n(account)
        CROSS JOIN LATERAL (WITH RECURSIVE v AS (
          (SELECT s.party_id FROM account_cases s WHERE s.account = n.account ORDER BY s.party_id LIMIT 1)
          UNION ALL (SELECT s.party_id FROM v CROSS JOIN LATERAL (SELECT s.party_id FROM account_cases s
            WHERE s.account = n.account AND s.party_id > v.party_id ORDER BY s.party_id LIMIT 1) s))
          SELECT party_id FROM v LIMIT 20) p
        CROSS JOIN LATERAL (SELECT s.case_id FROM account_cases s WHERE s.account = n.account
          AND s.party_id = p.party_id ORDER BY s.case_id DESC LIMIT 100) o
        WHERE p.party_id <> of_party AND o.case_id <> of_case) o
      CROSS JOIN LATERAL (SELECT y.id, y.status, y.outcome FROM cases y WHERE y.id = o.case_id OFFSET 0) c
      WHERE c.status NOT IN ('approved', 'settling', 'archived', 'rejected', 'abandoned') AND c.outcome <> 'archived'
        AND NOT EXISTS (SELECT FROM findings f WHERE f.case_id = c.id AND f.rule = 'account_shared')
        -- A request of the same transaction is carried out after its commit, when this case can be seen, too.
        AND NOT EXISTS (SELECT FROM pair_evaluations e WHERE e.case_id = c.id
          AND e.xmin = pg_current_xact_id()::xid)
      ORDER BY c.id DESC LIMIT 50)
    UNION ALL SELECT of_case WHERE itself
      AND (EXISTS (SELECT FROM account_cases s WHERE s.account = ANY (of_accounts) AND s.party_id < of_party)
        OR EXISTS (SELECT FROM account_cases s WHERE s.account = ANY (of_accounts) AND s.party_id > of_party))
      AND NOT EXISTS (SELECT FROM findings f WHERE f.case_id = of_case AND f.rule = 'account_shared')) k
  RETURNING case_id
$$;

CREATE OR REPLACE FUNCTION keep_account_cases() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM account_cases
      WHERE account = ANY (OLD.accounts) AND party_id = OLD.party_id AND case_id = NEW.id;
  END IF;
  IF NEW.party_id <> '00000000-0000-0000-0000-000000000000' THEN
    INSERT INTO account_cases SELECT a, NEW.party_id, NEW.id FROM unnest(NEW.accounts) AS a ON CONFLICT DO NOTHING;
    PERFORM request_account_evaluations(NEW.accounts, NEW.party_id, NEW.id, false);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT 1 / 0;
