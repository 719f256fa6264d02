-- Document types as data, with the same life as rule sets, and the version that each case was submitted with.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk',
  'rate', 'conflict_end', 'party_leave', 'sample_share', 'draw_mark', 'document_type'));

CREATE TABLE document_types (
  key          text NOT NULL CHECK (key ~ '^[a-z][a-z0-9_]{0,39}$'),
  version      int NOT NULL CHECK (version > 0),
  document     text NOT NULL,
  proposal_id  uuid REFERENCES proposals,
  published_by uuid NOT NULL REFERENCES users,
  published_at timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (key, version)
);
CREATE TRIGGER published_is_immutable BEFORE UPDATE OR DELETE ON document_types FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER proposed_first BEFORE INSERT ON document_types FOR EACH ROW
  EXECUTE FUNCTION refuse_unproposed_version('document_type');

-- 0: the type had no definition when the case was submitted; its documents have the fields of the built-in extractor.
ALTER TABLE cases ADD COLUMN document_type_version int NOT NULL DEFAULT 0 CHECK (document_type_version >= 0);

-- A case keeps the fields with which it was submitted: with another version it could lose the one that limits read.
CREATE TRIGGER document_type_stays BEFORE UPDATE OF document_type_version ON cases FOR EACH ROW
  WHEN (NEW.document_type_version IS DISTINCT FROM OLD.document_type_version) EXECUTE FUNCTION refuse_change();

GRANT SELECT, INSERT ON document_types TO countersign_app;

-- +goose Down
SELECT 1 / 0;
