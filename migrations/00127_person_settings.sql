-- What people chose about the layout of the pages. It is theirs alone, and no right depends on it.
-- +goose Up
CREATE TABLE person_settings (
  person uuid NOT NULL REFERENCES users,
  name   text NOT NULL CHECK (name IN ('hidden_menu', 'side_width')),
  value  int NOT NULL CHECK (value BETWEEN 0 AND 10000),
  PRIMARY KEY (person, name)
);
GRANT SELECT, INSERT, UPDATE ON person_settings TO countersign_app;

-- +goose Down
SELECT 1 / 0;
