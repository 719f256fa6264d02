-- +goose Up
-- A conflict says where it came from and how it ended; the row stays.
ALTER TABLE conflicts ADD COLUMN source text NOT NULL DEFAULT 'declared' CHECK (source IN ('declared', 'imported'));
ALTER TABLE conflicts ADD COLUMN ended_by uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
ALTER TABLE conflicts ADD COLUMN end_reason text NOT NULL DEFAULT '';

-- Bank accounts of people: nobody reviews a payment to their own.
CREATE TABLE own_accounts (
  account    text NOT NULL CHECK (account <> ''), -- as fields.normalised: upper case, without spaces
  person     uuid NOT NULL REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (account, person)
);
CREATE INDEX ON own_accounts (person);
CREATE INDEX fields_account ON fields (normalised) WHERE name = 'iban' AND normalised <> '';
GRANT SELECT, INSERT, DELETE ON own_accounts TO countersign_app;

-- +goose Down
SELECT 1 / 0;
