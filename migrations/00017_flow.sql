-- +goose Up
-- What was opened in a queue and what was decided in it within a day is counted for its forecast, not looked for among all that ever was.
CREATE INDEX reviews_opened ON reviews (queue, created_at);
CREATE INDEX reviews_decided ON reviews (queue, decided_at) WHERE status = 'decided';

-- +goose Down
SELECT 1 / 0;
