-- +goose Up
-- The normal form that a party's key is of: 0 = words in lower case, as programs before this one write it, 1 = domain.PartyKey.
-- Programs bring rows of form 0 to form 1 (casework.RekeyParties), also those that an older program adds meanwhile.
ALTER TABLE parties ADD COLUMN key_form smallint NOT NULL DEFAULT 0;
CREATE INDEX parties_older_keys ON parties (created_at, id) WHERE key_form = 0;

-- +goose Down
SELECT 1 / 0;
