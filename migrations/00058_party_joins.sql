-- Joining party groups: one person proposes it and another confirms it, as for leaving a group.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk',
  'rate', 'conflict_end', 'party_leave', 'party_join', 'sample_share', 'draw_mark', 'document_type'));

ALTER TABLE parties ADD COLUMN join_proposal_id uuid REFERENCES proposals;

-- +goose StatementBegin
-- Two groups become one by a proposal of two persons about a party of the group that moves and a party of the other one, or
-- because a row of an older program has the name of another row: its key then gets the present form in the same statement.
CREATE FUNCTION refuse_joined_group() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM before_rows o JOIN after_rows n ON n.id = o.id WHERE n.group_id <> o.group_id
      AND EXISTS (SELECT FROM parties p LEFT JOIN before_rows b ON b.id = p.id
                  WHERE p.group_id = n.group_id AND coalesce(b.group_id, p.group_id) <> o.group_id)
      AND NOT EXISTS (SELECT FROM before_rows m JOIN parties w ON w.group_id = n.group_id WHERE m.group_id = o.group_id
                      AND is_confirmed(n.join_proposal_id, 'party_join', m.id::text, m.group_version,
                                       jsonb_build_object('with', w.id)))
      AND NOT EXISTS (SELECT FROM before_rows b JOIN after_rows a ON a.id = b.id
                      WHERE b.group_id = o.group_id AND b.key_form = 0 AND a.key_form = 1)) THEN
    RAISE EXCEPTION 'joining a group needs a proposal confirmed by a second person' USING ERRCODE = 'CS011';
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER joined_by_two AFTER UPDATE ON parties REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_joined_group();

-- +goose StatementBegin
CREATE FUNCTION refuse_older_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a party with a key of an older form starts alone, and its key only gets the present form' USING ERRCODE = 'CS009';
END $$;
-- +goose StatementEnd
CREATE TRIGGER older_key_alone BEFORE INSERT ON parties
  FOR EACH ROW WHEN (NEW.key_form = 0 AND NEW.group_id <> NEW.id) EXECUTE FUNCTION refuse_older_key();
CREATE TRIGGER older_key_never_again BEFORE UPDATE OF key_form ON parties
  FOR EACH ROW WHEN (NEW.key_form < OLD.key_form) EXECUTE FUNCTION refuse_older_key();

-- +goose Down
SELECT 1 / 0;
