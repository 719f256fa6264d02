-- Drawn reviewers: from a mark on, the seat of a review belongs to the person whom a keyed hash draws, not to any person who claims it.
-- +goose Up
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check;
ALTER TABLE proposals ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('process', 'rule_set', 'policy', 'country_risk',
  'rate', 'conflict_end', 'party_leave', 'sample_share', 'draw_mark'));
ALTER TABLE control_changes DROP CONSTRAINT control_changes_kind_check;
ALTER TABLE control_changes ADD CONSTRAINT control_changes_kind_check
  CHECK (kind IN ('country', 'currency', 'party', 'draw_mark'));

INSERT INTO installation_keys VALUES ('seats', sha256(convert_to(
  gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

-- The amounts at risk, in minor units of the base currency, from which the reviewers of a process are drawn; null for no mark.
CREATE TABLE draw_marks (
  process     text NOT NULL CHECK (process <> ''),
  version     int NOT NULL CHECK (version > 0),
  base_minor  bigint CHECK (base_minor > 0),
  valid_from  timestamptz NOT NULL DEFAULT clock(),
  reason      text NOT NULL,
  set_by      uuid NOT NULL REFERENCES users,
  proposal_id uuid NOT NULL REFERENCES proposals,
  PRIMARY KEY (process, version)
);
CREATE TRIGGER marks_stay BEFORE UPDATE OR DELETE ON draw_marks FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- +goose StatementBegin
CREATE FUNCTION refuse_unconfirmed_mark() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT is_confirmed(NEW.proposal_id, 'draw_mark', NEW.process, NEW.version - 1,
                      jsonb_build_object('after', coalesce(NEW.base_minor::text, ''))) THEN
    RAISE EXCEPTION 'a mark needs a proposal confirmed by a second person' USING ERRCODE = 'CS011';
  END IF;
  NEW.valid_from := clock();
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER confirmed_first BEFORE INSERT ON draw_marks FOR EACH ROW EXECUTE FUNCTION refuse_unconfirmed_mark();
GRANT SELECT, INSERT ON draw_marks TO countersign_app;

-- The number of the draw that a review has or waits for; 0 for a review that anyone eligible may claim.
ALTER TABLE reviews ADD COLUMN draws int NOT NULL DEFAULT 0 CHECK (draws >= 0);

CREATE INDEX reviews_undrawn ON reviews (id) WHERE status = 'open' AND draws > 0
  AND assignee = '00000000-0000-0000-0000-000000000000';

-- Who was drawn from whom. A draw is never changed.
CREATE TABLE review_draws (
  review_id    uuid NOT NULL, -- also of a review that the same statement opens
  attempt      int NOT NULL CHECK (attempt > 0),
  case_id      uuid NOT NULL REFERENCES cases,
  node         text NOT NULL,
  seat         int NOT NULL,
  person       uuid NOT NULL REFERENCES users,
  candidates   uuid[] NOT NULL, -- sorted
  requested_by uuid REFERENCES users, -- null for a draw that followed without a request
  kept         boolean NOT NULL, -- the person took back a decision and keeps the seat, so that no one was drawn
  at           timestamptz NOT NULL DEFAULT clock(),
  PRIMARY KEY (review_id, attempt),
  CONSTRAINT person_is_candidate CHECK (person = ANY (candidates))
);
CREATE TRIGGER draws_stay BEFORE UPDATE OR DELETE ON review_draws FOR EACH ROW EXECUTE FUNCTION refuse_change();
GRANT SELECT, INSERT ON review_draws TO countersign_app;

-- +goose StatementBegin
CREATE FUNCTION refuse_undrawn_assignee() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.draws < OLD.draws THEN
    RAISE EXCEPTION 'a drawn review stays drawn' USING ERRCODE = 'CS009';
  END IF;
  IF NEW.status IN ('open', 'claimed') AND NEW.assignee <> '00000000-0000-0000-0000-000000000000'
      AND NOT EXISTS (SELECT FROM review_draws d WHERE d.review_id = NEW.id AND d.attempt = NEW.draws
        AND d.person = NEW.assignee) THEN
    RAISE EXCEPTION 'the review belongs to the person who was drawn' USING ERRCODE = 'CS004';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER drawn_person_opens BEFORE INSERT ON reviews
  FOR EACH ROW WHEN (NEW.draws > 0) EXECUTE FUNCTION refuse_undrawn_assignee();
CREATE TRIGGER drawn_person_holds BEFORE UPDATE OF assignee, status, draws ON reviews
  FOR EACH ROW WHEN (NEW.draws > 0 OR OLD.draws > 0) EXECUTE FUNCTION refuse_undrawn_assignee();

-- +goose Down
SELECT 1 / 0;
