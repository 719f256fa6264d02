-- Connectors: receivers of the feed. A row is a cursor; deliveries are rows only where an event did not go at its first attempt.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk',
  'rate', 'conflict_end', 'party_leave', 'party_join', 'sample_share', 'draw_mark', 'document_type', 'connector'));

CREATE TABLE connectors (
  id             uuid PRIMARY KEY,
  name           text NOT NULL UNIQUE CHECK (name ~ '^[a-z][a-z0-9_-]{0,59}$'),
  version        int NOT NULL CHECK (version > 0), -- number of confirmed changes
  definition     text NOT NULL, -- kind, address, names of secrets, filter and audience, as two persons confirmed them
  kind           text NOT NULL GENERATED ALWAYS AS (definition::jsonb ->> 'kind') STORED CHECK (kind IN ('webhook')),
  url            text NOT NULL GENERATED ALWAYS AS (definition::jsonb ->> 'url') STORED,
  proposal_id    uuid NOT NULL REFERENCES proposals,
  set_by         uuid NOT NULL REFERENCES users,
  changed_at     timestamptz NOT NULL DEFAULT clock(),
  status         text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'disabled')),
  status_reason  text NOT NULL DEFAULT '',
  -- Every event up to this position was delivered, or is a row of connector_deliveries.
  era            int NOT NULL,
  txid           xid8 NOT NULL,
  event          bigint NOT NULL,
  generation     int NOT NULL DEFAULT 1, -- rises when a person changes the definition or the cursor
  failures       int NOT NULL DEFAULT 0, -- rounds since the last success
  retry_at       timestamptz,
  failing_since  timestamptz,
  last_error     text NOT NULL DEFAULT '',
  last_error_at  timestamptz,
  last_delivered timestamptz,
  delivered      bigint NOT NULL DEFAULT 0
);

-- +goose StatementBegin
CREATE FUNCTION refuse_unconfirmed_connector() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  base int := 0;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.name, NEW.definition, NEW.version, NEW.proposal_id) = (OLD.name, OLD.definition, OLD.version, OLD.proposal_id) THEN
      RETURN NEW;
    END IF;
    base := OLD.version;
  END IF;
  IF NEW.version <> base + 1 OR (TG_OP = 'UPDATE' AND NEW.name <> OLD.name)
      OR NEW.definition::jsonb ->> 'name' IS DISTINCT FROM NEW.name
      OR NOT is_confirmed(NEW.proposal_id, 'connector', NEW.name, base, jsonb_build_object('after', NEW.definition)) THEN
    RAISE EXCEPTION 'a connector needs a proposal confirmed by a second person' USING ERRCODE = 'CS011';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER confirmed_first BEFORE INSERT OR UPDATE ON connectors
  FOR EACH ROW EXECUTE FUNCTION refuse_unconfirmed_connector();

CREATE TABLE connector_deliveries (
  id           uuid PRIMARY KEY,
  connector_id uuid NOT NULL REFERENCES connectors,
  era          int NOT NULL,
  txid         xid8 NOT NULL,
  event        bigint NOT NULL,
  stream       uuid NOT NULL,
  event_id     text NOT NULL, -- as the receiver sees it
  type         text NOT NULL,
  status       text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'dead', 'skipped')),
  attempts     int NOT NULL DEFAULT 0,
  parked_at    timestamptz NOT NULL DEFAULT clock(),
  next_at      timestamptz NOT NULL DEFAULT clock(),
  http_status  int NOT NULL DEFAULT 0,
  error        text NOT NULL DEFAULT '',
  answer       text NOT NULL DEFAULT '',
  reason       text NOT NULL DEFAULT '',
  ended_by     uuid REFERENCES users,
  CONSTRAINT skipped_with_reason CHECK (status <> 'skipped' OR (reason <> '' AND ended_by IS NOT NULL)),
  UNIQUE (connector_id, era, txid, event)
);
-- The first row of each stream holds back the others.
CREATE INDEX connector_deliveries_order ON connector_deliveries (connector_id, stream, era, txid, event) WHERE status <> 'skipped';

GRANT SELECT, INSERT, UPDATE ON connectors TO countersign_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON connector_deliveries TO countersign_app;

-- +goose Down
SELECT 1 / 0;
