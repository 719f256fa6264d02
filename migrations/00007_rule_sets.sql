-- Rule sets as data, with the same life as process definitions; and which countries carry a risk.
-- +goose Up
CREATE TABLE rule_sets (
  key          text NOT NULL,
  version      int NOT NULL CHECK (version > 0),
  document     text NOT NULL,
  proposal_id  uuid REFERENCES proposals,
  published_by uuid NOT NULL REFERENCES users,
  published_at timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (key, version)
);
CREATE TRIGGER published_is_immutable BEFORE UPDATE OR DELETE ON rule_sets FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER proposed_first BEFORE INSERT ON rule_sets FOR EACH ROW EXECUTE FUNCTION refuse_unproposed_version('rule_set');

-- "" in a finding: it was made before sets were data.
ALTER TABLE findings ADD COLUMN rule_set text NOT NULL DEFAULT '';

CREATE TABLE country_risk (
  country text PRIMARY KEY CHECK (country ~ '^[A-Z]{2}$'),
  level   text NOT NULL CHECK (level IN ('elevated', 'high'))
);
-- The FATF's "call for action" is high, its "increased monitoring" elevated; an operator keeps the list.
INSERT INTO country_risk (country, level) VALUES
  ('IR', 'high'), ('KP', 'high'), ('MM', 'high'),
  ('DZ', 'elevated'), ('AO', 'elevated'), ('BG', 'elevated'), ('BF', 'elevated'), ('CM', 'elevated'), ('CI', 'elevated'),
  ('CD', 'elevated'), ('HT', 'elevated'), ('KE', 'elevated'), ('LA', 'elevated'), ('LB', 'elevated'), ('MC', 'elevated'),
  ('MZ', 'elevated'), ('NA', 'elevated'), ('NP', 'elevated'), ('NG', 'elevated'), ('ZA', 'elevated'), ('SS', 'elevated'),
  ('SY', 'elevated'), ('VE', 'elevated'), ('VN', 'elevated'), ('YE', 'elevated');

GRANT SELECT, INSERT ON rule_sets TO countersign_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON country_risk TO countersign_app;

-- +goose Down
SELECT 1 / 0;
