-- A ground of a payment order names the delegator of the person who stated or confirmed it, who counts as one person with the
-- delegate. NULL = in their own name, or confirmed before this migration.
-- +goose Up
ALTER TABLE order_grounds ADD COLUMN stated_on_behalf_of uuid, ADD COLUMN confirmed_on_behalf_of uuid;
UPDATE order_grounds g SET stated_on_behalf_of = e.on_behalf_of FROM events e
  WHERE g.confirmed_by IS NULL AND e.case_id = g.case_id AND e.type = 'order.ground_stated' AND e.at = g.stated_at
    AND e.actor = g.stated_by AND e.on_behalf_of <> '00000000-0000-0000-0000-000000000000';
ALTER TABLE order_grounds DROP CONSTRAINT order_grounds_four_eyes;
ALTER TABLE order_grounds ADD CONSTRAINT order_grounds_four_eyes CHECK (confirmed_by <> stated_by
  AND confirmed_by <> stated_on_behalf_of AND confirmed_on_behalf_of <> stated_by
  AND confirmed_on_behalf_of <> stated_on_behalf_of);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refuse_changed_ground() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR OLD.confirmed_by IS NOT NULL
      OR (NEW.case_id, NEW.number, NEW.kind, NEW.explanation, NEW.stated_by, NEW.stated_at)
         <> (OLD.case_id, OLD.number, OLD.kind, OLD.explanation, OLD.stated_by, OLD.stated_at)
      OR NEW.stated_on_behalf_of IS DISTINCT FROM OLD.stated_on_behalf_of
      OR NEW.covers <> OLD.covers AND OLD.covers <> '' THEN
    RAISE EXCEPTION 'a ground is only confirmed, once' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
GRANT UPDATE (confirmed_on_behalf_of) ON order_grounds TO countersign_app;

-- +goose Down
SELECT 1 / 0;
