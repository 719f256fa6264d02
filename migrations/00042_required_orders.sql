-- A process can require a payment order. Its definition says so; the column repeats it for the trigger.
-- +goose Up
ALTER TABLE process_definitions ADD COLUMN requires_order boolean NOT NULL DEFAULT false;

-- +goose StatementBegin
-- No case without an order is archived as approved if its process requires one. That an order has passed is checked by
-- require_passed_order. A correction case pays nothing, so it needs no order.
CREATE FUNCTION require_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM process_definitions d
      WHERE d.key = NEW.process_key AND d.version = NEW.process_version AND d.requires_order)
      AND NOT EXISTS (SELECT FROM case_corrections k WHERE k.case_id = NEW.id) THEN
    RAISE EXCEPTION 'the process requires a payment order' USING ERRCODE = 'CS013';
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER order_is_required AFTER UPDATE ON cases DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.order_revision = 0 AND NEW.outcome = 'archived' AND OLD.outcome <> 'archived')
  EXECUTE FUNCTION require_order();

-- +goose Down
SELECT 1 / 0;
