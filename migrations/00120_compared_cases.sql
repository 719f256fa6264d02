-- Whether a person compared a case with another one, for the quality sample.
-- +goose Up
CREATE INDEX access_log_compared ON access_log (split_part(object, '/', 3), actor) WHERE object LIKE 'comparison/%';

-- +goose Down
SELECT 1 / 0;
