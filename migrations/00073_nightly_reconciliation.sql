-- The nightly reconciliation of each connector: the last one, and what the last one that was not hindered found.
-- +goose Up
CREATE TABLE connector_reconciliations (
  connector_id  uuid PRIMARY KEY REFERENCES connectors,
  began_at      timestamptz NOT NULL,
  ended_at      timestamptz, -- null while the first one is running
  outcome       text NOT NULL DEFAULT '' CHECK (outcome IN ('', 'equal', 'differs', 'failed', 'not_offered')),
  error         text NOT NULL DEFAULT '',
  from_at       timestamptz,
  to_at         timestamptz,
  compared      bigint NOT NULL DEFAULT 0,
  missing       text[] NOT NULL DEFAULT '{}',
  missing_count bigint NOT NULL DEFAULT 0,
  unknown       text[] NOT NULL DEFAULT '{}',
  unknown_count bigint NOT NULL DEFAULT 0
);
GRANT SELECT, INSERT, UPDATE ON connector_reconciliations TO countersign_app;

-- Notices about connectors.
ALTER TABLE notices ADD COLUMN connector_id uuid REFERENCES connectors;
CREATE INDEX notices_connector ON notices (connector_id) WHERE read_at IS NULL AND connector_id IS NOT NULL;

-- +goose Down
SELECT 1 / 0;
