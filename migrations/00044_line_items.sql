-- Line items: what one reading of a document found in its e-invoice or on its pages. The application only adds rows.
-- +goose Up
CREATE TABLE line_items (
  case_id           uuid NOT NULL REFERENCES cases,
  revision          bigint NOT NULL CHECK (revision > 0), -- facts revision of the case that the reading led to
  document_revision int NOT NULL CHECK (document_revision > 0),
  at                timestamptz NOT NULL,
  currency          text NOT NULL,
  xml_count         int NOT NULL CHECK (xml_count >= 0),
  page_count        int NOT NULL CHECK (page_count >= 0),
  sum_minor         bigint, -- of all items; NULL = an amount is unknown
  adjustment_minor  bigint NOT NULL, -- charges less allowances on the whole document
  sum_equals        text NOT NULL CHECK (sum_equals IN ('', 'net', 'total', 'subtotal', 'differs')),
  certain           boolean NOT NULL,
  items             jsonb NOT NULL CHECK (jsonb_array_length(items) <= 1000), -- '[]' after erasure
  PRIMARY KEY (case_id, revision)
);
GRANT SELECT, INSERT ON line_items TO countersign_app;

-- What rules compare with the net and the total; currency '' = the items were not read with certainty.
ALTER TABLE documents
  ADD COLUMN line_sum_minor bigint NOT NULL DEFAULT 0,
  ADD COLUMN line_sum_currency text NOT NULL DEFAULT '';

-- +goose Down
SELECT 1 / 0;
