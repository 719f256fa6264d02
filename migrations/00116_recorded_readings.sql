-- Each reading of a supporting document has an event that lists the images of its pages. A reading without the number of its event
-- is left out: a worker of an earlier program, which still runs during an upgrade, leaves the document unread.
-- +goose Up
ALTER TABLE supporting_readings ADD COLUMN event_seq bigint; -- NULL for what was read before

-- +goose StatementBegin
CREATE FUNCTION refuse_unrecorded_reading() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.event_seq IS NULL THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (SELECT FROM events e WHERE e.case_id = NEW.case_id AND e.seq = NEW.event_seq AND e.type = 'document.read'
      AND e.txid = pg_current_xact_id()) THEN
    RAISE EXCEPTION 'no event of the same transaction records the reading' USING ERRCODE = 'CS009';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER readings_are_recorded BEFORE INSERT ON supporting_readings FOR EACH ROW EXECUTE FUNCTION refuse_unrecorded_reading();

-- +goose Down
SELECT 1 / 0;
