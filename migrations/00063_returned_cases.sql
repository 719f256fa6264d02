-- +goose Up
-- Every user gets a counter of their own returned cases.
CREATE INDEX cases_returned ON cases (submitter) WHERE status = 'returned';

-- +goose Down
SELECT 1 / 0;
