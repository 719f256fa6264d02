-- Line items that a person corrected under a review. They are in force for their revision of the document, also after another
-- reading of it. The hash of a correction is asserted in its event.
-- +goose Up
ALTER TABLE line_items ADD COLUMN set_by uuid; -- NULL = a reading
ALTER TABLE line_items DROP CONSTRAINT line_items_items_check,
  ADD CONSTRAINT line_items_items_check CHECK (jsonb_array_length(items) <= 5000);
ALTER TABLE documents ADD COLUMN lines_corrected boolean NOT NULL DEFAULT false;

-- +goose Down
SELECT 1 / 0;
