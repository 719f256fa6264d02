-- What sagas have told other systems: a row is written before the call, so that one whose answer was lost is known.
-- +goose Up
CREATE TABLE saga_steps (
  case_id    uuid NOT NULL REFERENCES cases,
  node       text NOT NULL,
  visit      int NOT NULL,
  step       int NOT NULL CHECK (step > 0),
  undo       boolean NOT NULL,
  name       text NOT NULL,
  call       text NOT NULL,
  key        text NOT NULL UNIQUE,
  status     text NOT NULL CHECK (status IN ('calling', 'done', 'failed')),
  attempts   int NOT NULL DEFAULT 1,
  reference  text NOT NULL DEFAULT '',
  error_code text NOT NULL DEFAULT '',
  error_text text NOT NULL DEFAULT '',
  started_at timestamptz NOT NULL DEFAULT clock(),
  ended_at   timestamptz,
  PRIMARY KEY (case_id, node, visit, step, undo)
);
GRANT SELECT, INSERT, UPDATE ON saga_steps TO countersign_app;

-- +goose Down
SELECT 1 / 0;
