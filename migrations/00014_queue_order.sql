-- +goose Up
-- The next review to claim, and a page of a queue, are read in their order and end at the first rows that fit.
CREATE INDEX reviews_next ON reviews (priority DESC, decide_by, id) WHERE status = 'open';
CREATE INDEX reviews_due ON reviews (decide_by, id) WHERE status IN ('open', 'claimed');
-- What keeps one person from many cases is looked up by the person.
CREATE INDEX case_interests_person ON case_interests (person, case_id);
CREATE INDEX votes_person ON votes (person, case_id, duty);

-- +goose Down
SELECT 1 / 0;
