-- +goose Up
-- When people work. hours: by weekday from Sunday = 0, minutes after midnight of the zone.
CREATE TABLE calendars (
  name     text PRIMARY KEY CHECK (name <> ''),
  zone     text NOT NULL CHECK (zone <> ''),
  hours    jsonb NOT NULL,
  holidays text[] NOT NULL DEFAULT '{}',
  version  bigint NOT NULL DEFAULT 1
);

-- How queues work. A queue without a row is one that people take from, in whole time.
CREATE TABLE queues (
  name       text PRIMARY KEY CHECK (name <> ''),
  strategy   text NOT NULL DEFAULT 'pull' CHECK (strategy IN ('pull', 'round_robin', 'least_loaded', 'skill')),
  cap        int NOT NULL DEFAULT 0 CHECK (cap >= 0),
  calendar   text REFERENCES calendars,
  hand_after int NOT NULL DEFAULT 0 CHECK (hand_after >= 0),
  hand_to    text NOT NULL DEFAULT '',
  version    bigint NOT NULL DEFAULT 1,
  CONSTRAINT handed_somewhere CHECK ((hand_after > 0) = (hand_to <> '') AND hand_to <> name)
);
-- Whose turn was last. It changes with every review that is given out, so it lies apart from what managers set.
CREATE TABLE queue_turns (
  queue  text PRIMARY KEY,
  person uuid NOT NULL REFERENCES users
);

CREATE TABLE user_skills (
  user_id uuid NOT NULL REFERENCES users,
  skill   text NOT NULL CHECK (skill <> ''),
  PRIMARY KEY (user_id, skill)
);

-- at_risk_from: NULL = when a fifth of the whole time is left, as programs before this one wrote it.
ALTER TABLE reviews ADD COLUMN at_risk_from timestamptz,
  ADD COLUMN paused_at    timestamptz,
  ADD COLUMN pause_reason text NOT NULL DEFAULT '',
  ADD COLUMN breaches     int NOT NULL DEFAULT 0,
  -- Who let the review go without a decision, and how; until somebody has it again.
  ADD COLUMN left_by      uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  ADD COLUMN left_how     text NOT NULL DEFAULT '';
CREATE INDEX reviews_left ON reviews (left_by) WHERE status = 'open' AND left_how = 'expired';

ALTER TABLE stage_runs DROP CONSTRAINT stage_runs_kind_check;
ALTER TABLE stage_runs ADD CONSTRAINT stage_runs_kind_check
  CHECK (kind IN ('stage', 'timer', 'claim_by', 'at_risk', 'decide_by', 'saga', 'assign', 'undo_by'));

GRANT SELECT, INSERT, UPDATE, DELETE ON calendars, queues, queue_turns, user_skills TO countersign_app;

-- +goose Down
SELECT 1 / 0;
