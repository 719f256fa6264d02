-- The date and the account of a document in the row of its case, where related cases are compared without the partitions of fields.
-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE cases
  ADD COLUMN IF NOT EXISTS document_date text NOT NULL DEFAULT '', -- fields 'date' and 'iban', '' = none
  ADD COLUMN IF NOT EXISTS document_account text NOT NULL DEFAULT '',
  -- The facts revision whose fields both columns repeat. A program that does not know the columns raises facts_revision alone
  -- when it changes fields; then field_in_force reads them.
  ADD COLUMN IF NOT EXISTS fields_revision bigint NOT NULL DEFAULT 0;

-- In PL/pgSQL, so that a statement that need not call it does not open the partitions.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION field_in_force(of_case uuid, field text) RETURNS text LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN coalesce((SELECT f.normalised FROM fields f WHERE f.case_id = of_case AND f.name = field), '');
END $$;
-- +goose StatementEnd

-- Batches, so that programs wait for a thousand rows at most. The fields are read after the cases are locked, by a statement of its
-- own, because they change only together with their case.
-- +goose StatementBegin
DO $$
DECLARE
  last uuid := '00000000-0000-0000-0000-000000000000';
  batch uuid[];
BEGIN
  LOOP
    batch := ARRAY(SELECT id FROM cases WHERE id > last ORDER BY id LIMIT 1000 FOR UPDATE);
    EXIT WHEN batch = '{}';
    UPDATE cases c SET document_date = field_in_force(c.id, 'date'), document_account = field_in_force(c.id, 'iban'),
        fields_revision = c.facts_revision
      WHERE c.id = ANY (batch) AND c.fields_revision <> c.facts_revision;
    last := batch[cardinality(batch)];
    COMMIT;
  END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT 1 / 0;
