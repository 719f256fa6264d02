-- The second belt: what must hold even if a command forgets to ask. SQLSTATEs CSnnn are translated by package store.
-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION month_bound(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- ensure_partitions makes the monthly partitions from this month up to the given time, and the ones that always stand.
CREATE FUNCTION ensure_partitions(until timestamptz) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
DECLARE
  parent text; month timestamptz; child text; made int := 0;
BEGIN
  FOREACH parent IN ARRAY ARRAY['documents', 'pages', 'fields', 'findings', 'stage_runs', 'events', 'decisions'] LOOP
    IF to_regclass(parent || '_streams') IS NULL THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (MINVALUE) TO (%L)',
        parent || '_streams', parent, '00000001-0000-0000-0000-000000000000');
      EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', parent || '_rest', parent);
    END IF;
    month := date_trunc('month', clock(), 'UTC');
    WHILE month < until LOOP
      child := parent || to_char(month AT TIME ZONE 'UTC', '_YYYY_MM');
      IF to_regclass(child) IS NULL THEN
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', child, parent,
          month_bound(month), month_bound(date_trunc('month', month + interval '32 days', 'UTC')));
        made := made + 1;
      END IF;
      month := date_trunc('month', month + interval '32 days', 'UTC');
    END LOOP;
  END LOOP;
  RETURN made;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
-- demand aborts the statement it stands in: a machine's step is written wholly or not at all.
CREATE FUNCTION demand(holds boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF NOT holds THEN
    RAISE EXCEPTION 'lease lost' USING ERRCODE = 'CS005';
  END IF;
  RETURN true;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION refuse_barred_voter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM case_interests i WHERE i.case_id = NEW.case_id AND i.person = NEW.person) THEN
    RAISE EXCEPTION 'the person has an interest in the case' USING ERRCODE = 'CS002';
  END IF;
  IF EXISTS (SELECT FROM cases c JOIN parties p ON p.id = c.party_id
             JOIN parties g ON g.group_id = p.group_id
             JOIN conflicts k ON k.party_id = g.id AND k.ended_at IS NULL
             WHERE c.id = NEW.case_id AND k.person = NEW.person) THEN
    RAISE EXCEPTION 'the person has a conflict with the party' USING ERRCODE = 'CS001';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER barred_voter BEFORE INSERT OR UPDATE ON votes
  FOR EACH ROW EXECUTE FUNCTION refuse_barred_voter();

-- +goose StatementBegin
-- A decision needs its decider's own live claim and, for an approval, a limit that covers the case's base amount.
CREATE FUNCTION refuse_unlawful_decision() RETURNS trigger LANGUAGE plpgsql AS $$
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
                     WHERE c.id = NEW.case_id AND (l.unlimited OR (c.amount_known AND c.base_minor <= l.base_minor))) THEN
        RAISE EXCEPTION 'the amount is above the decider''s limit' USING ERRCODE = 'CS003';
      END IF;
    END LOOP;
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER lawful_decision BEFORE INSERT ON decisions
  FOR EACH ROW EXECUTE FUNCTION refuse_unlawful_decision();

-- The application may change only what lives; the records are append-only for it. Partitions get no grants of their own.
GRANT USAGE ON SCHEMA public TO countersign_app;
GRANT SELECT, INSERT, UPDATE ON users TO countersign_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON authority, roles, user_roles, user_queues, limits, parties, conflicts,
  sessions, sign_in_failures, api_tokens, rates, idempotency_keys, leaders, streams, cases, documents, pages, fields,
  findings, stage_runs, reviews, votes, case_interests TO countersign_app;
GRANT SELECT, INSERT ON policies, process_definitions, events, decisions, access_log TO countersign_app;
GRANT SELECT ON schema_compat, goose_db_version TO countersign_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO countersign_app;

-- +goose Down
SELECT 1 / 0;
