-- The search index is filled with less processor time: new words are merged into it in larger parts, and a worker remembers which
-- words the table for typos has until one of them is removed.
-- +goose Up
-- In kilobytes. Fewer and larger merges write each list of cases less often; a search reads the pending entries one after the other.
ALTER INDEX search_cases_words SET (gin_pending_list_limit = 8192);

ALTER TABLE search_state ADD COLUMN words_epoch uuid NOT NULL DEFAULT gen_random_uuid(); -- changes when words are removed

-- +goose StatementBegin
CREATE FUNCTION search_words_removed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM gone) THEN
    UPDATE search_state SET words_epoch = gen_random_uuid();
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER search_words_removed AFTER DELETE ON search_words REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION search_words_removed();

-- +goose Down
SELECT 1 / 0;
