-- Reports of rehearsals of proposed texts: sums without cases. They are only added.
-- +goose Up
CREATE TABLE rehearsal_reports (
  id           uuid PRIMARY KEY,
  proposal_id  uuid NOT NULL REFERENCES proposals,
  text_sha256  text NOT NULL, -- of the document of the proposal
  base_sha256  text NOT NULL, -- of the version that it would replace; '' if there was none
  report       text NOT NULL CHECK (octet_length(report) <= 1000000), -- as it was hashed, JSON
  sha256       text NOT NULL CHECK (sha256 = encode(sha256(convert_to(report, 'UTF8')), 'hex')),
  run_by       uuid NOT NULL REFERENCES users,
  at           timestamptz NOT NULL DEFAULT clock()
);
CREATE INDEX rehearsal_reports_proposal ON rehearsal_reports (proposal_id, id);
CREATE TRIGGER rehearsal_reports_stay BEFORE UPDATE OR DELETE ON rehearsal_reports
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- +goose StatementBegin
CREATE FUNCTION refuse_foreign_report() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM proposals p WHERE p.id = NEW.proposal_id AND p.status = 'proposed'
      AND p.kind IN ('process', 'rule_set', 'policy')
      AND NEW.text_sha256 = encode(sha256(convert_to(p.document, 'UTF8')), 'hex')
      AND (NEW.base_sha256 = '') = (p.base_version = 0)) THEN
    RAISE EXCEPTION 'a report is of the text of an open proposal' USING ERRCODE = 'CS009';
  END IF;
  NEW.at := clock();
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER reports_are_of_open_texts BEFORE INSERT ON rehearsal_reports
  FOR EACH ROW EXECUTE FUNCTION refuse_foreign_report();

GRANT SELECT, INSERT ON rehearsal_reports TO countersign_app;

-- +goose Down
SELECT 1 / 0;
