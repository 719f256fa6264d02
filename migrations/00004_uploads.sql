-- +goose Up
-- Resumable uploads: the bytes lie in a folder of the servers, named by id; whether one is whole is told by its size.
CREATE TABLE uploads (
  id         uuid PRIMARY KEY,
  owner      uuid NOT NULL REFERENCES users,
  name       text NOT NULL,
  size       bigint NOT NULL CHECK (size > 0),
  state      text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'submitted', 'replaced')),
  case_id    uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000', -- that took it
  created_at timestamptz NOT NULL DEFAULT clock(),
  touched_at timestamptz NOT NULL DEFAULT clock(), -- the last sign of its owner
  CONSTRAINT taken_has_case CHECK ((state = 'open') = (case_id = '00000000-0000-0000-0000-000000000000'))
);
CREATE INDEX uploads_owner ON uploads (owner) WHERE state = 'open';
CREATE INDEX uploads_touched ON uploads (touched_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON uploads TO countersign_app;

-- A draft is its writer's alone: who claims the review later does not see it.
ALTER TABLE reviews ADD COLUMN draft_by uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';

-- +goose Down
SELECT 1 / 0;
