-- Saved views of lists: named filters, orders and columns, personal or shared.
-- +goose Up
CREATE TABLE saved_views (
  id           uuid PRIMARY KEY,
  list         text NOT NULL CHECK (list IN ('cases', 'queue')),
  owner        uuid NOT NULL REFERENCES users,
  name         text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 80),
  parameters   jsonb NOT NULL CHECK (jsonb_typeof(parameters) = 'object' AND pg_column_size(parameters) <= 8000),
  audience     text NOT NULL CHECK (audience IN ('personal', 'queue', 'role', 'everyone')),
  audience_key text NOT NULL, -- queue or role
  version      bigint NOT NULL DEFAULT 1,
  updated_at   timestamptz NOT NULL DEFAULT clock(),
  updated_by   uuid NOT NULL REFERENCES users,
  CHECK ((audience_key = '') = (audience IN ('personal', 'everyone')))
);
CREATE UNIQUE INDEX saved_views_name ON saved_views (owner, list, lower(name));
CREATE INDEX saved_views_shared ON saved_views (list, audience, audience_key) WHERE audience <> 'personal';

-- The view that a list opens with.
CREATE TABLE default_views (
  person  uuid NOT NULL REFERENCES users,
  list    text NOT NULL,
  view_id uuid NOT NULL REFERENCES saved_views ON DELETE CASCADE,
  PRIMARY KEY (person, list)
);
CREATE INDEX default_views_view ON default_views (view_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON saved_views, default_views TO countersign_app;

-- +goose Down
SELECT 1 / 0;
