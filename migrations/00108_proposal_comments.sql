-- Comments on proposed texts. They are only added and resolved.
-- +goose Up
CREATE TABLE proposal_comments (
  id          uuid PRIMARY KEY,
  proposal_id uuid NOT NULL REFERENCES proposals,
  author      uuid NOT NULL REFERENCES users,
  part        text NOT NULL, -- node of the process or rule of the rule set; '' = the whole text
  text        text NOT NULL CHECK (text <> '' AND char_length(text) <= 4000),
  at          timestamptz NOT NULL DEFAULT clock(),
  resolved_by uuid REFERENCES users,
  resolved_at timestamptz,
  CHECK ((resolved_by IS NULL) = (resolved_at IS NULL))
);
CREATE INDEX proposal_comments_proposal ON proposal_comments (proposal_id, id);
CREATE INDEX proposal_comments_author ON proposal_comments (author, at);

-- +goose StatementBegin
-- A comment belongs to a text that is still open.
CREATE FUNCTION refuse_late_comment() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM proposals p WHERE p.id = NEW.proposal_id AND p.status = 'proposed'
      AND p.kind IN ('process', 'rule_set', 'policy', 'document_type')) OR NEW.resolved_at IS NOT NULL THEN
    RAISE EXCEPTION 'a comment belongs to an open proposal' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER comments_are_on_open_proposals BEFORE INSERT ON proposal_comments
  FOR EACH ROW EXECUTE FUNCTION refuse_late_comment();

-- +goose StatementBegin
-- A comment is only resolved, once.
CREATE FUNCTION refuse_changed_comment() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.resolved_at IS NULL AND NEW.resolved_at IS NOT NULL
      AND to_jsonb(NEW) - 'resolved_by' - 'resolved_at' = to_jsonb(OLD) - 'resolved_by' - 'resolved_at' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'a comment is only resolved' USING ERRCODE = 'CS009';
END $$;
-- +goose StatementEnd
CREATE TRIGGER comments_stay BEFORE UPDATE OR DELETE ON proposal_comments
  FOR EACH ROW EXECUTE FUNCTION refuse_changed_comment();

-- The proposal that a notice is about.
ALTER TABLE notices ADD COLUMN proposal_id uuid;

GRANT SELECT, INSERT ON proposal_comments TO countersign_app;
GRANT UPDATE (resolved_by, resolved_at) ON proposal_comments TO countersign_app;

-- +goose Down
SELECT 1 / 0;
